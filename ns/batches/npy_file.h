// Reads arrays that NumPy's numpy.save wrote, as tensors.
#ifndef NS_BATCHES_NPY_FILE_H_
#define NS_BATCHES_NPY_FILE_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/files/input_file.h"
#include "ns/batches/npy_header.h"

namespace ns {

// A .npy file. Open reads the header only; elements are read when they are
// asked for. The file is open only during these calls, and must not be written
// to until the last of them. ParseNpyHeader says which types of elements are
// read. Tensors have the same type, with three exceptions: bool is read as
// uint8; uint16 and uint32, which LibTorch 1.13 does not have, are read as
// int32 and int64.
//
// Damaged files give errors, and do no harm. Errors are phrases that continue
// "<path>: ".
class NpyFile {
 public:
  // Whether the file begins as those of numpy.save do.
  static bool IsOne(const InputFile& file);

  // Reads the header. Error: that of ParseNpyHeader; a file that cannot be
  // opened, or that has fewer or more bytes than its shape takes.
  static absl::StatusOr<NpyFile> Open(const std::string& path);

  // The sizes of the array; none for a single number.
  const std::vector<int64_t>& shape() const { return header_.shape; }

  // Reads all elements. Error: the file cannot be read, or has changed between
  // Open() and the end of this call, as its size and its time of writing tell.
  absl::StatusOr<at::Tensor> Read() const;

  // Reads array[begin:begin + count]. The array must have a first dimension,
  // and that these indices. An array in C order is read in that part only; one
  // in Fortran order is read as a whole, since a row is spread over all of it.
  // Error: as Read().
  absl::StatusOr<at::Tensor> ReadRows(int64_t begin, int64_t count) const;

 private:
  NpyFile(std::string path, const InputFile::Identity& identity,
          NpyHeader header)
      : path_(std::move(path)),
        identity_(identity),
        header_(std::move(header)) {}

  // Reads elements in a row, from byte `begin` of the array on.
  absl::StatusOr<at::Tensor> ReadElements(
      int64_t begin, const std::vector<int64_t>& sizes) const;

  std::string path_;
  InputFile::Identity identity_;
  NpyHeader header_;
};

// Returns the array of a whole .npy file that is in memory. Errors are those of
// NpyFile.
absl::StatusOr<at::Tensor> ParseNpy(absl::string_view bytes);

}  // namespace ns

#endif  // NS_BATCHES_NPY_FILE_H_
