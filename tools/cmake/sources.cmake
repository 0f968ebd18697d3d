# Lists the sources and headers, and the flags of sources that are compiled for
# one instruction set. Run as a script, it prints a line for each file: library,
# path and flags.
#
#   cmake -P tools/cmake/sources.cmake
#
# tests/tools/cmake_sources_test.py compares these lists with the BUILD files.
get_filename_component(NS_ROOT "${CMAKE_CURRENT_LIST_DIR}/../.." REALPATH)

# Ninja looks for new files before each build. Scripts refuse this option.
set(ns_configure_depends CONFIGURE_DEPENDS)
if(CMAKE_SCRIPT_MODE_FILE)
  set(ns_configure_depends)
endif()

# Sets `out` to the files that match the patterns, relative to NS_ROOT, sorted.
function(ns_glob out)
  list(TRANSFORM ARGN PREPEND "${NS_ROOT}/")
  file(GLOB_RECURSE files RELATIVE "${NS_ROOT}" ${ns_configure_depends} ${ARGN})
  list(SORT files)
  set(${out} "${files}" PARENT_SCOPE)
endfunction()

# libns_ops.so: the operators and classes that lowered and instrumented models
# call. Any process can load it.
ns_glob(NS_OPS_SOURCES passes/kernels/*.cc passes/runtime/*.cc)
set(ns_used_by_ops ir/base/nearest_name.cc ir/base/torch_errors.cc)
list(APPEND NS_OPS_SOURCES ${ns_used_by_ops})

# libns_passes.so: graphs and passes.
ns_glob(NS_PASSES_SOURCES ir/*.cc passes/*.cc)
list(REMOVE_ITEM NS_PASSES_SOURCES ${NS_OPS_SOURCES})

# libns.so: the numeric suite. page_source.cmake generates one more source.
ns_glob(NS_SUITE_SOURCES ns/*.cc)

# The programs `ns` and `ns_opt`. run_command is for benchmarks.
ns_glob(
  NS_TOOLS_SOURCES
  tools/command_line/*.cc
  tools/commands/*.cc
  tools/flags/*.cc
)
list(REMOVE_ITEM NS_TOOLS_SOURCES tools/command_line/run_command.cc)

set(NS_PROGRAMS ns ns_opt)
set(NS_PROGRAM_SOURCES ${NS_PROGRAMS})
list(TRANSFORM NS_PROGRAM_SOURCES REPLACE "(.+)" "tools/\\1_main.cc")

ns_glob(NS_HEADERS ir/*.h passes/*.h ns/*.h)

# libns_testing.a: `for_hosts` in tests/testing/BUILD.
set(
  NS_TESTING_NAMES
  function_pass
  graph_with
  ir
  modules
  named_graph
  run_pass
  short_ir
  status
)
set(NS_TESTING_SOURCES)
set(NS_TESTING_HEADERS)
foreach(name IN LISTS NS_TESTING_NAMES)
  list(APPEND NS_TESTING_HEADERS tests/testing/${name}.h)
  if(EXISTS "${NS_ROOT}/tests/testing/${name}.cc")
    list(APPEND NS_TESTING_SOURCES tests/testing/${name}.cc)
  endif()
endforeach()

# The flags of tools/bazel/isa_library.bzl. The suffix of a source names its
# instruction set.
set(NS_FLAGS_avx2 -mavx2 -mfma)
set(NS_FLAGS_avx512 -mavx512f -mavx512bw -mavx512dq -mavx512vl)
set(NS_FLAGS_avx512_vnni ${NS_FLAGS_avx512} -mavx512vnni)
set(NS_FLAGS_amx ${NS_FLAGS_avx512_vnni} -mamx-int8 -mamx-tile)
set(NS_FLAGS_avx_vnni ${NS_FLAGS_avx2} -mavxvnni)
set(NS_FLAGS_vbmi ${NS_FLAGS_avx512} -mavx512vbmi)

# Sets `out` to the flags of the source at `path`.
function(ns_isa_flags out path)
  set(${out} "" PARENT_SCOPE)
  # The longest names first.
  foreach(isa avx512_vnni avx_vnni avx512 avx2 amx vbmi)
    if(path MATCHES "_${isa}\\.cc$")
      set(${out} "${NS_FLAGS_${isa}}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  set(text "")
  foreach(
    group
    OPS_SOURCES
    PASSES_SOURCES
    SUITE_SOURCES
    TOOLS_SOURCES
    PROGRAM_SOURCES
    TESTING_SOURCES
    HEADERS
    TESTING_HEADERS
  )
    string(REGEX REPLACE "_SOURCES$" "" library ${group})
    string(TOLOWER ${library} library)
    foreach(path IN LISTS NS_${group})
      ns_isa_flags(flags ${path})
      list(JOIN flags " " flags)
      string(STRIP "${library} ${path} ${flags}" line)
      string(APPEND text "${line}\n")
    endforeach()
  endforeach()
  execute_process(COMMAND "${CMAKE_COMMAND}" -E echo_append "${text}")
endif()
