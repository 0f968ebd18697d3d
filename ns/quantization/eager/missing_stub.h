// Tells where a hierarchy lacks a stub.
#ifndef NS_QUANTIZATION_EAGER_MISSING_STUB_H_
#define NS_QUANTIZATION_EAGER_MISSING_STUB_H_

#include <string>

namespace torch::jit {
struct Graph;
}  // namespace torch::jit

namespace ns {

// Returns a sentence about the first module of a quantized hierarchy whose op
// takes only quantized values and is given a float one. `graph` is the flat
// graph of the hierarchy; its inputs are taken to be float.
//
//   module 'fc' (quantized::linear) is given values in float; put a QuantStub
//   before it, or let it stay float
//
// Empty when the graph does not tell of such a module. It is for a hierarchy
// that failed when it ran, as LibTorch's message names no module.
std::string DescribeMissingStub(const torch::jit::Graph& graph);

}  // namespace ns

#endif  // NS_QUANTIZATION_EAGER_MISSING_STUB_H_
