// Parses the header of files that NumPy's numpy.save writes.
#ifndef NS_BATCHES_NPY_HEADER_H_
#define NS_BATCHES_NPY_HEADER_H_

#include <c10/core/ScalarType.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace ns {

// What is in front of the elements of an array in a .npy file.
struct NpyHeader {
  // The type of the elements in the file as LibTorch calls it, and its bytes.
  // Truth values are kByte. LibTorch 1.13 has no uint16 and uint32: those are
  // kShort and kInt, and `widen` says so.
  c10::ScalarType dtype = c10::kFloat;
  int64_t element_bytes = 4;
  // Whether elements are unsigned numbers that need the next larger type.
  bool widen = false;
  // As the header has it: "<f4".
  std::string descr;
  // Whether the first index runs fastest, as in Fortran, and not the last.
  bool fortran_order = false;
  // The sizes of the array; none for a single number.
  std::vector<int64_t> shape;
  // Where the elements start in the file, in bytes.
  int64_t data_offset = 0;

  // The bytes of all elements.
  int64_t DataBytes() const;
};

// What all such files begin with.
inline constexpr absl::string_view kNpyMagic = "\x93NUMPY";

// The most bytes that ParseNpyHeader needs of a file. NumPy itself refuses
// longer headers, unless told to trust a file.
inline constexpr size_t kMostNpyHeaderBytes = 12 + 10000;

// Parses the header at the start of `bytes`, the first kMostNpyHeaderBytes of a
// file or all of a shorter one. It reads versions 1 to 3 of the format
// (numpy.lib.format), and little-endian elements of these types: integers of 1
// to 8 bytes but for uint64, floats of 2 to 8 bytes, and truth values.
//
// It is safe on any bytes. Error, a phrase that continues "<path>: ": bytes
// that are not of this format, or are cut off; a header that is longer than
// NumPy's, or is no dict of descr, fortran_order and shape; a shape with a
// negative size, with more than 64 dimensions, or too large for any memory; and
// any other type, such as Python objects (which are pickled), uint64, complex
// or big-endian numbers, texts and records.
absl::StatusOr<NpyHeader> ParseNpyHeader(absl::string_view bytes);

}  // namespace ns

#endif  // NS_BATCHES_NPY_HEADER_H_
