// Loads state dicts that torch.save(model.state_dict(), path) has written.
#ifndef NS_EAGER_STATE_DICT_H_
#define NS_EAGER_STATE_DICT_H_

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace ns {

// One entry of a state dict: a tensor, or the packed parameters of a quantized
// module.
struct StateEntry {
  // The entry's name: "conv.weight", "fc._packed_params._packed_params".
  std::string key;
  // True for packed parameters: a tuple that starts with a tensor, (weight,
  // bias), or an object of a TorchScript class.
  bool is_packed = false;
  // Not packed: the one tensor. Packed: the weight as it was stored, of a
  // quantized dtype or not, without the bias; two tensors, w_ih and w_hh, for
  // the cell of a recurrent layer; none for a class that is not known.
  std::vector<at::Tensor> values;
};

// The entries in the order of the file. Those that are neither tensors with
// dense values nor packed parameters are left out: dtypes, sparse tensors,
// tensors on the device "meta".
using StateDict = std::vector<StateEntry>;

// Reads a file. Packed parameters are only taken apart, never packed again: so
// no quantized engine is needed, and the file may come from a PyTorch with
// another one.
//
// It is safe on damaged files. Errors name the file: it cannot be read, was not
// written by torch.save, holds something other than a dict with string keys,
// holds no such tensors, or holds one that cannot be read.
absl::StatusOr<StateDict> LoadStateDict(const std::string& path);

// Whether the file was written by torch.save and holds a dict with string keys;
// LoadStateDict may still fail on what is in the dict. False for TorchScript
// files, and for files that cannot be read.
bool HoldsStateDict(const std::string& path);

}  // namespace ns

#endif  // NS_EAGER_STATE_DICT_H_
