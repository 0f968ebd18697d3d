// Finds the quantized tensor that a dequantized tensor was made from.
#ifndef PASSES_LOWERING_FOLD_QUANTIZED_BEHIND_H_
#define PASSES_LOWERING_FOLD_QUANTIZED_BEHIND_H_

#include "passes/analysis/value_facts.h"

namespace torch::jit {
struct Value;
}  // namespace torch::jit

namespace ns {

// Returns the input of the aten::dequantize that gives `value`. Null when
// `value` is not the output of an aten::dequantize, and when the qparams of the
// input are not surely known (ValueFacts::Sure).
torch::jit::Value* QuantizedBehind(const ValueFacts& facts,
                                   const torch::jit::Value& value);

}  // namespace ns

#endif  // PASSES_LOWERING_FOLD_QUANTIZED_BEHIND_H_
