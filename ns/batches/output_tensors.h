// Finds the tensors in what a model returns.
#ifndef NS_BATCHES_OUTPUT_TENSORS_H_
#define NS_BATCHES_OUTPUT_TENSORS_H_

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <string>
#include <utility>
#include <vector>

namespace ns {

// Tensors, each with its place in what a model returns.
using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

// Returns all tensors in `value`, in order, each with the place where it is:
// "output" for the value itself, "output[1]" in a tuple or list,
// "output.logits" in a named tuple, "output['logits']" in a dict, and so on
// inwards. Undefined tensors, and those inside objects, are left out.
NamedTensors OutputTensors(const c10::IValue& value);

// Returns only the tensors of a floating point dtype; quantized ones have none.
NamedTensors FloatOutputs(const c10::IValue& value);

// The tensors of one place in what two models return. That of a model which
// returns none there is undefined.
struct OutputPair {
  std::string place;
  at::Tensor of_float;
  at::Tensor of_quantized;
};

// Returns all places in the order of `of_quantized`, and behind them those that
// the float model alone has.
std::vector<OutputPair> PairByPlace(const NamedTensors& of_float,
                                    const NamedTensors& of_quantized);

// Returns copies, to be kept when the model runs again: it may have returned a
// buffer of its own, which the next run overwrites.
NamedTensors CopiesOf(const NamedTensors& tensors);

}  // namespace ns

#endif  // NS_BATCHES_OUTPUT_TENSORS_H_
