#include "ns/findings/unexplained_falls.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>

#include "absl/algorithm/container.h"
#include "absl/strings/string_view.h"
#include "ns/findings/error_breakdown.h"
#include "ns/findings/output_view.h"
#include "ns/result/comparison_result.h"
#include "passes/ops/op_families.h"

namespace ns {
namespace {

// Whether the output sums up terms that depend on the inputs linearly. Of an
// unknown op, it is taken to do so.
bool SumsUp(const LayerComparison& layer) {
  static constexpr absl::string_view kSums[] = {"add",  "matmul", "mean",
                                                "rsub", "sub",    "sum"};
  const OpFamily* const family = FindFamily(layer.family);
  if (family == nullptr || absl::c_linear_search(kSums, layer.family)) {
    return true;
  }
  const FoldForm form = family->ops[0].fold;
  return form == FoldForm::kPackedLinear || form == FoldForm::kPackedConv;
}

// Returns the largest accumulated NSR among the producers of `layer`.
std::optional<double> IncomingNsr(const ComparisonResult& result,
                                  const LayerComparison& layer) {
  if (!layer.producers_are_compared) {
    return std::nullopt;
  }
  std::optional<double> largest;
  for (const size_t producer : layer.producers) {
    if (producer >= result.layers.size()) {
      return std::nullopt;
    }
    const std::optional<double> nsr = NsrOf(result.layers[producer].activation);
    if (!nsr.has_value()) {
      return std::nullopt;
    }
    largest = std::max(largest.value_or(0), *nsr);
  }
  return largest;
}

// Whether the two sides of `layer` may compute from different values.
bool HasOtherInput(const LayerComparison& layer) {
  return !layer.unpaired_input.empty() || !layer.replaced_input.empty();
}

// Whether an accumulated error is more than what is expected of it.
bool IsAbove(double accumulated, double expected) {
  return accumulated > kNegligibleNsr &&
         accumulated > kExplainedRatio * expected;
}

double ToDb(double nsr) { return -10 * std::log10(nsr); }

std::optional<double> ExpectedNsr(
    const ComparisonResult& result, const LayerComparison& layer,
    const std::optional<ActivationComparison>& shadow,
    const std::optional<ErrorFigures>& inherited) {
  const std::optional<double> incoming = IncomingNsr(result, layer);
  const std::optional<double> local = NsrOf(shadow);
  if (!incoming || !local) {
    return std::nullopt;
  }
  const double measured =
      inherited && !SumsUp(layer) ? NsrOf(*inherited).value_or(0) : 0;
  return *local + std::max(*incoming, measured);
}

bool IsUnexplained(const ComparisonResult& result, const LayerComparison& layer,
                   const OutputView& output) {
  if (HasOtherInput(layer)) {
    return false;
  }
  const std::optional<double> accumulated = NsrOf(*output.activation);
  const std::optional<double> expected =
      ExpectedNsr(result, layer, *output.shadow, *output.inherited);
  return accumulated && expected && IsAbove(*accumulated, *expected);
}

}  // namespace

std::optional<double> ExpectedAccumulatedDb(const ComparisonResult& result,
                                            size_t index,
                                            const OutputComparison* output) {
  const LayerComparison& layer = result.layers[index];
  const std::optional<double> nsr =
      output == nullptr
          ? ExpectedNsr(result, layer, layer.shadow, layer.inherited)
          : ExpectedNsr(result, layer, output->shadow, output->inherited);
  return nsr ? std::make_optional(ToDb(*nsr)) : std::nullopt;
}

std::optional<size_t> FirstUnexplainedFall(const ComparisonResult& result) {
  if (!result.inputs_are_finite) {
    return std::nullopt;
  }
  for (size_t i = 0; i < result.layers.size(); ++i) {
    const LayerComparison& layer = result.layers[i];
    if (absl::c_any_of(OutputViews(layer), [&](const OutputView& output) {
          return IsUnexplained(result, layer, output);
        })) {
      return i;
    }
  }
  return std::nullopt;
}

const OutputComparison* UnexplainedOutput(const ComparisonResult& result,
                                          size_t index) {
  const LayerComparison& layer = result.layers[index];
  for (const OutputView& output : OutputViews(layer)) {
    if (IsUnexplained(result, layer, output)) {
      return output.other;
    }
  }
  return nullptr;
}

std::optional<UnpairedFall> FirstUnpairedFall(const ComparisonResult& result) {
  if (!result.inputs_are_finite) {
    return std::nullopt;
  }
  double largest_in_front = 0;
  for (size_t i = 0; i < result.layers.size(); ++i) {
    const LayerComparison& layer = result.layers[i];
    if (HasOtherInput(layer)) {
      const double incoming =
          IncomingNsr(result, layer).value_or(largest_in_front);
      for (const OutputView& output : OutputViews(layer)) {
        const std::optional<double> accumulated = NsrOf(*output.activation);
        const double expected =
            incoming + NsrOf(*output.shadow).value_or(kUnknownLocalNsr);
        if (accumulated && IsAbove(*accumulated, expected)) {
          return UnpairedFall{i, output.other, ToDb(*accumulated),
                              ToDb(expected)};
        }
      }
    }
    largest_in_front =
        std::max(largest_in_front, NsrOf(layer.activation).value_or(0));
  }
  return std::nullopt;
}

}  // namespace ns
