#include "ns/suite/find_coverage.h"

#include <torch/csrc/jit/ir/ir.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "ir/aliasing/data_inputs.h"
#include "ir/flatten/fold_attributes.h"
#include "ir/graph/graph_walk.h"
#include "ir/graph/module_path.h"
#include "ir/graph/node_view.h"
#include "passes/analysis/call_guards.h"
#include "passes/analysis/subgraph.h"
#include "passes/analysis/tensor_facts.h"
#include "passes/ops/op_families.h"
#include "passes/ops/op_table.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;

// Returns "fc.linear_prepack".
std::string NameOf(const Node& node) {
  return JoinPath(CallName(ModulePathOf(node)), ShortOpName(OpName(node)));
}

bool HasRole(const Node& node, Role role) {
  const OpRow* const row = FindOp(OpName(node));
  return row != nullptr && row->role == role;
}

// Why the layer of `match` computes in float.
std::string ReasonOf(const SubgraphMatch& match) {
  const Node& base = *match.b.subgraph.base;
  const OpRow* const row = FindOp(OpName(base));
  if (row == nullptr) {
    return "the table of ops does not know it";
  }
  switch (row->spelling->fold) {
    case FoldForm::kNone:
      return "there is no int8 op for it";
    case FoldForm::kNsKernel:
    case FoldForm::kNsKernelExactly:
      return "LibTorch has no int8 kernel for it";
    default:
      break;
  }
  const absl::Status guard = CheckCall(row->spelling->guard, base);
  if (!guard.ok()) {
    return std::string(guard.message());
  }
  const bool is_dequantized =
      absl::c_any_of(DataInputsOf(match.b.subgraph), [](const Value* input) {
        return HasRole(*input->node(), Role::kDequantize);
      });
  return is_dequantized ? "its input is dequantized for it"
                        : "its inputs are float";
}

// Finds the pairs in `graph`, whose attributes are constants.
std::vector<CancellingPair> FindCancellingPairs(const Graph& graph,
                                                const OpIoTypes& io_types) {
  const ValueFacts facts(graph, io_types);
  std::vector<CancellingPair> pairs;
  ForEachNode(graph.block(), [&](const Node* quantize) {
    if (!HasRole(*quantize, Role::kQuantize) || quantize->inputs().empty() ||
        quantize->outputs().size() != 1) {
      return;
    }
    const Node* const dequantize = quantize->input(0)->node();
    if (!HasRole(*dequantize, Role::kDequantize) ||
        dequantize->inputs().empty()) {
      return;
    }
    const auto before = facts.Sure(*dequantize->input(0)).qparams();
    const auto after = facts.Sure(*quantize->output()).qparams();
    if (before && after && *before == *after) {
      pairs.push_back({NameOf(*dequantize), NameOf(*quantize)});
    }
  });
  return pairs;
}

}  // namespace

RunsIn RunsInOf(const Node& base, const ValueFacts& facts) {
  const OpRow* const row = FindOp(OpName(base));
  switch (row == nullptr ? Numerics::kEither : row->numerics) {
    case Numerics::kInt8:
    case Numerics::kInt8ToFloat:
      return RunsIn::kInt8;
    case Numerics::kDynamic:
      return RunsIn::kInt8Weights;
    case Numerics::kFp16:
      return RunsIn::kHalfWeights;
    case Numerics::kFloat:
    case Numerics::kEither:
      break;
  }
  const auto is_quantized = [&](const Value* value) {
    return facts.IsLikelyQuantized(*value);
  };
  return absl::c_any_of(DataInputs(base), is_quantized) ||
                 absl::c_any_of(base.outputs(), is_quantized)
             ? RunsIn::kInt8
             : RunsIn::kFloat;
}

std::vector<std::optional<RunsIn>> FindRunsIn(const ValueFacts& facts,
                                              const MatchResult& matches) {
  std::vector<std::optional<RunsIn>> runs_in;
  for (const SubgraphMatch& match : matches.matches) {
    const Node* const base = match.b.subgraph.base;
    runs_in.push_back(match.is_quantize_point || base == nullptr
                          ? std::nullopt
                          : std::make_optional(RunsInOf(*base, facts)));
  }
  return runs_in;
}

Coverage FindCoverage(const ModelGraph& quantized_model,
                      const MatchResult& matches,
                      const std::vector<std::optional<RunsIn>>& runs_in,
                      const OpIoTypes& io_types) {
  Coverage coverage;
  for (size_t i = 0; i < runs_in.size(); ++i) {
    const SubgraphMatch& match = matches.matches[i];
    if (runs_in[i] == RunsIn::kFloat) {
      coverage.stayed_float.push_back(
          {match.name, OpOf(match.b.subgraph), ReasonOf(match)});
    }
  }
  const std::shared_ptr<Graph> constant = quantized_model.graph().copy();
  FoldAttributes(quantized_model.module(), *constant);
  coverage.cancelling_pairs = FindCancellingPairs(*constant, io_types);
  ForEachNode(quantized_model.graph().block(), [&](const Node* node) {
    if (absl::EndsWith(OpName(*node), "_prepack")) {
      coverage.packs_at_run_time.push_back(NameOf(*node));
    }
  });
  return coverage;
}

}  // namespace ns
