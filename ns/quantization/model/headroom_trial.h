// Says what a headroom of activations gains or costs.
#ifndef NS_QUANTIZATION_MODEL_HEADROOM_TRIAL_H_
#define NS_QUANTIZATION_MODEL_HEADROOM_TRIAL_H_

#include <cmath>
#include <cstdint>

namespace ns {

// What it does to models that have not seen the largest batch: see TryHeadroom
// in ns/quantization/try_headroom.h.
struct HeadroomTrial {
  // The number of that batch, from 0.
  int64_t batch = 0;
  // The headroom that was tried (ObserverConfig::headroom).
  double factor = 1;
  // The SQNR of the worst output over all batches, in dB.
  double without_db = 0;
  double with_db = 0;

  // Whether it is worth its cost. Steps that are `factor` times as wide cost 20
  // log10(factor) dB at most; half of that is paid for an output that larger
  // inputs do not clip, which may cost 20 dB.
  bool IsKept() const {
    return with_db >= without_db - 10 * std::log10(factor);
  }
};

}  // namespace ns

#endif  // NS_QUANTIZATION_MODEL_HEADROOM_TRIAL_H_
