// Writes the activations of a run as files, to be looked at in Python.
#ifndef NS_SAVED_ACTIVATION_FILES_H_
#define NS_SAVED_ACTIVATION_FILES_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace ns {

// Keeps tensors of a run as files, one for each layer, batch and call, within a
// budget of disk space:
//
//   DIRECTORY/layer1.0.conv1/batch_0003.pt            first call
//   DIRECTORY/layer1.0.conv1/batch_0003_call_0001.pt  second call
//
// Each is a dict from name to tensor that Python's torch.load reads; quantized
// tensors stay quantized. The folder of a layer is LayerFolder() of its name.
// An empty file .ns_activations marks the directory as one that a later run may
// replace.
class ActivationFiles {
 public:
  struct Options {
    std::string directory;
    // The most that all files together may take.
    int64_t budget_bytes = int64_t{1} << 30;
  };

  // Makes the directory, and those above it, where there is none. One that an
  // earlier run filled is cleared of that run's files: call it when the models
  // are about to run. Other files in it stay.
  //
  // Error, naming the directory: it cannot be made or written to, is a file, or
  // is neither empty nor of an earlier run.
  static absl::StatusOr<ActivationFiles> Create(const Options& options);

  // Writes named tensors of call `call` of `layer` in batch `batch`, both
  // counted from 0; once for each of these. A tensor that is not defined is
  // left out. When they do not fit what is left of the budget, the file is left
  // out as a whole; a smaller one may fit later.
  //
  // The file appears whole or not at all. Error, naming it: it cannot be
  // written.
  absl::Status Save(
      const std::string& layer, int64_t batch, int64_t call,
      const std::vector<std::pair<std::string, at::Tensor>>& tensors);

  // Bytes of all files so far, never more than the budget.
  int64_t bytes_written() const { return bytes_written_; }

  // How many files did not fit.
  int64_t files_left_out() const { return files_left_out_; }

 private:
  explicit ActivationFiles(Options options) : options_(std::move(options)) {}

  Options options_;
  int64_t bytes_written_ = 0;
  int64_t files_left_out_ = 0;
};

// `layer` as the name of a folder: letters, digits and "._-@" stay, other bytes
// become %XX, as does a dot at the start. Python's urllib.parse.unquote gives
// the name back, but for two: the empty one is "%", and what would be longer
// than 200 bytes is cut and ends in "%~" and a hash of all of it. Different
// layers have different folders.
std::string LayerFolder(absl::string_view layer);

// "batch_0003", or "batch_0003_call_0001" for another call than the first: what
// the file of a batch is called in that folder, without an extension.
std::string ActivationFileStem(int64_t batch, int64_t call);

}  // namespace ns

#endif  // NS_SAVED_ACTIVATION_FILES_H_
