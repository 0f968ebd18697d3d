#include "ns/search/noise_correction.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace ns {
namespace {

bool SaysSomething(double noise) { return std::isfinite(noise) && noise > 0; }

}  // namespace

void NoiseCorrection::Add(double predicted, double measured) {
  if (!SaysSomething(predicted) || !SaysSomething(measured)) {
    return;
  }
  measured_[std::log(predicted)] = std::log(measured);
  double largest = -std::numeric_limits<double>::infinity();
  for (const auto& [prediction, noise] : measured_) {
    largest = std::max(largest, noise);
    rising_[prediction] = largest;
  }
}

double NoiseCorrection::Corrected(double predicted) const {
  if (rising_.empty() || !SaysSomething(predicted)) {
    return predicted;
  }
  const double prediction = std::log(predicted);
  const auto above = rising_.lower_bound(prediction);
  if (above == rising_.begin() || above == rising_.end()) {
    const auto [x, y] =
        above == rising_.end() ? *std::prev(above) : *rising_.begin();
    return std::exp(prediction + y - x);
  }
  const auto [x0, y0] = *std::prev(above);
  const auto [x1, y1] = *above;
  return std::exp(y0 + (y1 - y0) * (prediction - x0) / (x1 - x0));
}

double NoiseCorrection::LimitFor(double noise) const {
  if (rising_.empty() || !SaysSomething(noise)) {
    return noise;
  }
  const double wanted = std::log(noise);
  const auto above =
      std::find_if(rising_.begin(), rising_.end(),
                   [&](const auto& one) { return one.second > wanted; });
  if (above == rising_.begin() || above == rising_.end()) {
    const auto [x, y] =
        above == rising_.end() ? *std::prev(above) : *rising_.begin();
    return std::exp(wanted + x - y);
  }
  const auto [x0, y0] = *std::prev(above);
  const auto [x1, y1] = *above;
  return std::exp(x0 + (x1 - x0) * (wanted - y0) / (y1 - y0));
}

}  // namespace ns
