#!/bin/bash
#
# Builds, installs and uses ns with CMake. See --help.
set -euo pipefail

# shellcheck source=tools/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

usage() {
  cat <<'USAGE'
usage: tools/test_cmake.sh [--compiler=g++] [--jobs=N] [--folder=DIR]
                           [--tests=FOLDER,...]
                           [--time-limit=SECONDS [--optional]]

Builds ns with tools/cmake, installs it, removes the build directory, and tests
what was installed: the demo prints README's table, Python loads libns_ops.so,
and tests/embedding, a compiler with a pass of its own, builds and passes its
tests, with find_package and with pkg-config.

  --compiler=CXX        g++ (the default) or clang++
  --jobs=N              files to compile at a time; default: one per processor
  --folder=DIR          where to build and install, and compiled files are kept
                        for the next time; default: a temporary one
  --tests=FOLDER,...    also build and run the tests of these folders, such as
                        tests/ir
  --time-limit=SECONDS  stop when so much time has passed
  --optional            running out of time is no failure

The last line is `N passed, N failed`. Status: 0 if nothing failed.
USAGE
}

compiler=g++
jobs="$(nproc)"
folder=''
tests=''
time_limit=''
is_optional=false
for argument in "$@"; do
  case "${argument}" in
    -h | --help)
      usage
      exit 0
      ;;
    --compiler=*) compiler="${argument#--compiler=}" ;;
    --jobs=*) jobs="${argument#--jobs=}" ;;
    --folder=*) folder="$(realpath -m "${argument#--folder=}")" ;;
    --tests=*) tests="${argument#--tests=}" ;;
    --time-limit=*) time_limit="${argument#--time-limit=}" ;;
    --optional) is_optional=true ;;
    *)
      say "unknown argument '${argument}'; see --help"
      exit 2
      ;;
  esac
done
if [[ ! "${time_limit}" =~ ^[0-9]*$ ]]; then
  say "--time-limit=${time_limit}: not a number of seconds"
  exit 2
fi

passed=0
failed=0
temporary=''

# shellcheck disable=SC2317  # trap calls it.
finish() {
  if [[ -n "${temporary}" ]]; then
    rm -rf "${temporary}"
  elif [[ -d "${folder}/build.away" ]]; then
    mv "${folder}/build.away" "${folder}/build"
  fi
  echo "${passed} passed, ${failed} failed"
}

# Runs a function of this script as a step, and counts it. Stops after a failure,
# because later steps need the results of earlier ones.
run_step() {
  local started=${SECONDS} status=0
  local -a limit=()
  if [[ -n "${time_limit}" ]]; then
    local left=$((time_limit - SECONDS))
    limit=(timeout --kill-after=10 "$((left > 1 ? left : 1))")
  fi
  say "$1"
  "${limit[@]}" bash -euo pipefail -c "$(declare -f "$1"); $1" || status=$?
  if ((status == 0)); then
    say "$1 took $((SECONDS - started)) s"
    passed=$((passed + 1))
  elif [[ -n "${time_limit}" ]] && ((status == 124 || status == 137)); then
    say "out of time: stopped after ${SECONDS} seconds"
    "${is_optional}" || failed=$((failed + 1))
    ((failed == 0))
    exit
  else
    say "$1 failed"
    failed=$((failed + 1))
    exit 1
  fi
}

# Steps run in a shell of their own, with the variables exported below.
# shellcheck disable=SC2317  # run_step calls them.
build_and_install() {
  cmake -S tools/cmake -B "${BUILD}" -G Ninja \
    -DCMAKE_CXX_COMPILER="${COMPILER}" -DNS_TESTS="${TESTS//,/;}"
  # Errors in all files are worth more than the first one early.
  cmake --build "${BUILD}" --parallel "${JOBS}" -- -k 0
  rm -rf "${PREFIX}" "${HOST}"
  cmake --install "${BUILD}" --prefix "${PREFIX}" >/dev/null
}

# shellcheck disable=SC2317
move_build_away() {
  # What is installed must not depend on it.
  mv "${BUILD}" "${BUILD}.away"
}

