# SPDX-FileCopyrightText: The memtile authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# need WANTED=PACKAGE...: installs the Debian or Ubuntu package of every WANTED, a command or an absolute path, that is not there.
need() {
  local each missing=() as_root=() log
  for each; do
    if ! command -v "${each%=*}" > /dev/null && ! [[ $each == /* && -e ${each%=*} ]]; then missing+=("${each#*=}"); fi
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  echo "installing ${missing[*]}"
  [ "$(id -u)" = 0 ] || as_root=(sudo)
  log=$(${as_root[@]+"${as_root[@]}"} bash -c 'export DEBIAN_FRONTEND=noninteractive
    apt-get update && apt-get install --yes --no-install-recommends "$@"' install "${missing[@]}" 2>&1) || { echo "$log"; return 1; }
}

# CMake 3.24 or newer; where the system's is older, one from PyPI in build/tools.
need_cmake() {
  need cmake=cmake
  local version
  version=$(cmake --version | sed -n 's/^cmake version //p')
  if [ "$(printf '3.24\n%s\n' "$version" | sort -V | head -n 1)" = 3.24 ]; then return; fi
  need pip3=python3-pip
  [ -e build/tools ] || python3 -m pip install --quiet --target build/tools cmake
  export PATH="$PWD/build/tools/bin:$PATH" PYTHONPATH="$PWD/build/tools"
}
