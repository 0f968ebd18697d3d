// Finds what attention masks make unfit for int8.
#ifndef PASSES_QUANTIZATION_CONVERT_MASKED_VALUES_H_
#define PASSES_QUANTIZATION_CONVERT_MASKED_VALUES_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "passes/quantization/convert/calibrated_value.h"
#include "passes/quantization/observe/prepared_model.h"

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

// Scores that a softmax must not see hold -inf or numbers such as -1e9, from a
// mask that was added to them or filled in. In int8 the first become the
// smallest finite score, so that masked positions count, and the second make
// steps larger, in which the other scores become alike. Layers with such values
// stay in float, but where observers are PyTorch's (ObserverConfig::compat).
class MaskedValues {
 public:
  // Returns the answer of the observer with this number (PreparedLayer::inputs
  // and output); null where there is none.
  using Find = std::function<const CalibratedValue*(int64_t number)>;

  // `calls` are the calls of observers in the graph of a prepared model that
  // was calibrated. Those whose values have a ScoreReader (score_readers.h) are
  // noted. `find` is kept.
  MaskedValues(const std::vector<torch::jit::Node*>& calls, Find find);

  // Returns a refusal with the reason for
  //   * an op that takes exponentials of its input, and a layer without a
  //     weight that gives such an op its input, where some values are infinite
  //     or masked (MaskedScoresOf in score_mask.h), or their steps are above
  //     0.5 (a factor of 1.65 in the exponentials);
  //   * another layer without a weight that gives values some of which are
  //     infinite, unless inputs of the model hold infinities that are no mask,
  //     which are then taken for bad data; or some of which are masked, if all
  //     others are within 4 steps.
  absl::Status Check(const PreparedLayer& layer) const;

 private:
  absl::Status CheckScores(const CalibratedValue& scores,
                           const std::string& reader) const;
  // Why the values of an observer are unfit for what uses them; OK if they are
  // not.
  absl::Status CheckValues(int64_t number) const;

  Find find_;
  // The ops that take exponentials, by the attribute of the observer that sees
  // their scores.
  std::map<std::string, std::string> readers_;
  bool has_bad_inputs_ = false;
};

}  // namespace ns

#endif  // PASSES_QUANTIZATION_CONVERT_MASKED_VALUES_H_
