// Finds what attention masks make unfit for int8.
#ifndef PASSES_QUANTIZATION_MASKED_VALUES_H_
#define PASSES_QUANTIZATION_MASKED_VALUES_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "passes/quantization/calibrated_value.h"
#include "passes/quantization/prepared_model.h"

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

  // `layers` are those of a model that was calibrated; none otherwise. `find`
  // is kept.
  MaskedValues(const std::vector<PreparedLayer>& layers, Find find);

  // Returns a refusal with the reason for a layer that
  //  * gives a softmax, or is one and takes, infinite values or values whose
  //    steps are above 0.5: a factor of 1.65 in what the softmax gives; or
  //  * has no weight and takes or gives infinite values, as an add of a mask.
  absl::Status Check(const PreparedLayer& layer) const;

 private:
  bool HoldsInfinities(int64_t number) const;

  Find find_;
  // Why the values of an observer, by its number, are unfit.
  std::map<int64_t, std::string> reasons_;
};

}  // namespace ns

#endif  // PASSES_QUANTIZATION_MASKED_VALUES_H_
