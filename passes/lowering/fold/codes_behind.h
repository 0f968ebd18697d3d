// What a dequantized tensor was before.
#ifndef PASSES_LOWERING_FOLD_CODES_BEHIND_H_
#define PASSES_LOWERING_FOLD_CODES_BEHIND_H_

#include "passes/analysis/value_facts.h"

namespace torch::jit {
struct Value;
}  // namespace torch::jit

namespace ns {

// The quantized tensor that `value`, the output of an aten::dequantize, is made
// of; null for other values, and where its qparams are not surely known.
torch::jit::Value* CodesBehind(const ValueFacts& facts,
                               const torch::jit::Value& value);

}  // namespace ns

#endif  // PASSES_LOWERING_FOLD_CODES_BEHIND_H_
