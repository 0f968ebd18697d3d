// Finds attention weights whose rows one scale does not fit.
#ifndef PASSES_QUANTIZATION_CONVERT_ATTENTION_WEIGHTS_H_
#define PASSES_QUANTIZATION_CONVERT_ATTENTION_WEIGHTS_H_

#include <cstdint>
#include <functional>
#include <set>
#include <vector>

#include "absl/status/status.h"
#include "passes/quantization/convert/calibrated_value.h"
#include "passes/quantization/observe/prepared_model.h"

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

// Each row of what a softmax gives sums up to 1: a row that attends to one
// position holds a 1, and one that attends to 200 holds values near 0.005. With
// a causal mask there are both, and in int8 they share one scale. Where values
// are too small for its steps, the softmax and the product that takes them stay
// in float, but where observers are PyTorch's (ObserverConfig::compat).
class AttentionWeights {
 public:
  // Returns the answer of the observer with this number (PreparedLayer::inputs
  // and output); null where there is none.
  using Find = std::function<const CalibratedValue*(int64_t number)>;

  // `calls` are the calls of observers in the graph of a prepared model that
  // was calibrated, and `layers` those of its record. `find` is kept.
  AttentionWeights(const std::vector<torch::jit::Node*>& calls,
                   const std::vector<PreparedLayer>& layers, Find find);

  // Returns a refusal with the reason for a layer without a weight that takes
  // or gives what comes from a softmax and goes into a matmul, if rounding it
  // leaves less than 35 dB: 10 log10(mean(x^2) / (scale^2 / 12)) over values
  // that are not zero. OK where the observer keeps no histogram.
  absl::Status Check(const PreparedLayer& layer) const;

 private:
  Find find_;
  // The numbers of the observers that see such values.
  std::set<int64_t> numbers_;
};

}  // namespace ns

#endif  // PASSES_QUANTIZATION_CONVERT_ATTENTION_WEIGHTS_H_
