# Copies headers to OUT/nspasses, for other projects to include them as
# "nspasses/ir/graph/pass.h". The copies are the same, byte for byte, as those of
# tools/bazel/umbrella.bzl.
#
#   cmake -D ROOT=. -D OUT=include -D "HEADERS=ir/graph/pass.h;..." \
#     -P prefix_headers.cmake
#
# LIST=FILE, a file with a path on each line, can replace HEADERS.
if(LIST)
  file(STRINGS "${LIST}" HEADERS)
endif()
foreach(header IN LISTS HEADERS)
  file(READ "${ROOT}/${header}" text)
  string(
    REGEX REPLACE
    "(^|\n)#include \"(ir|passes|ns|tests)/"
    "\\1#include \"nspasses/\\2/"
    text "${text}"
  )
  string(
    REGEX REPLACE
    "(^|\n)#(ifndef|define) ((IR|PASSES|NS|TESTS)_[A-Z0-9_]*_H_)"
    "\\1#\\2 NSPASSES_\\3"
    text "${text}"
  )
  file(WRITE "${OUT}/nspasses/${header}" "${text}")
endforeach()
