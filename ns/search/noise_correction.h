// Corrects predictions of noise by what was measured.
#ifndef NS_SEARCH_NOISE_CORRECTION_H_
#define NS_SEARCH_NOISE_CORRECTION_H_

#include <map>

namespace ns {

// Holds the predicted and the measured noise of some recipes, powers over that
// of the output. By how much predictions are wrong depends on how much noise
// there is: a recipe's is corrected as those are whose noise is next to it. The
// logarithm of the measured noise is taken for linear in that of the predicted
// one between two recipes, and for shifted by the same beyond them; it never
// falls where the predicted one rises.
class NoiseCorrection {
 public:
  // Figures that are 0, infinite or nan say nothing.
  void Add(double predicted, double measured);

  // What noise is to be expected for `predicted`; just that before Add.
  double Corrected(double predicted) const;

  // The largest prediction for which no more than `noise` is to be expected.
  double LimitFor(double noise) const;

 private:
  // Logarithms, by those of predictions.
  std::map<double, double> measured_;
  // The same, rising.
  std::map<double, double> rising_;
};

}  // namespace ns

#endif  // NS_SEARCH_NOISE_CORRECTION_H_
