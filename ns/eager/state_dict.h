// Loads state dicts as torch.save(model.state_dict(), path) writes them.
#ifndef NS_EAGER_STATE_DICT_H_
#define NS_EAGER_STATE_DICT_H_

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace ns {

// One entry of a state dict that holds a tensor, or packs some.
struct StateEntry {
  // The entry's name: "conv.weight", "fc._packed_params._packed_params".
  std::string key;
  // True for the parameters that a quantized module packs: a tuple (weight,
  // bias) or an object of a TorchScript class.
  bool is_packed = false;
  // The tensor of an entry that is not packed. For a packed entry, its weight
  // as stored, quantized or not, or w_ih and w_hh for a recurrent layer's cell;
  // empty for an unknown class.
  std::vector<at::Tensor> values;
};

// The entries in the order of the file. Entries of other kinds, such as dtypes,
// are left out.
using StateDict = std::vector<StateEntry>;

// Reads a file. Nothing in it is packed again: no quantized engine is needed,
// and the file may come from a PyTorch with another engine than this one.
//
// It is safe on damaged files. Errors name the file: it cannot be read, was not
// written by torch.save, holds something other than a dict with string keys, or
// holds no tensors.
absl::StatusOr<StateDict> LoadStateDict(const std::string& path);

// Whether LoadStateDict may read the file: it was written by torch.save and
// holds a dict with string keys. False for TorchScript files.
bool HoldsStateDict(const std::string& path);

}  // namespace ns

#endif  // NS_EAGER_STATE_DICT_H_
