# setup.sh: what scripts that install and build share; they source it from the repository's root.
# shellcheck shell=sh

# What builds for other processors, and runs that.
# shellcheck disable=SC2034 # by who sources this
emulation_packages="gcc-aarch64-linux-gnu libc6-dev-arm64-cross gcc-s390x-linux-gnu
  libc6-dev-s390x-cross gcc-riscv64-linux-gnu libc6-dev-riscv64-cross gcc-arm-linux-gnueabihf
  libc6-dev-armhf-cross qemu-user"

# install_missing PACKAGE...: installs those Debian packages that are not there, and names those
# that this release of Debian does not have. What cannot do without one says so itself.
install_missing() {
  if ! command -v apt-get >/dev/null; then
    echo "no apt-get here: taking it that these are installed: $*"
    return
  fi
  missing=$(not_installed "$@")
  if [ -z "$missing" ]; then
    return
  fi
  mkdir -p build
  # shellcheck disable=SC2086 # package names are words
  quietly "Installing$missing" build/packages.log apt_install $missing
  # shellcheck disable=SC2086
  missing=$(not_installed $missing)
  [ -z "$missing" ] || echo "not to be had here, and done without:$missing"
}

# not_installed PACKAGE...: those of them, a space before each.
not_installed() {
  for package in "$@"; do
    dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed ||
      printf ' %s' "$package"
  done
}

# An update that fails for some other archive need not hinder the installation.
apt_install() {
  as_root apt-get -q update || true
  for package in "$@"; do
    shift
    ! apt-cache show "$package" >/dev/null || set -- "$@" "$package"
  done
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Dpkg::Use-Pty=0 \
    -o DPkg::Lock::Timeout=300 install --no-install-recommends "$@"
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  else
    sudo "$@"
  fi
}

# quietly WHAT LOG COMMAND...: says what takes long, keeps the command's output in a file, and shows
# it when the command fails, without what went well.
quietly() {
  what=$1 log=$2
  shift 2
  echo "$what ..."
  if "$@" >"$log" 2>&1 </dev/null; then
    return 0
  fi
  echo "failed; the whole log is in $log:"
  grep -vE '^\[[0-9]+/[0-9]+\] |^ +Start +[0-9]+:|  Passed  ' "$log" | tail -n 200
  return 1
}
