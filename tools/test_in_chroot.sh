#!/bin/bash
#
# Builds and tests ns on another Debian release. See --help.
set -euo pipefail

# shellcheck source=tools/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

usage() {
  cat <<'USAGE'
usage: tools/test_in_chroot.sh [--bazel] [--compiler=CXX] [--jobs=N]
                               [--cache=DIR] RELEASE [TARGET...]

Builds and tests this tree, with changes that are not committed, on the Debian
release RELEASE ("trixie"), in a chroot that debootstrap makes the first time.
Packages are those of tools/packages/. Needs root.

With CMake, this runs tools/test_cmake.sh: the demo prints README's table,
Python loads libns_ops.so, a host builds. Each TARGET is a folder whose tests
are run as well, such as tests/ir.

  --bazel         run tools/test.sh with Bazel instead; each TARGET is a label,
                  such as //tests/ir/...
  --compiler=CXX  with CMake: g++ (the default) or clang++
  --jobs=N        files to compile at a time; default: one per processor
  --cache=DIR     where chroots and compiled files are kept;
                  default: ~/.cache/ns-chroot. A chroot takes 6 GB

Everything is mounted in a mount namespace that ends with the script, so that
nothing stays mounted, however it ends. The last line is `N passed, N failed`.
Status: 0 if nothing failed.
USAGE
}

with_bazel=false
compiler=g++
jobs="$(nproc)"
cache="${HOME:-/root}/.cache/ns-chroot"
release=''
targets=()
for argument in "$@"; do
  case "${argument}" in
    -h | --help)
      usage
      exit 0
      ;;
    --bazel) with_bazel=true ;;
    --compiler=g++ | --compiler=clang++) compiler="${argument#--compiler=}" ;;
    --jobs=*) jobs="${argument#--jobs=}" ;;
    --cache=*) cache="$(realpath -m "${argument#--cache=}")" ;;
    -*)
      say "unknown argument '${argument}'; see --help"
      exit 2
      ;;
    *)
      if [[ -z "${release}" ]]; then
        release="${argument}"
      else
        targets+=("${argument}")
      fi
      ;;
  esac
done
if [[ ! "${release}" =~ ^[a-z]+$ ]]; then
  say "name a Debian release, such as trixie; see --help"
  exit 2
fi
if [[ ! "${jobs}" =~ ^[1-9][0-9]*$ ]]; then
  say "--jobs=${jobs}: not a number of files"
  exit 2
fi
if ((EUID != 0)); then
  say "needs root, to mount and to enter the chroot"
  exit 1
fi

# From here on, all mounts are those of a namespace of this script alone.
if [[ "${NS_IN_NAMESPACE:-}" != "$$" ]]; then
  export NS_IN_NAMESPACE="$$"
  exec unshare --mount "$0" "$@"
fi

root="${cache}/${release}"

make_chroot() {
  if ! command -v debootstrap >/dev/null; then
    say "installing debootstrap"
    apt_install debootstrap
  fi
  say "making a chroot of ${release} in ${root}"
  mkdir -p "${cache}"
  rm -rf "${root}.part"
  debootstrap --variant=minbase --include=ca-certificates "${release}" \
    "${root}.part" >&2
  mv "${root}.part" "${root}"
}

# Runs a command in the chroot, in the copy of this tree.
in_chroot() {
  chroot "${root}" /usr/bin/env -i HOME=/root LANG=C.UTF-8 \
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    TERM="${TERM:-dumb}" bash -c 'cd /root/ns && "$@"' - "$@"
}

# Copies what git would commit. Times stay, so that only what changed is compiled
# again.
copy_tree() {
  rm -rf "${root}/root/ns"
  mkdir "${root}/root/ns"
  local -a list=(git -c 'safe.directory=*' -C "${NS_ROOT}" ls-files -z)
  comm -z -23 <("${list[@]}" --cached --others --exclude-standard | sort -z) \
    <("${list[@]}" --deleted | sort -z) |
    tar -C "${NS_ROOT}" --null --files-from - -cf - |
    tar -C "${root}/root/ns" -xf -
}

run() {
  cp /etc/resolv.conf "${root}/etc/resolv.conf"
  mount --rbind /dev "${root}/dev"
  mount --bind /proc "${root}/proc"
  copy_tree
  # tools/setup.sh runs dpkg-query and apt-get of the chroot.
  if "${with_bazel}"; then
    in_chroot tools/setup.sh libraries torch bazel tests
    in_chroot tools/test.sh --part=tree "--jobs=${jobs}" "${targets[@]}"
    return
  fi
  in_chroot tools/setup.sh libraries torch cmake tests
  if [[ "${compiler}" == clang++ ]]; then
    in_chroot tools/setup.sh bazel
  fi
  local -a tests=()
  if ((${#targets[@]} > 0)); then
    tests=("--tests=$(IFS=, && echo "${targets[*]}")")
  fi
  local build=/root/build
  if [[ "${compiler}" != g++ ]]; then
    build="/root/build-${compiler}"
  fi
  in_chroot tools/test_cmake.sh "--compiler=${compiler}" "--jobs=${jobs}" \
    "--folder=${build}" "${tests[@]}"
}

if [[ ! -d "${root}" ]] && ! make_chroot; then
  echo "0 passed, 1 failed"
  exit 1
fi
output="$(mktemp)"
set +e
(
  set -e
  run
) | tee "${output}"
status="${PIPESTATUS[0]}"
set -e
if [[ ! "$(tail -n 1 "${output}")" =~ ^[0-9]+\ passed,\ [0-9]+\ failed$ ]]; then
  echo "0 passed, 1 failed"
  status=1
fi
rm -f "${output}"
exit "${status}"
