// State dicts, as torch.save(model.state_dict(), path) writes them.
#ifndef NS_EAGER_STATE_DICT_H_
#define NS_EAGER_STATE_DICT_H_

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace ns {

// One entry of a state dict that holds tensors, or packs some.
struct StateEntry {
  // "conv.weight", "fc._packed_params._packed_params".
  std::string key;
  // True for the parameters that a quantized module packs: a tuple (weight,
  // bias) or an object of a TorchScript class.
  bool is_packed = false;
  // Of an entry that is not packed, the tensor. Of one that is, its weight as
  // stored, quantized or not, or two of a recurrent layer's cell, w_ih and
  // w_hh; none of a class that is not known.
  std::vector<at::Tensor> values;
};

// In the order of the file. Entries of other kinds, such as dtypes, are left
// out.
using StateDict = std::vector<StateEntry>;

// Reads a file. Nothing in it is packed again: no quantized engine is needed,
// and the file may come from a PyTorch with another one than this.
//
// Safe on damaged files. Errors name the file: it cannot be read, was not
// written by torch.save, holds something else than a dict by strings, or holds
// no tensors.
absl::StatusOr<StateDict> LoadStateDict(const std::string& path);

// Whether LoadStateDict may read the file: it was written by torch.save and
// holds a dict by strings. False for TorchScript files.
bool HoldsStateDict(const std::string& path);

}  // namespace ns

#endif  // NS_EAGER_STATE_DICT_H_
