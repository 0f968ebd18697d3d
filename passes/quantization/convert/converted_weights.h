// Quantizes the weights of a prepared model, and corrects the biases beside
// them.
#ifndef PASSES_QUANTIZATION_CONVERT_CONVERTED_WEIGHTS_H_
#define PASSES_QUANTIZATION_CONVERT_CONVERTED_WEIGHTS_H_

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "passes/quantization/convert/conversion_cache.h"
#include "passes/quantization/convert/layer_corrections.h"
#include "passes/quantization/layers/quantization_report.h"
#include "passes/quantization/observe/prepared_model.h"

namespace torch::jit {
struct Graph;
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// Puts constants in the place of marked weights, for convert-observers. Layers
// are counted as in PreparedModel::layers.
//
//   %w1 = ns::observed_weight(%weight, 0)
// becomes
//   %quantized = prim::Constant[value=<Tensor>]()
//   %w1 = aten::dequantize(%quantized)
class ConvertedWeights {
 public:
  // All must outlive the object. `means` are AttachedMeans; `cache` quantizes.
  ConvertedWeights(torch::jit::Graph& graph, const PreparedModel& prepared,
                   const std::map<std::string, InputMeansPtr>& means,
                   const LayerCorrections& corrections, ConversionCache& cache)
      : graph_(graph),
        prepared_(prepared),
        means_(means),
        corrections_(corrections),
        cache_(cache) {}

  // Says that `mark` marks the weight of a layer.
  void AddMark(int64_t layer, torch::jit::Node* mark) { marks_[layer] = mark; }

  // Quantizes the weight of `layer`, if it has one that is to be: to what the
  // corrections have for it, or to the nearest integers. Error: a refusal for a
  // weight that cannot be quantized.
  absl::Status Quantize(size_t layer);

  // Returns the quantized weight of `layer`; null if Quantize made none.
  const at::Tensor* WeightOf(size_t layer) const;

  // Replaces all marks: those of layers that were not quantized by the weight
  // in float. Corrects the biases that the corrections name. Call it once.
  absl::Status Convert();

  // Adds to `described` what was done to the weight and bias of `layer`.
  void Describe(size_t layer, LayerQuantization& described) const;

 private:
  absl::Status ConvertMark(int64_t layer, torch::jit::Node* mark);
  absl::Status CorrectBias(int64_t layer, const torch::jit::Node& mark,
                           const at::Tensor& quantized);
  absl::StatusOr<at::Tensor> ShiftOf(int64_t layer,
                                     const torch::jit::Value& weight,
                                     const at::Tensor& quantized) const;

  torch::jit::Graph& graph_;
  const PreparedModel& prepared_;
  const std::map<std::string, InputMeansPtr>& means_;
  const LayerCorrections& corrections_;
  ConversionCache& cache_;
  std::map<int64_t, torch::jit::Node*> marks_;
  // The quantized weights, and their schemes.
  std::map<int64_t, std::pair<at::Tensor, at::QScheme>> weights_;
  // The layers whose bias was corrected.
  std::set<int64_t> corrected_;
};

}  // namespace ns

#endif  // PASSES_QUANTIZATION_CONVERT_CONVERTED_WEIGHTS_H_
