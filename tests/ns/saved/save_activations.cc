// Saves activations for activation_files_python_test.py, in the folder that is
// its argument.
#include <ATen/ATen.h>

#include <iostream>

#include "ir/base/status.h"
#include "ns/saved/activation_files.h"

namespace {

absl::Status Save(const char* directory) {
  NS_ASSIGN_OR_RETURN(ns::ActivationFiles files,
                      ns::ActivationFiles::Create({directory}));
  const at::Tensor x = at::arange(24, at::kFloat).reshape({2, 3, 4});
  NS_RETURN_IF_ERROR(files.Save(
      "layer1/conv", 3, 0,
      {{"float", x},
       {"quantized", at::quantize_per_tensor(x, 0.5, 3, at::kQUInt8)},
       {"shadow", x.transpose(1, 2)}}));
  NS_RETURN_IF_ERROR(files.Save(
      "channels", 0, 1,
      {{"int8", at::quantize_per_channel(x, at::arange(1, 4, at::kDouble),
                                         at::arange(3), 1, at::kQInt8)},
       {"view", at::quantize_per_tensor(x, 2.0, 0, at::kQInt32)[1]}}));
  return files.Save("dtypes", 0, 0,
                    {{"empty", at::empty({0, 3})},
                     {"scalar", at::scalar_tensor(2.5, at::kDouble)},
                     {"half", x.to(at::kHalf)},
                     {"long", at::arange(3)},
                     {"bool", x > 5},
                     {"grad", x.clone().requires_grad_()}});
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: save_activations DIRECTORY\n";
    return 2;
  }
  const absl::Status status = Save(argv[1]);
  if (!status.ok()) {
    std::cerr << status << "\n";
  }
  return status.ok() ? 0 : 1;
}
