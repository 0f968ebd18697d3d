// Fits the predictions of a linear noise model to the error of one run.
#ifndef NS_SEARCH_NOISE_SCALE_H_
#define NS_SEARCH_NOISE_SCALE_H_

namespace ns {

// Maps the noise that a linear model predicts to the noise to expect. Noise is
// the power of the error divided by that of the output. Both are known of one
// model, in which all layers run in int8: the prediction, p, and the error of a
// run, n.
//
// Where n is small, predictions are multiplied by n / p. Where it is not, the
// linear model ends: an error grows no further than the values that it is in,
// as the range of the int8 values bounds them. The excess of p over n then
// says nothing about recipes with little noise, so that their predictions stay
// as they are, and those of the others approach a bound:
//
//   expected = predicted / (1 + predicted / bound)
//
// with the bound that maps p to n. In between, from n = 0 to n = 1/4 (6 dB),
// the power of n / p that predictions are multiplied by falls from 1 to 0.
class NoiseScale {
 public:
  // Leaves predictions as they are.
  NoiseScale() = default;

  // `predicted` is p and `measured` is n. Predictions stay as they are where
  // one of them is not positive and finite, and where they differ by a factor
  // of more than 16 although n is small: such a model is not linear at all. A p
  // that is less than n says nothing about a bound.
  NoiseScale(double predicted, double measured);

  // Returns the noise to expect, which rises with `predicted`. What is above
  // NoiseRows::kUnbounded stays as it is.
  double Expected(double predicted) const;

 private:
  double factor_ = 1;
  // 1 over the bound; 0 for none.
  double inverse_bound_ = 0;
};

}  // namespace ns

#endif  // NS_SEARCH_NOISE_SCALE_H_
