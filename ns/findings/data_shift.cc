#include "ns/findings/data_shift.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "ns/findings/figure_text.h"
#include "ns/findings/outputs_of_model.h"
#include "ns/findings/saturation.h"

namespace ns {
namespace {

constexpr double kLeastBeyond = 0.5;
constexpr double kMostWidth = 0.5;
constexpr double kLeastMoreClipped = 0.01;
// Fewer clipped values may be chance.
constexpr double kLeastClippedValues = 20;

// The range of the float values, with 0 in it.
struct Span {
  double lowest = 0;
  double highest = 0;
  double Width() const { return highest - lowest; }
};

std::optional<Span> SpanOf(const std::optional<ActivationComparison>& values) {
  if (!values || !values->codes || !values->ranges) {
    return std::nullopt;
  }
  const double lowest = values->ranges->float_min;
  const double highest = values->ranges->float_max;
  return std::isfinite(lowest) && std::isfinite(highest)
             ? std::optional(
                   Span{std::min(0.0, lowest), std::max(0.0, highest)})
             : std::nullopt;
}

// By the activation, since there is no shadow on the second data set.
double ClippedOf(const LayerComparison& layer,
                 const std::optional<ActivationComparison>& values) {
  LayerComparison with_values;
  with_values.qparams = layer.qparams;
  with_values.activation = values;
  return ClippedShare(with_values).value_or(0);
}

std::optional<DataShift> ShiftOf(const ComparisonResult& result, size_t index) {
  const LayerComparison& layer = result.layers[index];
  const std::optional<Span> first = SpanOf(layer.activation);
  const std::optional<Span> second = SpanOf(layer.second_data);
  if (!first || !second || first->Width() <= 0) {
    return std::nullopt;
  }
  DataShift shift;
  shift.layer = index;
  shift.beyond = (std::max(0.0, first->lowest - second->lowest) +
                  std::max(0.0, second->highest - first->highest)) /
                 first->Width();
  shift.width = second->Width() / first->Width();
  shift.elements_on_second = layer.second_data->elements.value_or(0);
  shift.clipped_on_first = ClippedOf(layer, layer.activation);
  shift.clipped_on_second = ClippedOf(layer, layer.second_data);
  return shift.IsWider() || shift.width <= kMostWidth ? std::optional(shift)
                                                      : std::nullopt;
}

// Returns "-3.1 to 14.2".
std::string RangeText(const ActivationComparison& values) {
  return absl::StrFormat("%.3g to %.3g", values.ranges->float_min,
                         values.ranges->float_max);
}

std::string Percent(double share) {
  return absl::StrFormat("%.1f %%", 100 * share);
}

// An output of the model on both data sets.
struct OutputPair {
  double first_db = 0;
  double second_db = 0;
};

// Returns the output that has the lowest SQNR on the second data set; absent
// where it is not known on both.
std::optional<OutputPair> LowestOnSecond(const ComparisonResult& result) {
  const ModuleOutputComparison* const second =
      result.second_data ? LowestOutput(result.second_data->model_outputs)
                         : nullptr;
  const ModuleOutputComparison* const first =
      second == nullptr ? nullptr
                        : FindOutput(result.model_outputs, second->name);
  return first == nullptr
             ? std::nullopt
             : std::optional(OutputPair{first->figures.error.sqnr_db,
                                        second->figures.error.sqnr_db});
}

}  // namespace

bool DataShift::IsWider() const {
  const double more_clipped = clipped_on_second - clipped_on_first;
  return beyond >= kLeastBeyond ||
         (more_clipped >= kLeastMoreClipped &&
          more_clipped * static_cast<double>(elements_on_second) >=
              kLeastClippedValues);
}

std::vector<DataShift> DataShifts(const ComparisonResult& result) {
  std::vector<DataShift> shifts;
  for (size_t i = 0; result.second_data && i < result.layers.size(); ++i) {
    if (const std::optional<DataShift> shift = ShiftOf(result, i)) {
      shifts.push_back(*shift);
    }
  }
  return shifts;
}

std::string DataShiftText(const ComparisonResult& result,
                          const DataShift& shift) {
  const LayerComparison& layer = result.layers[shift.layer];
  std::string text =
      absl::StrCat(RangeText(*layer.second_data),
                   " (first data: ", RangeText(*layer.activation), ")");
  if (std::max(shift.clipped_on_first, shift.clipped_on_second) >
      kSaturationLimit) {
    absl::StrAppend(&text, ", ", Percent(shift.clipped_on_second),
                    " clipped (first data: ", Percent(shift.clipped_on_first),
                    ")");
  }
  return text;
}

double SecondDataLossDb(const ComparisonResult& result) {
  const std::optional<OutputPair> output = LowestOnSecond(result);
  if (!output) {
    return 0;
  }
  // Two exact outputs lose nothing, where the difference would be nan.
  const double loss = output->first_db - output->second_db;
  return std::isnan(loss) ? 0 : loss;
}

std::string SecondDataSentence(const ComparisonResult& result) {
  if (!result.second_data) {
    return "";
  }
  const size_t shifts = DataShifts(result).size();
  const size_t layers = result.layers.size();
  const std::string ranges =
      shifts == 0
          ? "no layer has another range"
          : absl::StrCat(
                shifts, " of ", layers, layers == 1 ? " layer" : " layers",
                shifts == 1 ? " has another range" : " have other ranges");
  const std::optional<OutputPair> output = LowestOnSecond(result);
  return output ? absl::StrCat("The lowest output SQNR is ",
                               DbWithUnit(output->second_db),
                               " (first data: ", DbWithUnit(output->first_db),
                               "); ", ranges, ".")
                : absl::StrCat("On the second data set, ", ranges, ".");
}

}  // namespace ns
