#!/bin/bash
#
# What continuous integration runs, and more. See --help.
set -euo pipefail

# shellcheck source=tools/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

usage() {
  cat <<'USAGE'
usage: tools/presubmit.sh [--base=REVISION] [STEP...]

Runs all steps, or those named, and then says which failed:

  format  clang-format on all C++ files that git tracks
  tidy    clang-tidy on C++ files that differ from the base
  lint    tests assert something; BUILD files name every source; header guards;
          nothing below tools/ and tests/ is included from elsewhere; no cycle
          among folders; links of Markdown pages lead somewhere; //:ir, //:passes and //:ns have every library of
          their folder; targets with LibTorch are of tools/bazel/cc.bzl;
          shellcheck on the scripts, where it is installed
  test    tools/test.sh
  asan    all tests with the address and undefined behaviour sanitizers

  --base=REVISION  default: where this branch left origin/main, or HEAD~1
USAGE
}

# Flags that tell clang-tidy what .bazelrc and tools/bazel tell the compiler.
# Kernels are for instruction sets of their own: all of them are among these.
tidy_flags=(-x c++ -std=c++17 -march=sapphirerapids -I. -Wall -Wextra)
if [[ -n "${LIBTORCH:-}" ]]; then
  tidy_flags+=(-isystem "${LIBTORCH}/include")
fi
tidy_flags+=(
  -isystem "${LIBTORCH:-/usr}/include/torch/csrc/api/include"
  -isystem "$(llvm-config --includedir)"
)
readonly CXX_FILES=('*.cc' '*.h')
# A workspace of its own, with BUILD files and header guards of its own.
readonly EMBEDDING='tests/embedding/'

# Tracked files of the given patterns that are there: git also lists those that
# were just deleted.
tracked() {
  local file
  git ls-files -- "$@" | while read -r file; do
    if [[ -f "${file}" ]]; then
      echo "${file}"
    fi
  done
}

# The revision to look for changes from.
find_base() {
  local head candidate
  head="$(git rev-parse HEAD)"
  if [[ -n "${base}" ]]; then
    git rev-parse --verify --quiet "${base}^{commit}" && return
    say "--base=${base}: no such revision"
    return 1
  fi
  if candidate="$(git merge-base origin/main HEAD 2>/dev/null)" &&
    [[ "${candidate}" != "${head}" ]]; then
    echo "${candidate}"
  elif ! git rev-parse --verify --quiet HEAD~1; then
    git hash-object -t tree /dev/null # The first commit: all is new.
  fi
}

