# Writes OUTPUT, a C file that holds each of FILES as a NUL-terminated array, and TABLE, an array of
# {name, text} of the TYPE that HEADER declares. The names are the files', without extension.
# cmake -DFILES=a.cl;b.cl -DHEADER=h -DTYPE=t -DTABLE=name -DOUTPUT=file.c -P embed_files.cmake
set(arrays "")
set(rows "")
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(REGEX REPLACE "(.{80})" "\\1\n" bytes "${bytes}")
  string(APPEND arrays "static const char ${name}_text[] = {\n${bytes}0x00};\n\n")
  string(APPEND rows "    {\"${name}\", ${name}_text},\n")
endforeach()
file(WRITE ${OUTPUT}
"/* Made at build time. */
#include \"${HEADER}\"

${arrays}const ${TYPE} ${TABLE}[] = {
${rows}    {0, 0}};
")
