#include "ns/quantization/report/layer_bits.h"

#include <cmath>
#include <cstddef>

#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"

namespace ns {
namespace {

std::optional<int64_t> BitsOf(const ValueQuantization& value) {
  const double steps = (value.max - value.min) / value.scale;
  return std::isfinite(steps) && steps >= 1
             ? std::make_optional(std::llround(std::ceil(std::log2(steps))))
             : std::nullopt;
}

}  // namespace

std::optional<int64_t> ActivationBits(const LayerQuantization& layer) {
  return layer.output           ? BitsOf(*layer.output)
         : layer.inputs.empty() ? std::nullopt
                                : BitsOf(layer.inputs[0]);
}

// A qconfig has "int7 weight per channel".
std::optional<int64_t> WeightBits(const LayerQuantization& layer) {
  constexpr absl::string_view kKind = "int";
  const absl::string_view qconfig = layer.qconfig;
  const size_t end = qconfig.find(" weight");
  if (!layer.weight || end == absl::string_view::npos) {
    return std::nullopt;
  }
  const size_t begin = qconfig.rfind(kKind, end);
  int64_t bits = 0;
  return begin != absl::string_view::npos &&
                 absl::SimpleAtoi(qconfig.substr(begin + kKind.size(),
                                                 end - begin - kKind.size()),
                                  &bits)
             ? std::make_optional(bits)
             : std::nullopt;
}

}  // namespace ns
