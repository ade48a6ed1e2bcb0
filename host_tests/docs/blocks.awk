# blocks.awk: takes the console blocks of Markdown pages apart. For each command, a line `$ command`
# or several that end with a backslash, it writes into the folder `into`
#
#   NUMBER.command    the command
#   NUMBER.expected   the lines below it: what it prints, `...` standing for any lines
#   NUMBER.place      page and line
#
# Blocks are those between ```console and ```.

function end_command() {
  if (number > 0) {
    close(into "/" number ".expected")
    close(into "/" number ".command")
  }
  is_open = goes_on = 0
}

function take(line,    name) {
  if (line ~ /^\$ / || goes_on) {
    if (!goes_on) {
      end_command()
      number += 1
      name = FILENAME
      sub(/.*\//, "", name)
      print name ":" FNR > (into "/" number ".place")
      close(into "/" number ".place")
      printf "" > (into "/" number ".expected")
      is_open = 1
      sub(/^\$ /, "", line)
    }
    print line > (into "/" number ".command")
    goes_on = line ~ /\\$/
  } else if (is_open) {
    print line > (into "/" number ".expected")
  }
}

/^```/ {
  end_command()
  is_console = !is_console && /^```console$/
  next
}

is_console {
  take($0)
}
