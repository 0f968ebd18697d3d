// Reads arrays that NumPy's numpy.save wrote, as tensors.
#ifndef NS_BATCHES_NPY_FILE_H_
#define NS_BATCHES_NPY_FILE_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/input_file.h"
#include "ns/batches/npy_header.h"

namespace ns {

// A .npy file, whose header is in memory and whose elements are not. The file
// is open only while it is read, and must stay as it is. See ParseNpyHeader for
// the types that it can hold; each is read as it is, but truth values as uint8,
// and uint16 as int32 and uint32 as int64, which LibTorch 1.13 does not have.
//
// It is safe on damaged files. Errors: a phrase that continues "<path>: ".
class NpyFile {
 public:
  // Reads the header. Error: that of ParseNpyHeader; a file that cannot be
  // opened, or that has fewer or more bytes than its shape takes.
  static absl::StatusOr<NpyFile> Open(const std::string& path);

  // The sizes of the array; none for a single number.
  const std::vector<int64_t>& shape() const { return header_.shape; }

  // Reads all elements. Error: the file has changed since Open().
  absl::StatusOr<at::Tensor> Read() const;

  // Reads `count` indices of the first dimension from `begin` on, which the
  // shape has. In C order only their bytes are read; in Fortran order, where
  // they are all over the file, all of it is. Error: as Read().
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

}  // namespace ns

#endif  // NS_BATCHES_NPY_FILE_H_
