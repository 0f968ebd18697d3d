// Makes the headers of .npy files as NumPy writes them, for tests.
#ifndef TESTS_NS_BATCHES_NPY_TEXT_H_
#define TESTS_NS_BATCHES_NPY_TEXT_H_

#include <cstddef>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace ns {

// Returns the dict of a header: `descr` is "<f4", `shape` is "(2, 3)".
inline std::string NpyDict(absl::string_view descr, absl::string_view shape,
                           bool fortran_order = false) {
  return absl::StrCat("{'descr': '", descr,
                      "', 'fortran_order': ", fortran_order ? "True" : "False",
                      ", 'shape': ", shape, ", }");
}

// Returns a header of format `version`, from the magic bytes to the end of
// `dict`. Spaces behind `dict` make it a multiple of 64 bytes long.
inline std::string NpyHeaderText(std::string dict, int version = 1) {
  const size_t width = version == 1 ? 2 : 4;
  while ((8 + width + dict.size() + 1) % 64 != 0) {
    dict.push_back(' ');
  }
  dict.push_back('\n');
  std::string header("\x93NUMPY");
  header.push_back(static_cast<char>(version));
  header.push_back('\0');
  for (size_t i = 0; i < width; ++i) {
    header.push_back(static_cast<char>(dict.size() >> (8 * i) & 0xff));
  }
  return header + dict;
}

}  // namespace ns

#endif  // TESTS_NS_BATCHES_NPY_TEXT_H_
