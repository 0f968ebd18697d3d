# Builds the tests of the folders in NS_TESTS, an executable for each folder with
# sources, and registers them with ctest:
#
#   cmake -S tools/cmake -B build -G Ninja \
#     "-DNS_TESTS=tests/ir;tests/passes/matching"
#   cmake --build build && ctest --test-dir build
#
# It is how a LibTorch for which there is no Bazel is tested. Tests in Python and
# of the command line are run by Bazel alone.
enable_testing()
if(NOT GTest_FOUND)
  ns_stop("tests need GoogleTest: apt-get install libgmock-dev")
endif()

# What tests use of tests/testing, besides what hosts are given.
ns_glob(helpers tests/testing/*.cc)
list(REMOVE_ITEM helpers tests/testing/main.cc tests/testing/seeder_test.cc)
list(REMOVE_ITEM helpers ${NS_TESTING_SOURCES})

# They run once and not for long, so that optimizing them takes longer than it
# saves.
add_library(ns_test_options INTERFACE)
target_compile_options(ns_test_options INTERFACE -O0 -fPIC)
target_link_libraries(
  ns_test_options
  INTERFACE ns_options ns_testing ns_suite GTest::gmock
)

add_library(ns_test_headers OBJECT "${CMAKE_BINARY_DIR}/empty.cc")
target_link_libraries(ns_test_headers PRIVATE ns_test_options)
target_precompile_headers(
  ns_test_headers
  PRIVATE
  ${NS_PRECOMPILED_HEADERS} <gmock/gmock.h> <gtest/gtest.h>
)

add_library(ns_test_helpers STATIC)
ns_compile(ns_test_helpers ns_test_headers ${helpers})
target_link_libraries(ns_test_helpers PUBLIC ns_test_options)

# Models are made by the PyTorch of this interpreter.
find_program(NS_PYTHON3 python3)

# Tests look for models below the folder that they run in.
set(ns_test_data "${CMAKE_BINARY_DIR}/test_data")

# Adds a target that makes the models of tests/models/NAME.py.
function(ns_add_models name)
  if(TARGET ns_models_${name})
    return()
  endif()
  set(folder "${ns_test_data}/tests/models/${name}")
  ns_glob(scripts tests/models/*.py)
  list(TRANSFORM scripts PREPEND "${NS_ROOT}/")
  add_custom_command(
    OUTPUT "${folder}.stamp"
    COMMAND
      "${NS_PYTHON3}" -W ignore "${NS_ROOT}/tests/models/${name}.py"
      "--out=${folder}"
    COMMAND "${CMAKE_COMMAND}" -E touch "${folder}.stamp"
    DEPENDS ${scripts}
    COMMENT "Making the models of ${name}.py"
    VERBATIM
  )
  add_custom_target(ns_models_${name} DEPENDS "${folder}.stamp")
endfunction()

# Adds the tests in one folder; not those in folders below it.
function(ns_add_tests folder)
  file(
    GLOB sources RELATIVE "${NS_ROOT}" CONFIGURE_DEPENDS "${NS_ROOT}/${folder}/*.cc"
  )
  list(FILTER sources EXCLUDE REGEX "_main\\.cc$")
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  string(REPLACE "/" "_" target "${folder}")
  if(NOT tests)
    # Helpers alone, which tests of other folders use.
    return()
  endif()
  add_executable(${target} "${NS_ROOT}/tests/testing/main.cc")
  # CMake would compile executables with -fPIE, and so without the precompiled
  # headers.
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  ns_compile(${target} ns_test_headers ${sources})
  target_link_libraries(${target} PRIVATE ns_test_helpers ns_test_options)
  add_test(
    NAME ${folder} COMMAND ${target} WORKING_DIRECTORY "${ns_test_data}"
  )
  foreach(path IN LISTS sources)
    file(READ "${NS_ROOT}/${path}" text)
    foreach(models fx_cases dynamic_cases reference_quantized)
      if(text MATCHES "tests/testing/${models}\\.h|tests/models/${models}/")
        ns_add_models(${models})
        add_dependencies(${target} ns_models_${models})
      endif()
    endforeach()
    # A helper in another folder: "tests/passes/instrument/shadowed.h" has none.
    string(REGEX MATCHALL "\"tests/[^\"]+\\.h\"" headers "${text}")
    foreach(header IN LISTS headers)
      string(REGEX REPLACE "^\"(.+)\\.h\"$" "\\1.cc" helper "${header}")
      if(
        EXISTS "${NS_ROOT}/${helper}" AND
        NOT helper MATCHES "^(tests/testing|${folder})/"
      )
        target_sources(${target} PRIVATE "${NS_ROOT}/${helper}")
      endif()
    endforeach()
  endforeach()
endfunction()

file(MAKE_DIRECTORY "${ns_test_data}/tests/models")
foreach(folder IN LISTS NS_TESTS)
  if(NOT IS_DIRECTORY "${NS_ROOT}/${folder}")
    ns_stop("NS_TESTS: no folder ${folder}")
  endif()
  ns_glob(build_files ${folder}/BUILD)
  list(TRANSFORM build_files REPLACE "/BUILD$" "")
  foreach(package IN LISTS build_files)
    ns_add_tests(${package})
  endforeach()
endforeach()
