# Finds LibTorch by its directories. find_package(Torch) would require the CUDA
# toolkit for a LibTorch that was built with it, and link all of CUDA.

# The prefix of Debian's packages. Tests set it to an empty directory.
set(NS_SYSTEM /usr CACHE PATH "Where packages of the system are")
mark_as_advanced(NS_SYSTEM)

# Sets `out` to the directory of the torch that python3 would import, or to "".
# Importing it would take seconds.
function(ns_python_torch out)
  set(${out} "" PARENT_SCOPE)
  find_program(NS_PYTHON3 python3)
  mark_as_advanced(NS_PYTHON3)
  if(NS_PYTHON3)
    execute_process(
      COMMAND "${NS_PYTHON3}" -c
        "import importlib.util as u; s = u.find_spec('torch'); print(list(s.submodule_search_locations)[0] if s else '')"
      OUTPUT_VARIABLE folder
      OUTPUT_STRIP_TRAILING_WHITESPACE
      ERROR_QUIET
    )
    # Debian's python3-torch only links to the files of libtorch-dev.
    if(NOT folder MATCHES "^/usr/lib/python3/")
      set(${out} "${folder}" PARENT_SCOPE)
    endif()
  endif()
endfunction()

# Looks for LibTorch in `home`, an unpacked LibTorch or the `torch` directory of a
# Python install, or in the system if `home` is "". Sets NS_TORCH_INCLUDE (a list
# of directories), NS_TORCH_LIB (a directory), NS_TORCH_VERSION, and
# NS_TORCH_ERROR, which is "" if it was found.
function(ns_look_for_libtorch home)
  set(NS_TORCH_ERROR "" PARENT_SCOPE)
  set(help "name an unpacked LibTorch or the torch folder of a Python install")
  if(home)
    set(include "${home}/include")
    set(name "LIBTORCH=${home}")
    set(places "${home}/lib" "${home}/lib64" "${home}/lib/x86_64-linux-gnu")
    if(NOT EXISTS "${include}/torch/csrc/jit/ir/ir.h")
      set(
        NS_TORCH_ERROR
        "${name} has no include/torch/csrc/jit/ir/ir.h; ${help}"
        PARENT_SCOPE
      )
      return()
    endif()
  else()
    set(include "${NS_SYSTEM}/include")
    set(name "LibTorch of the system")
    set(places ${NS_SYSTEM}/lib/x86_64-linux-gnu ${NS_SYSTEM}/lib64 ${NS_SYSTEM}/lib)
    if(NOT EXISTS "${include}/torch/csrc/jit/ir/ir.h")
      string(
        CONCAT error
        "no LibTorch found: python3 has no torch, and ${NS_SYSTEM}/include no "
        "torch/csrc/jit/ir/ir.h; pass -DLIBTORCH=DIR (${help}), or install it "
        "with: apt-get install libtorch-dev, or: pip install torch"
      )
      set(NS_TORCH_ERROR "${error}" PARENT_SCOPE)
      return()
    endif()
  endif()

  set(lib "")
  foreach(place IN LISTS places)
    if(EXISTS "${place}/libtorch_cpu.so" AND EXISTS "${place}/libc10.so")
      set(lib "${place}")
      break()
    endif()
  endforeach()
  if(NOT lib)
    set(
      NS_TORCH_ERROR
      "${name} has no lib/libtorch_cpu.so and lib/libc10.so; ${help}"
      PARENT_SCOPE
    )
    return()
  endif()

  set(version "")
  foreach(
    header torch/headeronly/version.h torch/csrc/api/include/torch/version.h
  )
    if(NOT version AND EXISTS "${include}/${header}")
      file(
        STRINGS "${include}/${header}" lines
        REGEX "define TORCH_VERSION_(MAJOR|MINOR|PATCH) [0-9]+"
      )
      string(REGEX REPLACE "[^0-9;]" "" lines "${lines}")
      string(REPLACE ";" "." version "${lines}")
    endif()
  endforeach()
  if(NOT version MATCHES "^[0-9]+\\.[0-9]+" OR version VERSION_LESS 1.13)
    if(NOT version)
      set(version "an unknown version")
    endif()
    set(
      NS_TORCH_ERROR
      "${name} is ${version}; use LibTorch 1.13 or later"
      PARENT_SCOPE
    )
    return()
  endif()

  # The mangled constructor of c10::Error names the kind of its std::string.
  file(
    STRINGS "${lib}/libc10.so" constructors
    REGEX "_ZN3c105ErrorC[12]ENS_14SourceLocationE" LIMIT_COUNT 8
  )
  if(constructors AND NOT constructors MATCHES "__cxx11")
    string(
      CONCAT error
      "${name} was built without the cxx11 ABI, abseil was built with it; use "
      "the cxx11-abi zip of pytorch.org, or a wheel of torch 2.7 or later"
    )
    set(NS_TORCH_ERROR "${error}" PARENT_SCOPE)
    return()
  endif()

  set(
    NS_TORCH_INCLUDE
    "${include}" "${include}/torch/csrc/api/include"
    PARENT_SCOPE
  )
  set(NS_TORCH_LIB "${lib}" PARENT_SCOPE)
  set(NS_TORCH_VERSION "${version}" PARENT_SCOPE)
endfunction()

# Defines the target ns::torch from what ns_look_for_libtorch found. libtorch.so
# is left out: it has no code, and would load the libraries of CUDA.
function(ns_add_torch_target)
  if(TARGET ns::torch)
    return()
  endif()
  add_library(ns::torch INTERFACE IMPORTED GLOBAL)
  set(include "${NS_TORCH_INCLUDE}")
  # The compiler searches it anyway; -isystem would change the order.
  list(REMOVE_ITEM include /usr/include)
  set_target_properties(
    ns::torch
    PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${include}"
    INTERFACE_LINK_LIBRARIES
    "${NS_TORCH_LIB}/libtorch_cpu.so;${NS_TORCH_LIB}/libc10.so"
  )
endfunction()
