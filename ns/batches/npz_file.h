// Reads archives of arrays that NumPy's numpy.savez wrote, as tensors.
#ifndef NS_BATCHES_NPZ_FILE_H_
#define NS_BATCHES_NPZ_FILE_H_

#include <ATen/core/Tensor.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/files/archive_records.h"
#include "ir/files/input_file.h"

namespace ns {

// A .npz file, of numpy.savez or numpy.savez_compressed. Open reads its
// directory only; arrays are read when they are asked for. Types of elements
// are those of NpyFile. Damaged files give errors, and do no harm. Errors are
// phrases that continue "<path>: ".
class NpzFile {
 public:
  // Whether the file is an archive of .npy entries, and of nothing else.
  static bool IsOne(const InputFile& file);

  // Error: no archive of arrays, or two arrays of one name.
  static absl::StatusOr<NpzFile> Open(const std::string& path);

  // An array and its name: "arr_0" where numpy.savez was given none.
  using NamedArray = std::pair<std::string, at::Tensor>;

  // Reads all arrays, in their order in the file. Error, with the array's name:
  // one that cannot be read, or is of a type that is not read; or the file has
  // changed since Open().
  absl::StatusOr<std::vector<NamedArray>> Read() const;

 private:
  std::string path_;
  InputFile::Identity identity_;
  std::vector<std::pair<std::string, ArchiveRecord>> records_;
};

}  // namespace ns

#endif  // NS_BATCHES_NPZ_FILE_H_
