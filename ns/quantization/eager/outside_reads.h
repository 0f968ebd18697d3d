// Finds code that looks into other modules than its own.
#ifndef NS_QUANTIZATION_EAGER_OUTSIDE_READS_H_
#define NS_QUANTIZATION_EAGER_OUTSIDE_READS_H_

#include <torch/csrc/jit/api/module.h>

#include <map>
#include <string>

namespace ns {

// Code of the module at path `reader` reads the attribute `tensor`.
struct OutsideRead {
  std::string tensor;
  std::string reader;
};

// Returns the modules below `root` that have a tensor which a method or a
// forward hook of another module reads, by their paths, each with one such
// read. A torch.nn.TransformerEncoderLayer, for one, hands `linear1.weight` to
// an op:
//
//   {"encoder.linear1", {"weight", "encoder"}}
//
// A quantized module cannot take the place of linear1: it has no such tensor.
std::map<std::string, OutsideRead> TensorsReadOutside(
    const torch::jit::Module& root);

}  // namespace ns

#endif  // NS_QUANTIZATION_EAGER_OUTSIDE_READS_H_
