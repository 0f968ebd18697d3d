// What a change of one layer gains, as it was measured.
#ifndef NS_RESULT_TRIED_CHANGE_H_
#define NS_RESULT_TRIED_CHANGE_H_

#include <cstdint>
#include <optional>
#include <string>

namespace ns {

// The scale and zero point of a tensor that is quantized as a whole.
struct LayerQParams {
  double scale = 0;
  int64_t zero_point = 0;
};

enum class ChangeKind {
  kRange,   // the output has another scale and zero point
  kWeight,  // the float weight is quantized anew, a scale for each channel
  kBias,    // the bias is the float one
};

// A change that was tried in one layer of the quantized model, with its kernel
// and on the inputs that it has there.
struct TriedChange {
  ChangeKind kind = ChangeKind::kRange;
  // Of kRange: what the output was quantized with in its place.
  std::optional<LayerQParams> qparams;
  // What the SQNR of the layer's shadow then is, in dB.
  double sqnr_db = 0;
};

// What an output of the model gains when one layer computes in float.
struct FloatGain {
  // The name of the output, as in ComparisonResult::model_outputs.
  std::string output;
  // Its SQNR in dB, before and with the layer in float.
  double before_db = 0;
  double after_db = 0;

  double GainDb() const { return after_db - before_db; }
};

}  // namespace ns

#endif  // NS_RESULT_TRIED_CHANGE_H_
