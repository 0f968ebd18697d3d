#include "passes/quantization/convert/masked_values.h"

#include <torch/csrc/jit/ir/ir.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "ir/base/refusal.h"
#include "ir/base/status.h"
#include "passes/quantization/convert/score_mask.h"
#include "passes/quantization/observe/score_readers.h"

namespace ns {
namespace {

using ::torch::jit::Node;

constexpr double kCoarsestScores = 0.5;

// Returns the number of the observer at attribute `name`; -1 for other
// attributes.
int64_t ObserverNumber(absl::string_view name) {
  const std::string first = ObserverAttribute(0);
  int64_t number = -1;
  return absl::ConsumePrefix(&name, first.substr(0, first.size() - 1)) &&
                 absl::SimpleAtoi(name, &number)
             ? number
             : -1;
}

}  // namespace

MaskedValues::MaskedValues(const std::vector<Node*>& calls, Find find)
    : find_(std::move(find)) {
  ScoreReaders readers;
  for (const Node* call : calls) {
    const std::string& name = call->input(0)->node()->s(c10::attr::name);
    const absl::string_view reader = readers.Of(*call->output());
    if (!reader.empty()) {
      readers_.emplace(name, reader);
    }
    const CalibratedValue* observed =
        call->input(1)->node() == call->owningGraph()->param_node()
            ? find_(ObserverNumber(name))
            : nullptr;
    has_bad_inputs_ = has_bad_inputs_ || (observed != nullptr &&
                                          observed->observer->InfCount() > 0 &&
                                          !IsInfiniteMask(*observed->observer));
  }
}

absl::Status MaskedValues::CheckScores(const CalibratedValue& scores,
                                       const std::string& reader) const {
  const std::string takes =
      absl::StrCat(absl::StartsWith(reader, "exp") ? "an " : "a ", reader,
                   " takes its values, ");
  if (scores.observer->InfCount() > 0) {
    return Refusal(
        absl::StrCat(takes, "some of which are infinite, as of masks"));
  }
  if (!scores.status.ok()) {
    return absl::OkStatus();
  }
  const double step = scores.qparams.scale;
  if (step > kCoarsestScores) {
    return Refusal(absl::StrFormat("%sfor which steps of %.2g are too coarse",
                                   takes, step));
  }
  return MaskedScoresOf(*scores.observer).found
             ? Refusal(absl::StrFormat(
                   "%sof which some are far from the others, as of masks, and "
                   "make the steps as large as %.2g",
                   takes, step))
             : absl::OkStatus();
}

absl::Status MaskedValues::CheckValues(int64_t number) const {
  const CalibratedValue* values = find_(number);
  if (values == nullptr || values->observer->config().compat) {
    return absl::OkStatus();
  }
  const auto reader = readers_.find(ObserverAttribute(number));
  if (reader != readers_.end()) {
    return CheckScores(*values, reader->second);
  }
  if (values->observer->InfCount() > 0 && !has_bad_inputs_) {
    return Refusal("some of its values are infinite, as of masks");
  }
  if (!values->status.ok()) {
    return absl::OkStatus();
  }
  constexpr double kFewSteps = 4;
  const MaskedScores masked = MaskedScoresOf(*values->observer);
  return masked.found &&
                 masked.range_of_others < kFewSteps * values->qparams.scale
             ? Refusal(absl::StrFormat(
                   "steps of %.2g, which those of its values need that are far "
                   "below the others, as of masks, are too coarse for these",
                   values->qparams.scale))
             : absl::OkStatus();
}

absl::Status MaskedValues::Check(const PreparedLayer& layer) const {
  if (TakesScores(layer.op)) {
    return layer.inputs.empty() ? absl::OkStatus()
                                : CheckValues(layer.inputs.front());
  }
  return layer.weight.empty() ? CheckValues(layer.output) : absl::OkStatus();
}

}  // namespace ns
