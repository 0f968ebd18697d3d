#include "ns/report/read_figures.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/string_view.h"
#include "ns/suite/metrics.h"

namespace ns {
namespace {

// Fields beside the figures of an activation that may look like one of them:
// any other float is a metric of the user.
constexpr absl::string_view kActivationFields[] = {"name", "abs_error_p999",
                                                   "outlier_share"};

double ReadNumber(const JsonCursor& json) { return json.Number(); }
int64_t ReadInt(const JsonCursor& json) { return json.Int(); }

ValueRanges ReadRanges(const JsonCursor& json) {
  ValueRanges ranges;
  for (const auto& [side, lowest, highest] :
       {std::tuple("float", &ranges.float_min, &ranges.float_max),
        std::tuple("quantized", &ranges.quantized_min,
                   &ranges.quantized_max)}) {
    const std::vector<double> numbers = json.At(side).Numbers();
    if (numbers.size() == 2) {
      *lowest = numbers[0];
      *highest = numbers[1];
    } else {
      json.At(side).Refuse("a list of two numbers");
    }
  }
  return ranges;
}

NonFiniteCounts ReadNonFinite(const JsonCursor& json) {
  const JsonCursor of_float = json.At("float");
  const JsonCursor of_quantized = json.At("quantized");
  return {of_float.At("nan").Int(), of_float.At("inf").Int(),
          of_quantized.At("nan").Int(), of_quantized.At("inf").Int()};
}

CodeUse ReadCodes(const JsonCursor& json) {
  return {json.At("lowest").Int(), json.At("highest").Int(),
          json.At("unused").Int()};
}

ChannelError ReadChannel(const JsonCursor& json) {
  return {json.At("channel").Int(), json.At("sqnr_db").Number()};
}

std::vector<UserFigure> ReadUserFigures(const JsonCursor& json) {
  std::vector<UserFigure> figures;
  for (const std::string& key : json.Keys()) {
    const bool is_known = absl::c_linear_search(kActivationFields, key) ||
                          absl::c_any_of(Metrics(), [&](const Metric& metric) {
                            return metric.name == key;
                          });
    if (!is_known && json.At(key).IsFloat()) {
      figures.push_back({key, json.At(key).Number()});
    }
  }
  return figures;
}

}  // namespace

ErrorFigures ReadFigures(const JsonCursor& json) {
  ErrorFigures figures;
  for (const Metric& metric : Metrics()) {
    const std::optional<JsonCursor> figure = json.Find(metric.name);
    figures.*metric.figure =
        figure ? figure->Number() : std::numeric_limits<double>::quiet_NaN();
  }
  figures.sqnr_db = json.At("sqnr_db").Number();
  return figures;
}

ActivationComparison ReadActivation(const JsonCursor& json) {
  ActivationComparison activation;
  activation.shape = json.At("shape").Ints();
  activation.error = ReadFigures(json);
  activation.user_figures = ReadUserFigures(json);
  activation.batch_sqnr_db = json.At("batch_sqnr_db").Numbers();
  activation.trip_sqnr_db = OptionalList(json, "trips", ReadNumber);
  activation.elements = Optional(json, "elements", ReadInt);
  activation.ranges = Optional(json, "range", ReadRanges);
  activation.non_finite = Optional(json, "non_finite", ReadNonFinite);
  // All counts are 0 where they are left out.
  if (!activation.non_finite && activation.elements) {
    activation.non_finite = NonFiniteCounts();
  }
  activation.codes = Optional(json, "codes", ReadCodes);
  activation.worst_channels = OptionalList(json, "worst_channels", ReadChannel);
  activation.channel_sqnr_db =
      OptionalList(json, "channel_sqnr_db", ReadNumber);
  if (const auto p999 = json.Find("abs_error_p999")) {
    activation.outliers =
        OutlierFigures{p999->Number(), json.At("outlier_share").Number()};
  }
  return activation;
}

}  // namespace ns
