// Finds what attention masks make unfit for int8.
#ifndef PASSES_QUANTIZATION_MASKED_VALUES_H_
#define PASSES_QUANTIZATION_MASKED_VALUES_H_

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "passes/quantization/calibrated_value.h"
#include "passes/quantization/prepared_model.h"

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

// Scores that a softmax must not see hold -inf or numbers such as -1e9, from a
// mask that was added to them or filled in. In int8 the first become the
// smallest finite score, so that masked positions count, and the second make
// steps so large that all other scores are the same. Layers with such values
// stay in float, but where observers are PyTorch's (ObserverConfig::compat).
class MaskedValues {
 public:
  // Returns the answer of the observer with this number (PreparedLayer::inputs
  // and output); null where there is none.
  using Find = std::function<const CalibratedValue*(int64_t number)>;

  // `calls` are the calls of observers in the graph of a prepared model that
  // was calibrated. Those whose values come to a softmax are noted: as they
  // are, cast, moved, clamped, with some filled in or chosen, or multiplied and
  // added up. `find` is kept.
  MaskedValues(const std::vector<torch::jit::Node*>& calls, Find find);

  // Returns a refusal with the reason for a softmax that takes, and a layer
  // without a weight that gives one, infinite values or values whose steps are
  // above 0.5: a factor of 1.65 in what the softmax gives.
  absl::Status Check(const PreparedLayer& layer) const;

 private:
  // Why the values of an observer are unfit for a softmax; OK if they are not.
  absl::Status CheckScores(int64_t number) const;

  Find find_;
  // The attributes of observers whose values come to a softmax.
  std::set<std::string> scores_;
};

}  // namespace ns

#endif  // PASSES_QUANTIZATION_MASKED_VALUES_H_
