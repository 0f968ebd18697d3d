#!/bin/bash
#
# Installs the Debian packages of tools/packages/ that are missing. See --help.
# The other scripts source this file for its functions.
set -euo pipefail

NS_ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)"
readonly NS_ROOT

setup_usage() {
  cat <<'USAGE'
usage: tools/setup.sh [--check] [--help] [LIST...]

Installs the packages that are missing, of these lists or of those named:

  libraries  what ns links, besides LibTorch
  torch      LibTorch; skipped where LIBTORCH is set
  bazel      building with Bazel
  cmake      building with CMake
  tests      tests and benchmarks
  browser    tests of the HTML report
  presubmit  formatting and lint

The lists are files of tools/packages/. Building with Bazel needs libraries,
torch and bazel. Needs root or sudo if a package is missing, and does nothing
otherwise. Tested on Debian 12 and 13; other releases are tried.

  --check  only print what is missing, one package a line; status 1 if any is
USAGE
}

say() {
  echo "${0##*/}: $*" >&2
}

# The lists of tools/packages/.
readonly PACKAGE_LISTS=(libraries torch bazel cmake tests browser presubmit)
# Those that tests/ needs.
# shellcheck disable=SC2034  # tools/test.sh uses it.
readonly TEST_LISTS=(libraries torch bazel cmake tests browser)

# Prints the packages of the lists that the arguments name.
wanted_packages() {
  local list
  for list in "$@"; do
    if [[ "${list}" == torch && -n "${LIBTORCH:-}" ]]; then
      continue
    fi
    sed -e 's/#.*//' -e 's/[[:space:]]//g' -e '/^$/d' \
      "${NS_ROOT}/tools/packages/${list}.txt"
  done
}

# Says so where nobody has tried these packages on this release.
note_untested_release() {
  local id='' version=''
  if [[ -r /etc/os-release ]]; then
    id="$(sed -n 's/^ID=//p' /etc/os-release | tr -d '"')"
    version="$(sed -n 's/^VERSION_ID=//p' /etc/os-release | tr -d '"')"
  fi
  case "${id} ${version}" in
    'debian 12' | 'debian 13') ;;
    *)
      say "tested on Debian 12 and 13; this is" \
        "${id:-an unknown system} ${version:-without a version}, so packages" \
        "of the same names are tried"
      ;;
  esac
}

# Prints those of them that are not installed.
missing_packages() {
  local -a wanted
  mapfile -t wanted < <(wanted_packages "$@")
  if ((${#wanted[@]} == 0)); then
    return 0
  fi
  # dpkg-query fails when it does not know a package: that one is missing too.
  comm -23 <(printf '%s\n' "${wanted[@]}" | sort -u) <(
    { dpkg-query --show --showformat='${Package} ${db:Status-Status}\n' \
      "${wanted[@]}" 2>/dev/null || true; } |
      sed -n 's/ installed$//p' | sort -u
  )
}

# Runs a command as root without asking questions that nobody would answer.
as_root() {
  if ((EUID == 0)); then
    "$@"
  elif [[ -t 0 ]]; then
    sudo "$@"
  else
    sudo -n "$@"
  fi
}

apt_install() {
  as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install --yes --quiet --no-install-recommends "$@" >&2
}

apt_update() {
  as_root apt-get update --quiet >&2
}

# Installs what is missing of the lists that the arguments name; returns
# non-zero with a message when it cannot.
install_packages() {
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    say "no dpkg-query or apt-get here; on Debian, the packages are:" \
      "$(wanted_packages "$@" | xargs)"
    return 1
  fi
  local -a missing
  mapfile -t missing < <(missing_packages "$@")
  if ((${#missing[@]} == 0)); then
    return 0
  fi
  if ((EUID != 0)) && ! command -v sudo >/dev/null; then
    say "not root, and no sudo here; as root, run:" \
      "apt-get install --no-install-recommends ${missing[*]}"
    return 1
  fi
  note_untested_release
  say "installing ${missing[*]}"
  local package updated=0
  for package in "${missing[@]}"; do
    if ! apt-cache show "${package}" >/dev/null 2>&1; then
      apt_update || return 1
      updated=1
      break
    fi
  done
  if apt_install "${missing[@]}"; then
    return 0
  fi
  # Lists that are there may be too old to fetch by.
  if ((updated == 0)) && apt_update && apt_install "${missing[@]}"; then
    return 0
  fi
  say "apt-get could not install ${missing[*]}; they are packages of Debian 12" \
    "and 13"
  return 1
}

# Bazel, also where there is no home folder to keep its output in. A caller may
# set `bazel_prefix` to a command that runs it.
bazel_prefix=()
run_bazel() {
  local -a startup=()
  if [[ -z "${HOME:-}" || ! -d "${HOME:-}" || ! -w "${HOME:-}" ]]; then
    startup+=("--output_user_root=${TMPDIR:-/tmp}/bazel-${EUID}")
  fi
  "${bazel_prefix[@]}" bazel "${startup[@]}" "$@"
}

setup_main() {
  local argument list is_known check=false missing
  local -a lists=()
  for argument in "$@"; do
    case "${argument}" in
      --check) check=true ;;
      -h | --help)
        setup_usage
        return 0
        ;;
      *)
        is_known=false
        for list in "${PACKAGE_LISTS[@]}"; do
          [[ "${list}" != "${argument}" ]] || is_known=true
        done
        if ! "${is_known}"; then
          say "unknown argument '${argument}'; see --help"
          return 2
        fi
        lists+=("${argument}")
        ;;
    esac
  done
  if ((${#lists[@]} == 0)); then
    lists=("${PACKAGE_LISTS[@]}")
  fi
  if ! "${check}"; then
    install_packages "${lists[@]}"
    return
  fi
  missing="$(missing_packages "${lists[@]}")"
  if [[ -n "${missing}" ]]; then
    echo "${missing}"
    return 1
  fi
}

if [[ "${BASH_SOURCE[0]}" == "$0" ]]; then
  setup_main "$@"
fi
