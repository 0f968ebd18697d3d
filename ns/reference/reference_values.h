// Reads the values of one layer that another runtime, a device or an earlier
// run saved, in the order in which the layer runs.
#ifndef NS_REFERENCE_REFERENCE_VALUES_H_
#define NS_REFERENCE_REFERENCE_VALUES_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace ns {

// What is asked for: a tensor that the quantized model made.
struct ReferencePlace {
  // The number of the batch, from 0.
  int64_t batch = 0;
  // The call of the layer in this batch, from 0.
  int64_t call = 0;
  // The name of the output; empty for the first one.
  std::string output;
  // The shape of the tensor.
  std::vector<int64_t> shape;
};

// A value, or why there is none.
struct ReferenceValue {
  // Not defined where there is none; else of the shape that was asked for.
  at::Tensor tensor;
  // Why there is no value, a phrase that names the file: "out/conv.npy has the
  // shape [2, 4] and the quantized model gives [2, 8]". Empty where there is a
  // value. Empty, too, where an output other than the first was asked for and
  // nothing was saved for it.
  std::string missing;
};

// The values of one layer. Errors name the file: it cannot be read, is damaged,
// or holds something other than values.
class ReferenceValues {
 public:
  virtual ~ReferenceValues() = default;

  // Returns the value at `place`. Ask once for each call's first output, in the
  // order in which the layer ran: files with several calls are read from front
  // to back. Other outputs may be asked for in any order.
  virtual absl::StatusOr<ReferenceValue> Read(const ReferencePlace& place) = 0;

  // After the run: the saved values that were never asked for, as a phrase, "12
  // rows of out/conv.npy"; empty where there are none.
  virtual std::string Rest() const = 0;
};

// Opens the folder of a layer, with a file for each batch and call. The file of
// call 0 of batch 3 is batch_0003.pt, that of call 1 batch_0003_call_0001.pt
// (ActivationFileStem), or either with .npy. A .npy holds the layer's first
// output; a .pt holds that, or a dict as --save-activations writes it: "float"
// is the first output, and "float_h_n" the one called h_n. Error: the folder
// cannot be read, or one call has two files.
absl::StatusOr<std::unique_ptr<ReferenceValues>> OpenReferenceFolder(
    const std::string& path);

// Opens a file of torch.save with the values of all calls: a list of a tensor
// for each, read one by one; or one tensor of all, concatenated along the first
// dimension, which stays in memory. Of the first output only. Where too few
// rows of a concatenated tensor are left for a call, no later call has a value.
absl::StatusOr<std::unique_ptr<ReferenceValues>> OpenReferenceTorchSave(
    const std::string& path);

// Opens a .npy file with the values of all calls, concatenated along the first
// dimension, of which one is in memory at a time. Of the first output only, and
// up to the first call that too few rows are left for.
absl::StatusOr<std::unique_ptr<ReferenceValues>> OpenReferenceArray(
    const std::string& path);

}  // namespace ns

#endif  // NS_REFERENCE_REFERENCE_VALUES_H_
