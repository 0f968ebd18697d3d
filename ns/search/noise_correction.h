// Corrects the predicted noise of recipes by what was measured of some.
#ifndef NS_SEARCH_NOISE_CORRECTION_H_
#define NS_SEARCH_NOISE_CORRECTION_H_

#include <map>

namespace ns {

// Holds the predicted and the measured noise of some recipes (recipe_solver.h).
// Noise is the power of the error divided by that of the output. How wrong
// predictions are depends on how much noise there is. So between two measured
// recipes, the logarithm of the noise to expect is interpolated linearly over
// that of the predicted noise; below the lowest and above the highest
// prediction, the ratio of the two is that of the nearest recipe. Where a
// measured noise is less than that of a recipe with a lower prediction, it
// counts as equal to that: the noise to expect never falls where the prediction
// rises.
class NoiseCorrection {
 public:
  // Adds a recipe. It is ignored if one of the figures is not positive and
  // finite. The last one counts of those with the same prediction.
  void Add(double predicted, double measured);

  // Returns the noise to expect for `predicted`: `predicted` itself where no
  // recipe was added, and where it is not positive and finite.
  double Corrected(double predicted) const;

  // Returns the largest prediction for which no more than `noise` is to be
  // expected: `noise` itself in the same cases.
  double LimitFor(double noise) const;

 private:
  // Logarithms, by those of predictions.
  std::map<double, double> measured_;
  // The same, rising.
  std::map<double, double> rising_;
};

}  // namespace ns

#endif  // NS_SEARCH_NOISE_CORRECTION_H_
