# The sources and headers, and the flags of sources for one instruction set.
#
# As a script, it prints one line for each: the library, the path, the flags.
#
#   cmake -P tools/cmake/sources.cmake
#
# tests/tools/cmake_sources_test.py holds it to the BUILD files.
get_filename_component(NS_ROOT "${CMAKE_CURRENT_LIST_DIR}/../.." REALPATH)

# Compilation looks for new files before each build; a script cannot.
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

# ns_ops: what models with our operators need at run time. It is a library of
# its own, libns_ops.so, which any process can load.
ns_glob(NS_OPS_SOURCES passes/kernels/*.cc passes/runtime/*.cc)
set(ns_used_by_ops ir/base/nearest_name.cc ir/base/torch_errors.cc)
list(APPEND NS_OPS_SOURCES ${ns_used_by_ops})

# ns_passes: the other passes, and what they are made of.
ns_glob(NS_PASSES_SOURCES ir/*.cc passes/*.cc)
list(REMOVE_ITEM NS_PASSES_SOURCES ${NS_OPS_SOURCES})

# ns: the numeric suite. page_source.cmake writes one more source.
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

# Helpers for tests of hosts: `testing` in tests/testing/BUILD.
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

# As in tools/bazel/isa_library.bzl, where isa_library says which source is for
# which instruction set; here, the end of its name does.
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