step_format() {
  local -a files
  mapfile -t files < <(tracked "${CXX_FILES[@]}")
  if ((${#files[@]} == 0)); then
    return 0
  fi
  # Each release formats in its own way.
  if ! clang-format --version | grep -q 'version 14\.'; then
    say "format: needs clang-format 14, that of Debian 12; files not checked"
    return 0
  fi
  if ! clang-format --dry-run --Werror "${files[@]}"; then
    say "to fix: git ls-files '*.cc' '*.h' | xargs clang-format -i"
    return 1
  fi
}

step_tidy() {
  local from file
  local -a files
  from="$(find_base)" || return 1
  # A header is checked through the source of the same name.
  mapfile -t files < <(
    git diff --name-only --diff-filter=d "${from}" -- "${CXX_FILES[@]}" |
      while read -r file; do
        if [[ "${file}" == *.h && -f "${file%.h}.cc" ]]; then
          echo "${file%.h}.cc"
        else
          echo "${file}"
        fi
      done | sort -u
  )
  if ((${#files[@]} == 0)); then
    say "tidy: no C++ file differs from ${from:0:12}"
    return 0
  fi
  say "tidy: ${#files[@]} files, some seconds each"
  # It reports on standard output; the other stream counts what it hid.
  printf '%s\n' "${files[@]}" |
    xargs -P "$(nproc)" -I '{}' \
      clang-tidy --quiet '{}' -- "${tidy_flags[@]}" \
      2> >(grep -v ' warnings\? .*generated' >&2)
}

lint_assertions() {
  local -a files
  mapfile -t files < <(tracked '*_test.cc')
  if ((${#files[@]} == 0)); then
    return 0
  fi
  # A helper that asserts says so in its name: ExpectUntouched, CheckInvariants.
  awk '
    function finish() {
      if (name != "" && !asserts) {
        print name ": the test asserts nothing; add an EXPECT_ or ASSERT_"
        bad = 1
      }
      name = ""
    }
    FNR == 1 { finish() }
    /^(TEST|TEST_F|TEST_P|TYPED_TEST|TYPED_TEST_P)\(/ {
      finish()
      name = FILENAME ":" FNR
      asserts = 0
    }
    /(EXPECT|ASSERT)_|ADD_FAILURE|FAIL\(|(Expect|Assert|Check|Verify)[A-Za-z]*(<[A-Za-z0-9_]*>)?\(/ {
      asserts = 1
    }
    /^}/ { finish() }
    END { finish(); exit bad }
  ' "${files[@]}"
}

lint_sources_in_build() {
  local named file status=0
  # A file is a source target only where a BUILD file names it.
  named="$(run_bazel query --noshow_progress \
    'kind("source file", //...:*)')" || return 1
  named="$(sed -e 's|^//||' -e 's|^:||' -e 's|:|/|' <<<"${named}" | sort)"
  while read -r file; do
    echo "${file}: no BUILD file names it; add a target for it or delete it"
    status=1
  done < <(
    tracked "${CXX_FILES[@]}" | grep -v "^${EMBEDDING}" | sort |
      comm -23 - <(echo "${named}")
  )
  return "${status}"
}

lint_header_guards() {
  local file guard status=0
  while read -r file; do
    guard="$(tr 'a-z/.-' 'A-Z___' <<<"${file}")_"
    if ! grep -q "^#define ${guard}\$" "${file}"; then
      echo "${file}: has no header guard ${guard}"
      status=1
    fi
  done < <(tracked '*.h' | grep -v "^${EMBEDDING}")
  return "${status}"
}

# Two classes of one name in one namespace have one destructor: the linker keeps
# either. Functions and classes of unnamed namespaces are not looked at.
lint_class_names() {
  local -a files
  mapfile -t files < <(tracked '*.h' | grep -v "^${EMBEDDING}")
  if ((${#files[@]} == 0)); then
    return 0
  fi
  awk '
    FNR == 1 { space = ""; unnamed = 0 }
    /^namespace \{/ { unnamed = 1 }
    /^}  \/\/ namespace$/ { unnamed = 0 }
    /^namespace ns[a-z_:]* \{/ { space = $2 }
    /^(class|struct|enum class) [A-Za-z0-9]+( final)?( :.*)?( \{|$)/ {
      name = ($1 == "enum") ? $3 : $2
      key = space "::" name
      if (space == "" || unnamed) {
        next
      }
      if (key in first && first[key] != FILENAME) {
        print FILENAME ":" FNR ": " first[key] " has a " key ", too"
        bad = 1
      }
      first[key] = FILENAME
    }
    END { exit bad }
  ' "${files[@]}"
}

lint_layers() {
  local -a files
  mapfile -t files < <(tracked 'ir/*' 'passes/*' 'ns/*' | grep -E '\.(cc|h)$')
  if ((${#files[@]} == 0)); then
    return 0
  fi
  if grep -nHE '^#include "(tools|tests)/' "${files[@]}"; then
    echo 'ir, passes and ns include nothing of tools or tests'
    return 1
  fi
}

lint_folders() {
  tools/lint_folders.py
}

lint_links() {
  tools/lint_links.py
}

lint_umbrellas() {
  local folder missing library status=0
  for folder in ir passes ns; do
    missing="$(run_bazel query --noshow_progress --ui_event_filters=-info \
      "kind(cc_library, //${folder}/...) except deps(//:${folder})")" ||
      return 1
    for library in ${missing}; do
      echo "${library}: //:${folder} lacks it; end its BUILD file with" \
        "cc_library_group, and list that group in BUILD"
      status=1
    done
  done
  return "${status}"
}

lint_scripts() {
  local -a files
  if ! command -v shellcheck >/dev/null; then
    say "lint: no shellcheck here; scripts not checked"
    return 0
  fi
  mapfile -t files < <(tracked '*.sh' .ci/run)
  if ((${#files[@]} > 0)); then
    shellcheck --external-sources "${files[@]}"
  fi
}

# Files that include LibTorch compile in a third of the time with these rules,
# and tests have the same random data in every run.
lint_rules() {
  local file status=0
  while read -r file; do
    if [[ "${file}" == "${EMBEDDING}"* ]]; then
      continue
    fi
    if grep -q '"@system//:torch"' "${file}"; then
      if grep -q '^cc_library(' "${file}"; then
        echo "${file}: use ns_library of //tools/bazel:cc.bzl"
        status=1
      elif grep -q '^\[\?cc_test(' "${file}" &&
        ! grep -q 'load("//tools/bazel:cc.bzl".*"cc_test"' "${file}"; then
        echo "${file}: load cc_test from //tools/bazel:cc.bzl"
        status=1
      fi
    fi
    if grep -q '^ns_test(' "${file}" &&
      ! grep -q '^cc_test_group(' "${file}"; then
      echo "${file}: end with cc_test_group, which runs what is grouped"
      status=1
    fi
  done < <(tracked 'BUILD' '*/BUILD')
  return "${status}"
}

step_lint() {
  local check status=0
  for check in assertions sources_in_build header_guards class_names layers \
    folders links umbrellas rules scripts; do
    "lint_${check}" || status=1
  done
  return "${status}"
}

step_test() {
  tools/test.sh
}

step_asan() {
  run_bazel test --config=asan --keep_going --test_output=errors //...
}

base=''
steps=()
for argument in "$@"; do
  case "${argument}" in
    -h | --help)
      usage
      exit 0
      ;;
    --base=*) base="${argument#--base=}" ;;
    format | tidy | lint | test | asan) steps+=("${argument}") ;;
    *)
      say "unknown argument '${argument}'; see --help"
      exit 2
      ;;
  esac
done
if ((${#steps[@]} == 0)); then
  steps=(format tidy lint test asan)
fi

cd "${NS_ROOT}"
install_packages "${PACKAGE_LISTS[@]}"
failures=()
for step in "${steps[@]}"; do
  say "${step}"
  "step_${step}" || failures+=("${step}")
done
if ((${#failures[@]} > 0)); then
  say "failed: ${failures[*]}"
  exit 1
fi
say "all passed: ${steps[*]}"
