// Holds how far two models agree on the classes of samples, as plain data.
#ifndef NS_RESULT_CLASS_AGREEMENT_H_
#define NS_RESULT_CLASS_AGREEMENT_H_

#include <cstdint>
#include <optional>

namespace ns {

// Needs no labels: the classes of the float model stand for them. Shares are of
// all samples, 0 to 1.
struct ClassAgreement {
  int64_t samples = 0;
  int64_t classes = 0;
  // How many samples the models put into different classes.
  int64_t flipped = 0;
  // The share of samples that both models put into the same class.
  double top1 = 0;
  // The share of samples whose class in the float model is among the five
  // classes with the greatest scores in the quantized model. Absent where there
  // are no more than five classes.
  std::optional<double> top5;
  // Confidence is the greatest probability of a sample: that of softmax, or the
  // score itself where the float model returns probabilities. These are its
  // means over samples, and quantized minus float; nan where a score is nan.
  double float_confidence = 0;
  double quantized_confidence = 0;
  double confidence_drift = 0;
};

}  // namespace ns

#endif  // NS_RESULT_CLASS_AGREEMENT_H_