# shellcheck disable=SC2317
print_the_table_of_the_readme() {
  local demo=tools/demo line printed table
  line="NO_COLOR=1 '${PREFIX}/bin/ns' compare --float=${demo}/float.pt \
    --quantized=${demo}/quantized.pt --inputs=${demo}/images.pt 2>/dev/null"
  # README shows the table for a terminal of 80 columns.
  printed="$(script --quiet --return --command "stty cols 80; ${line}" \
    /dev/null </dev/null | tr -d '\r')"
  table="$(sed -n '/^ *float  *quantized  *weight/,/^lowest shadow/p' README.md)"
  [[ -n "${table}" ]]
  diff <(echo "${table}") <(echo "${printed}")
  "${PREFIX}/bin/ns_opt" --list-passes | grep '^lower-to-fbgemm'
}

# shellcheck disable=SC2317
load_in_python() {
  local ops
  ops="$(find "${PREFIX}" -name libns_ops.so)"
  /usr/bin/python3 -W ignore - "${ops}" <<'PYTHON'
import sys
import torch

torch.ops.load_library(sys.argv[1])
x = torch.tensor([[-1.0, 2.0]])
q = torch.quantize_per_tensor(x, 0.5, 3, torch.quint8)
assert torch.ops.ns.fbgemm_relu(q).dequantize().equal(torch.relu(x))
PYTHON
}

# shellcheck disable=SC2317
use_with_find_package() {
  cmake -S tests/embedding -B "${HOST}" -G Ninja \
    -DCMAKE_CXX_COMPILER="${COMPILER}" -DCMAKE_PREFIX_PATH="${PREFIX}"
  cmake --build "${HOST}" --parallel "${JOBS}"
  ctest --test-dir "${HOST}" --no-tests=error --output-on-failure
}

# shellcheck disable=SC2317
use_with_pkg_config() {
  local -a flags libs
  PKG_CONFIG_PATH="$(dirname "$(find "${PREFIX}" -name ns.pc)")"
  export PKG_CONFIG_PATH
  read -ra flags <<<"$(pkg-config --cflags ns)"
  read -ra libs <<<"$(pkg-config --libs ns)"
  mkdir -p "${HOST}"
  "${COMPILER}" "${flags[@]}" tests/embedding/drop_dropout.cc \
    tests/embedding/lower_model.cc tests/embedding/lower_model_test.cc \
    -o "${HOST}/with_pkg_config" -lgmock_main -lgmock -lgtest "${libs[@]}" \
    -Wl,-rpath,"$(pkg-config --variable=libdir ns)"
  "${HOST}/with_pkg_config"
}

# Runs the tests of --tests, and counts them. Later steps run, too, if some fail.
run_tests() {
  local output seconds_left=604800
  say "run_tests"
  if [[ -n "${time_limit}" ]]; then
    seconds_left=$((time_limit > SECONDS + 1 ? time_limit - SECONDS : 1))
  fi
  # --no-tests=error: none is a failure.
  output="$(
    timeout --kill-after=10 "${seconds_left}" \
      ctest --test-dir "${BUILD}" --no-tests=error --output-on-failure \
      --timeout 900 || true
  )"
  echo "${output}"
  if [[ "${output}" =~ ([0-9]+)\ tests\ failed\ out\ of\ ([0-9]+) ]]; then
    failed=$((failed + BASH_REMATCH[1]))
    passed=$((passed + BASH_REMATCH[2] - BASH_REMATCH[1]))
  else
    say "run_tests: ctest did not finish"
    failed=$((failed + 1))
  fi
}

trap finish EXIT
cd "${NS_ROOT}"
if [[ -z "${folder}" ]]; then
  temporary="$(mktemp -d)"
  folder="${temporary}"
fi
export COMPILER="${compiler}" JOBS="${jobs}" TESTS="${tests}"
export BUILD="${folder}/build" PREFIX="${folder}/installed" HOST="${folder}/host"
run_step build_and_install
if [[ -n "${tests}" ]]; then
  run_tests
fi
run_step move_build_away
run_step print_the_table_of_the_readme
run_step load_in_python
run_step use_with_find_package
run_step use_with_pkg_config
((failed == 0))
