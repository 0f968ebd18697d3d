// Saves the values that a comparison sees as files.
#ifndef NS_SAVED_ACTIVATION_SAVER_H_
#define NS_SAVED_ACTIVATION_SAVER_H_

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "ns/saved/activation_files.h"
#include "passes/instrument/pair/pair_models.h"

namespace ns {

// Writes one file for each layer, batch and call (ns/saved/activation_files.h).
// It holds the tensors "float", "quantized" and "shadow" of the first output of
// the layer, and those of its other outputs with their names: "float_h_n",
// "quantized_h_n", "shadow_h_n". Tensors that are not compared are left out.
class ActivationSaver {
 public:
  // `files` is not owned and must outlive the saver.
  explicit ActivationSaver(ActivationFiles* files) : files_(files) {}
  // The comparers that it listens to hold its address.
  ActivationSaver(const ActivationSaver&) = delete;
  ActivationSaver& operator=(const ActivationSaver&) = delete;

  // Listens to the comparers of `layer`. The saver must outlive their runs.
  void Listen(const std::string& layer, const PairComparers& comparers);

  // Must be called after every batch. Error: that of the first file, of this
  // batch or an earlier one, that could not be written.
  absl::Status EndBatch();

 private:
  using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

  // The tensors of one file, as far as they have come by.
  struct Call {
    NamedTensors tensors;
    // How many comparers have come by.
    size_t seen = 0;
  };

  // Notes that one of the `comparers` comparers of `layer` has seen `x` and
  // `y`, which the file calls `x_name` and `y_name`.
  void See(const std::string& layer, const std::string& x_name,
           const std::string& y_name, const at::Tensor& x, const at::Tensor& y,
           int64_t call, size_t comparers);
  void Write(const std::string& layer, int64_t call,
             const NamedTensors& tensors);

  ActivationFiles* files_;
  int64_t batch_ = 0;
  // What waits for other comparers, by layer and call.
  std::map<std::pair<std::string, int64_t>, Call> waiting_;
  absl::Status status_;
};

}  // namespace ns

#endif  // NS_SAVED_ACTIVATION_SAVER_H_
