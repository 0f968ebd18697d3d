#!/bin/bash
#
# Installs the Debian packages of tools/packages*.txt that are missing. See
# --help. The other scripts source this file for its functions.
set -euo pipefail

NS_ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)"
readonly NS_ROOT

setup_usage() {
  cat <<'USAGE'
usage: tools/setup.sh [--check] [--help]

Installs those Debian 12 packages of tools/packages.txt and, for tests of the
HTML report, tools/packages_browser.txt that are missing. Needs root or sudo if
there are any, and does nothing if there are none.

  --check  only print what is missing, one package a line; status 1 if any is
USAGE
}

say() {
  echo "${0##*/}: $*" >&2
}

# Lists of packages; the first is enough to build and to compare.
readonly PACKAGE_LISTS=(packages.txt packages_browser.txt)

# Prints the packages of the lists that the arguments name.
wanted_packages() {
  local list
  for list in "$@"; do
    sed -e 's/#.*//' -e 's/[[:space:]]//g' -e '/^$/d' "${NS_ROOT}/tools/${list}"
  done
}

# Prints those of them that are not installed.
missing_packages() {
  local -a wanted
  mapfile -t wanted < <(wanted_packages "$@")
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
    say "no dpkg-query or apt-get here; needs Debian 12 with:" \
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
  say "apt-get could not install ${missing[*]}; they are packages of Debian 12"
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
  case "${1:-}" in
    '') install_packages "${PACKAGE_LISTS[@]}" ;;
    --check)
      local missing
      missing="$(missing_packages "${PACKAGE_LISTS[@]}")"
      if [[ -n "${missing}" ]]; then
        echo "${missing}"
        return 1
      fi
      ;;
    -h | --help) setup_usage ;;
    *)
      say "unknown argument '$1'; see --help"
      return 2
      ;;
  esac
}

if [[ "${BASH_SOURCE[0]}" == "$0" ]]; then
  setup_main "$@"
fi
