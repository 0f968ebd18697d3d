// Computes minima and maxima that are nan as soon as one value is.
#ifndef PASSES_RUNTIME_STATISTICS_PAIR_EXTREMES_H_
#define PASSES_RUNTIME_STATISTICS_PAIR_EXTREMES_H_

namespace ns {

// Returns the larger one, or nan when one is nan. std::max may drop a nan.
inline double MaxOrNan(double current, double candidate) {
  return (candidate > current || candidate != candidate) ? candidate : current;
}

// Returns the smaller one, or nan when one is nan.
inline double MinOrNan(double current, double candidate) {
  return (candidate < current || candidate != candidate) ? candidate : current;
}

}  // namespace ns

#endif  // PASSES_RUNTIME_STATISTICS_PAIR_EXTREMES_H_
