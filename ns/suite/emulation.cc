#include "ns/suite/emulation.h"

#include <torch/csrc/jit/ir/ir.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "ir/graph/module_path.h"
#include "ir/graph/node_view.h"
#include "ir/graph/pass_context.h"
#include "llvm/ADT/DenseMap.h"
#include "passes/instrument/variants/unsaturated_variant.h"
#include "passes/lowering/lower_matched.h"
#include "passes/ops/op_table.h"

namespace ns {
namespace {

using ::torch::jit::Node;

using MatchOf = llvm::DenseMap<const Node*, size_t>;

MatchOf IndexMatches(const MatchResult& matches) {
  MatchOf match_of;
  for (size_t i = 0; i < matches.matches.size(); ++i) {
    match_of[matches.matches[i].b.subgraph.base] = i;
  }
  return match_of;
}

bool HasPackedWeights(const Node& node) {
  const OpRow* row = FindOp(OpName(node));
  return row != nullptr &&
         (row->weight_form == WeightForm::kPackedLinear ||
          row->weight_form == WeightForm::kPackedConv ||
          row->weight_form == WeightForm::kPackedPair ||
          row->weight_form == WeightForm::kCellParamsList) &&
         row->numerics != Numerics::kFp16;
}

// Why `node` stayed as it is.
std::string ReasonFor(const Node& node,
                      const std::vector<PassRemark>& remarks) {
  const std::string name = CallName(ModulePathOf(node));
  const PassRemark* of_op = nullptr;
  for (const PassRemark& remark : remarks) {
    if (remark.op != OpName(node)) {
      continue;
    }
    if (remark.name == name) {
      return remark.reason;
    }
    of_op = of_op == nullptr ? &remark : of_op;
  }
  return of_op == nullptr ? "there is no ns kernel for it" : of_op->reason;
}

absl::Status NothingToEmulate(const std::vector<PassRemark>& remarks) {
  std::string message =
      "the quantized model has no convolution or linear layer to emulate";
  if (!remarks.empty()) {
    const PassRemark& remark = remarks.front();
    absl::StrAppend(&message, " (", remark.op, ": ", remark.reason, ")");
  }
  return absl::InvalidArgumentError(
      absl::StrCat(message, "; compare without --emulate"));
}

PairSaturation Describe(const SaturationCheck& check,
                        kernels::SaturationMode numerics) {
  PairSaturation saturation;
  saturation.numerics = kernels::SaturationModeName(numerics);
  saturation.channels = check.channels;
  saturation.saturating_channels = check.saturating_channels;
  saturation.worst_pair_sum = check.worst_pair_sum;
  return saturation;
}

// Equal figures, infinite ones too, are no loss, and neither are those that
// differ because sums were added up in another order.
double Loss(double without, double with) {
  constexpr double kRoundoffDb = 1e-5;
  return without == with || std::abs(without - with) < kRoundoffDb
             ? 0
             : without - with;
}

}  // namespace

absl::StatusOr<Emulation> Emulation::Create(
    ModelGraph& quantized, MatchResult& matches,
    std::optional<kernels::SaturationMode> numerics, ComparisonResult& result) {
  Emulation emulation;
  if (!numerics) {
    return emulation;
  }
  PassContext context;
  NS_RETURN_IF_ERROR(LowerMatched(quantized, matches, *numerics, context));
  NS_ASSIGN_OR_RETURN(std::vector<CountedNode> counted,
                      AddSaturationCounters(quantized));
  if (counted.empty()) {
    return NothingToEmulate(context.remarks());
  }
  result.emulated = kernels::SaturationModeName(*numerics);
  const MatchOf match_of = IndexMatches(matches);
  for (CountedNode& node : counted) {
    const auto match = match_of.find(node.node);
    Layer layer{std::move(node), std::nullopt};
    if (match != match_of.end()) {
      layer.match = match->second;
      result.layers[match->second].saturation =
          Describe(layer.counted.check, *numerics);
    }
    emulation.layers_.push_back(std::move(layer));
  }
  for (size_t i = 0; i < matches.matches.size(); ++i) {
    const Node& base = *matches.matches[i].b.subgraph.base;
    if (!result.layers[i].saturation && HasPackedWeights(base)) {
      result.not_emulated.push_back(
          {matches.matches[i].name, ReasonFor(base, context.remarks())});
    }
  }
  return emulation;
}

std::vector<std::optional<LayerVariant>> Emulation::UnsaturatedVariants(
    const MatchResult& matches) const {
  std::vector<std::optional<LayerVariant>> variants;
  if (!layers_.empty()) {
    for (const SubgraphMatch& match : matches.matches) {
      variants.push_back(UnsaturatedVariant(*match.b.subgraph.base));
    }
  }
  return variants;
}

bool Emulation::CanSaturate() const {
  return absl::c_any_of(layers_, [](const Layer& layer) {
    return layer.counted.check.IsPossible();
  });
}

void Emulation::TellCounts(ComparisonResult& result) const {
  for (const Layer& layer : layers_) {
    const SaturationCounter& counter = *layer.counted.counter;
    if (layer.match) {
      PairSaturation& saturation = *result.layers[*layer.match].saturation;
      saturation.outputs = counter.outputs();
      saturation.saturated = counter.saturated();
    } else if (counter.saturated() > 0) {
      result.warnings.push_back(absl::StrCat(
          "--emulate: ", counter.saturated(), " of ", counter.outputs(),
          " outputs saturate in ", CallName(ModulePathOf(*layer.counted.node)),
          " (", OpName(*layer.counted.node), "), which is not matched"));
    }
  }
}

void SetLocalCost(const std::optional<ErrorFigures>& without,
                  LayerComparison& layer) {
  if (!layer.saturation || !layer.shadow) {
    return;
  }
  const double with = layer.shadow->error.sqnr_db;
  if (without) {
    layer.saturation->shadow_sqnr_db = without->sqnr_db;
    layer.saturation->shadow_cost_db = Loss(without->sqnr_db, with);
  } else if (!layer.saturation->IsPossible()) {
    layer.saturation->shadow_sqnr_db = with;
    layer.saturation->shadow_cost_db = 0;
  }
}

void SetAccumulatedCosts(
    const std::vector<std::optional<double>>& exact_sqnr_db,
    ComparisonResult& result) {
  for (size_t i = 0; i < result.layers.size(); ++i) {
    LayerComparison& layer = result.layers[i];
    if (!layer.saturation || !layer.activation) {
      continue;
    }
    const double with = layer.activation->error.sqnr_db;
    const std::optional<double> without =
        exact_sqnr_db.empty() ? with : exact_sqnr_db[i];
    if (without) {
      layer.saturation->sqnr_db = *without;
      layer.saturation->cost_db = Loss(*without, with);
    }
  }
}

}  // namespace ns
