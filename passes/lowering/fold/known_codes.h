// Which values of a graph are codes, and how they are to be read.
#ifndef PASSES_LOWERING_FOLD_KNOWN_CODES_H_
#define PASSES_LOWERING_FOLD_KNOWN_CODES_H_

#include <c10/core/ScalarType.h>

#include <cstdint>
#include <optional>

#include "absl/container/flat_hash_map.h"

namespace torch::jit {
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// The parameters of a tensor that is quantized per tensor. Each of the two
// numbers is constant, or a value of the graph: a number, or a tensor of one
// element.
struct CodeParameters {
  std::optional<double> scale;
  torch::jit::Value* scale_value = nullptr;
  std::optional<int64_t> zero_point;
  torch::jit::Value* zero_point_value = nullptr;
  c10::ScalarType dtype = c10::ScalarType::QUInt8;

  // True when the two are certainly the same, whenever the graph runs.
  bool Equals(const CodeParameters& other) const;
};

// What an aten::quantize_per_tensor quantizes with; none when its dtype is not
// constant.
std::optional<CodeParameters> ParametersOfQuantize(
    const torch::jit::Node& quantize);

// What is known of the values of a graph, node by node in order of execution.
//
// Unlike QuantizationParametersOf (shadow_casts.h), which guesses where only a
// run tells, this knows nothing of graph inputs, of what loops hand on and of
// ops that it has no rule for: a rewrite must be sure.
class KnownCodes {
 public:
  // Learns about the outputs of `node` from its inputs and, of a prim::If, from
  // what its arms give, which must have been learnt before.
  void Learn(const torch::jit::Node& node);

  // Says that `value` has codes with `parameters`.
  void Set(const torch::jit::Value* value, const CodeParameters& parameters);

  // The parameters of `value`: one that was learnt, or a quantized constant.
  std::optional<CodeParameters> Find(const torch::jit::Value& value) const;

  // The codes that `value`, the output of an aten::dequantize, is made of; null
  // for other values, and where codes are not known.
  torch::jit::Value* CodesBehind(const torch::jit::Value& value) const;

 private:
  // Of a list whose elements all have the same parameters.
  void LearnList(const torch::jit::Node& node);
  // Of what both arms quantize with the same parameters.
  void LearnIf(const torch::jit::Node& node);

  absl::flat_hash_map<const torch::jit::Value*, CodeParameters> parameters_;
};

}  // namespace ns

#endif  // PASSES_LOWERING_FOLD_KNOWN_CODES_H_
