// What a comparison of two models found, as plain data: what the table, JSON
// and CSV are written from.
#ifndef NS_COMPARISON_RESULT_H_
#define NS_COMPARISON_RESULT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns {

// How far a quantized tensor y is from its float original x. Ratios are over
// all elements of all batches, from sums in float64.
struct ErrorFigures {
  // 20 log10(|x| / |x - y|), in dB. +inf for equal tensors, nan for 0/0.
  double sqnr_db = 0;
  // |x - y| / |x|.
  double normalized_l2 = 0;
  // x . y / (|x| |y|).
  double cosine = 0;
  // max |x - y|.
  double max_abs_error = 0;
};

struct WeightComparison {
  // "weight", or "weight_ih_l0", "weight_hh_l0", ... of recurrent layers.
  std::string name;
  std::vector<int64_t> shape;
  ErrorFigures error;
};

struct ActivationComparison {
  // Of the first batch.
  std::vector<int64_t> shape;
  ErrorFigures error;
  // One entry for each batch in which both models came by.
  std::vector<double> batch_sqnr_db;
  // For ops inside a loop: SQNR of the first, second, ... trip over all
  // batches. Empty elsewhere.
  std::vector<double> trip_sqnr_db;
};

// One model's side of a matched pair.
struct LayerSide {
  // Module path; see INTERFACE: for function-style ops, the path of the module
  // whose code calls them.
  std::string fqn;
  // The name was inferred from the other model: this one has no names.
  bool fqn_inferred = false;
  // The base op, "aten::conv2d". Empty for the float side of a quantize point
  // on a graph input.
  std::string op;
  // Ops of the subgraph in order, the base op among them.
  std::vector<std::string> subgraph;
};

struct LayerComparison {
  // Unique among the layers.
  std::string name;
  LayerSide float_side;
  LayerSide quantized_side;
  // Which output was logged, for ops with several. Empty for others.
  std::string output;
  std::vector<WeightComparison> weights;
  std::optional<ActivationComparison> activation;
  std::optional<ActivationComparison> shadow;
};

struct UnmatchedNode {
  // "float" or "quantized".
  std::string model;
  std::string fqn;
  std::string op;
  std::string reason;
};

struct NotShadowed {
  std::string name;
  std::string reason;
};

// A quantized module and the float module that ran beside it, on its inputs.
struct StubComparison {
  // The module's path.
  std::string name;
  // Qualified types of the modules.
  std::string float_type;
  std::string quantized_type;
  // Of the modules' output, or the first tensor in it.
  ActivationComparison figures;
};

struct ComparisonResult {
  // As the user gave them.
  std::string float_path;
  std::string quantized_path;
  // "aligned" or "strict".
  std::string matching;
  // Batches run; 0 when only weights were compared.
  int64_t batches = 0;
  // In order of execution of the quantized model.
  std::vector<LayerComparison> layers;
  std::vector<UnmatchedNode> unmatched;
  std::vector<NotShadowed> not_shadowed;
  // Whole modules, in order of execution; absent when they were not asked for.
  std::optional<std::vector<StubComparison>> stubs;
  // For the user's eyes: one line each.
  std::vector<std::string> warnings;
  // Whether activations (or shadows) were asked for, so that a table knows its
  // columns even when no layer has them.
  bool has_activations = false;
  bool has_shadows = false;
};

}  // namespace ns

#endif  // NS_COMPARISON_RESULT_H_
