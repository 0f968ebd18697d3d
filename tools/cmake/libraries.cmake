# Finds abseil, isa-l and LLVM's containers.

# The libraries of tools/bazel/system.bzl. Only the first few are required, as
# abseil splits and merges the smaller ones from release to release.
set(NS_ABSEIL_NEEDED base status statusor strings raw_hash_set)
set(
  NS_ABSEIL_LIBRARIES
  ${NS_ABSEIL_NEEDED}
  raw_logging_internal
  throw_delegate
  hash
  city
  low_level_hash
  hashtablez_sampler
  str_format_internal
  string_view
  strings_internal
  int128
  cord
)

# Defines the target ns::abseil, or sets `error` to a message.
function(ns_add_abseil_target error)
  set(${error} "" PARENT_SCOPE)
  if(TARGET ns::abseil)
    return()
  endif()
  find_path(NS_ABSEIL_INCLUDE absl/status/statusor.h)
  set(found)
  foreach(name IN LISTS NS_ABSEIL_LIBRARIES)
    find_library(NS_ABSEIL_${name} absl_${name})
    mark_as_advanced(NS_ABSEIL_${name})
    if(NS_ABSEIL_${name})
      list(APPEND found "${NS_ABSEIL_${name}}")
    elseif(name IN_LIST NS_ABSEIL_NEEDED)
      set(NS_ABSEIL_INCLUDE NOTFOUND)
    endif()
  endforeach()
  mark_as_advanced(NS_ABSEIL_INCLUDE)
  if(NOT NS_ABSEIL_INCLUDE)
    unset(NS_ABSEIL_INCLUDE CACHE)
    set(
      ${error}
      "abseil not found; install it with: apt-get install libabsl-dev"
      PARENT_SCOPE
    )
    return()
  endif()
  add_library(ns::abseil INTERFACE IMPORTED GLOBAL)
  set_target_properties(
    ns::abseil PROPERTIES INTERFACE_LINK_LIBRARIES "${found}"
  )
  if(NOT NS_ABSEIL_INCLUDE STREQUAL /usr/include)
    set_target_properties(
      ns::abseil PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${NS_ABSEIL_INCLUDE}"
    )
  endif()
endfunction()

# Defines the target ns::isal, or sets `error` to a message.
function(ns_add_isal_target error)
  set(${error} "" PARENT_SCOPE)
  find_path(NS_ISAL_INCLUDE isa-l/igzip_lib.h)
  find_library(NS_ISAL isal)
  mark_as_advanced(NS_ISAL_INCLUDE NS_ISAL)
  if(NOT NS_ISAL_INCLUDE OR NOT NS_ISAL)
    set(
      ${error}
      "isa-l not found; install it with: apt-get install libisal-dev"
      PARENT_SCOPE
    )
    return()
  endif()
  add_library(ns::isal INTERFACE IMPORTED)
  set_target_properties(ns::isal PROPERTIES INTERFACE_LINK_LIBRARIES "${NS_ISAL}")
  if(NOT NS_ISAL_INCLUDE STREQUAL /usr/include)
    set_target_properties(
      ns::isal PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${NS_ISAL_INCLUDE}"
    )
  endif()
endfunction()

# Sets `out` to the terminal library that libLLVMSupport.a uses before LLVM 19, or
# to "". libtinfo.so is in a development package, libtinfo.so.6 on every machine.
function(ns_find_tinfo out)
  find_library(NS_TINFO NAMES tinfo libtinfo.so.6 libtinfo.so.5)
  mark_as_advanced(NS_TINFO)
  set(${out} "")
  if(NS_TINFO)
    set(${out} "${NS_TINFO}")
  endif()
  set(${out} "${${out}}" PARENT_SCOPE)
endfunction()

# Sets NS_LLVM_INCLUDE and NS_LLVM_LIB to the directories of an LLVM in
# CMAKE_PREFIX_PATH, or else of the newest one that is installed with headers and
# libLLVMSupport.a: Debian installs several side by side. If there is none, sets
# `error` to a message.
function(ns_find_llvm error)
  set(${error} "" PARENT_SCOPE)
  file(GLOB homes "${NS_SYSTEM}/lib/llvm-*")
  list(SORT homes COMPARE NATURAL ORDER DESCENDING)
  foreach(home IN LISTS CMAKE_PREFIX_PATH homes)
    if(
      EXISTS "${home}/include/llvm/ADT/DenseMap.h" AND
      EXISTS "${home}/include/llvm-c" AND
      EXISTS "${home}/lib/libLLVMSupport.a"
    )
      set(NS_LLVM_INCLUDE "${home}/include" PARENT_SCOPE)
      set(NS_LLVM_LIB "${home}/lib" PARENT_SCOPE)
      return()
    endif()
  endforeach()
  set(
    ${error}
    "LLVM's headers and libLLVMSupport.a not found; install them with: apt-get install llvm-dev"
    PARENT_SCOPE
  )
endfunction()
