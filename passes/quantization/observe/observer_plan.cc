#include "passes/quantization/observe/observer_plan.h"

#include <torch/csrc/jit/ir/ir.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "ir/graph/graph_walk.h"
#include "ir/graph/node_view.h"
#include "llvm/ADT/DenseSet.h"
#include "passes/ops/fusion_patterns.h"
#include "passes/ops/op_table.h"
#include "passes/quantization/layers/bias_correction.h"
#include "passes/quantization/layers/fit_qconfig.h"
#include "passes/quantization/layers/float_subgraphs.h"
#include "passes/quantization/layers/fx_forms.h"
#include "passes/quantization/layers/int8_form.h"
#include "passes/quantization/layers/int8_operands.h"
#include "passes/quantization/layers/keep_list.h"
#include "passes/quantization/observe/fx_unobserved.h"
#include "passes/quantization/observe/lost_parts.h"
#include "passes/quantization/observe/observer_points.h"
#include "passes/quantization/observe/planned_graph.h"
#include "passes/quantization/observe/score_readers.h"
#include "passes/quantization/observe/sensitive_readers.h"
#include "passes/quantization/observe/shared_observers.h"
#include "passes/quantization/qconfig/kernel_support.h"
#include "passes/runtime/observers/observer_config.h"

namespace ns {
namespace {

using ::torch::jit::Block;
using ::torch::jit::Node;
using ::torch::jit::Value;

ObserverSpec FixedSpec(const QuantizedRange& range) {
  ObserverSpec spec = SpecOf(ObserverKind::kFixedQParams);
  spec.config.scale = range.scale;
  spec.config.zero_point = range.zero_point;
  return spec;
}

class Planner {
 public:
  Planner(const PlannedGraph& graph, const ObserverPlanOptions& options)
      : graph_(graph), options_(options) {}

  ObserverPlan Run() {
    if (options_.compat) {
      unobserved_ = FindUnobservedByFx(
          graph_.graph(),
          [this](const Node& node) { return HandsOnInFx(node); });
    }
    Visit(graph_.graph().block());
    const SharedObservers& observers = points_.observers();
    for (PlannedLayer& layer : plan_.layers) {
      for (int& input : layer.inputs) {
        input = observers.Find(input);
      }
      layer.output = observers.Find(layer.output);
    }
    plan_.observers = observers.specs();
    plan_.points = points_.Take();
    for (size_t i = 0; i < options_.keep.size(); ++i) {
      if (!kept_.contains(i)) {
        plan_.unused_rules.push_back(
            absl::StrCat("keep '", options_.keep[i], "'"));
      }
    }
    return std::move(plan_);
  }

 private:
  void Visit(Block* block) {
    for (Node* node : block->nodes()) {
      if (const FloatSubgraph* found = graph_.StartingAt(node)) {
        Visit(*found);
        FollowLostParts(*found);
      } else if (graph_.IsInside(node)) {
        continue;
      } else if (node->kind() == c10::prim::If) {
        VisitIf(node);
      } else if (node->kind() == c10::prim::Loop) {
        VisitLoop(node);
      } else {
        VisitOther(node);
      }
    }
  }

  void VisitIf(Node* node) {
    for (Block* arm : node->blocks()) {
      Visit(arm);
    }
    for (size_t i = 0; i < node->outputs().size(); ++i) {
      std::vector<int> sources;
      for (const Block* arm : node->blocks()) {
        if (const auto id = points_.ObserverOf(arm->outputs()[i])) {
          sources.push_back(*id);
        }
      }
      if (sources.size() == node->blocks().size() &&
          CanShare(*node->output(i))) {
        points_.Join(sources, node->output(i));
      }
    }
    lost_parts_.Follow(*node);
  }

  void VisitLoop(Node* node) {
    Block* body = node->blocks()[0];
    lost_parts_.EnterLoop(*node);
    Visit(body);
    lost_parts_.Follow(*node);
    // Inputs are the trip count, the condition, and what is carried; parameters
    // of the body the trip and what is carried.
    for (size_t i = 0; i < node->outputs().size(); ++i) {
      const auto first = points_.ObserverOf(node->input(i + 2));
      const auto next = points_.ObserverOf(body->outputs()[i + 1]);
      if (!first || !next || !CanShare(*node->output(i))) {
        continue;
      }
      points_.UnifyPointsOf(body->inputs()[i + 1], *first);
      points_.Join({*first, *next}, node->output(i));
    }
  }

  // Whether what control flow gives as `value` may have the same qparams on all
  // ways. Of scores, a mask may be added on one of them, whose values spoil the
  // steps of all others.
  bool CanShare(const Value& value) const {
    return options_.compat || score_readers_.Of(value).empty();
  }

  void FollowLostParts(const FloatSubgraph& subgraph) {
    if (options_.parts.lost.count(subgraph.name) != 0) {
      lost_parts_.Add(*subgraph.output, subgraph.name);
    }
    for (const Node* node : subgraph.subgraph.nodes) {
      lost_parts_.Follow(*node);
    }
  }

  void VisitOther(Node* node) {
    lost_parts_.Follow(*node);
    if (node->kind() == c10::prim::ListUnpack ||
        node->kind() == c10::aten::__getitem__) {
      if (const auto id = points_.ObserverOf(node->input(0))) {
        for (Value* output : node->outputs()) {
          points_.Carry(output, *id);
        }
      }
      return;
    }
    if (node->inputs().empty() || !MovesValues(*node)) {
      return;
    }
    const auto id = points_.ObserverOf(node->input(0));
    if (!id || graph_.IsWritten(node->output(0))) {
      return;
    }
    if (!options_.compat || HandsOnItsInput(*node)) {
      points_.Carry(node->output(0), *id);
    } else if (MovesValuesInFx(*node)) {
      points_.AddOutput(node->output(0), *id, /*is_seen=*/true);
    }
  }

  // Whether prepare_fx takes the output of `node` for one with the observer of
  // its input.
  bool HandsOnInFx(const Node& node) const {
    if (node.kind() == c10::prim::Param || node.inputs().empty()) {
      return false;
    }
    const FloatSubgraph* found = graph_.StartingAt(&node);
    if (found == nullptr) {
      return MovesValuesInFx(node);
    }
    const absl::StatusOr<Int8Form> form = FormOf(*found->subgraph.base);
    return form.ok() && *form == Int8Form::kRangeOfInput;
  }

  absl::StatusOr<Int8Form> FormOf(const Node& base) const {
    return options_.compat ? Int8FormInFx(base) : graph_.FormOf(base);
  }

  // Whether all that takes `value` is a relu or clamp that runs in int8
  // whenever the value is made, with the qparams of its input.
  bool IsClamped(const Value& value) const {
    if (value.uses().size() != 1) {
      return false;
    }
    const Node* user = value.uses()[0].user;
    const FloatSubgraph* found = graph_.StartingAt(user);
    if (found == nullptr || !IsActivation(found->family) ||
        found->subgraph.nodes.size() != 1 ||
        user->owningBlock() != value.node()->owningBlock()) {
      return false;
    }
    const absl::StatusOr<Int8Form>& form = graph_.FormOf(*found->subgraph.base);
    return form.ok() && *form == Int8Form::kRangeOfInput &&
           !IsLeftFloat(*found) && ReaderInTheWay(*found).empty();
  }

  // Whether the user or the mapping leaves `subgraph` in float.
  bool IsLeftFloat(const FloatSubgraph& subgraph) const {
    const QConfigChoice choice = options_.mapping.Choose(subgraph);
    return options_.float_layers.count(subgraph.name) != 0 || !choice.qconfig ||
           ModeOf(choice.qconfig->activation) != QuantizationMode::kStatic ||
           !CheckDtype(*choice.qconfig).ok() ||
           absl::c_any_of(options_.keep, [&](const std::string& entry) {
             return IsKeptBy(subgraph, entry);
           });
  }

  absl::Status CheckDtype(const QConfig& qconfig) const {
    return options_.reference ? absl::OkStatus()
                              : CheckActivationDtype(qconfig);
  }

  void StayFloat(const FloatSubgraph& subgraph, absl::string_view reason) {
    plan_.stayed_float.push_back(
        {subgraph.name, subgraph.op, std::string(reason)});
  }

  void Visit(const FloatSubgraph& subgraph) {
    if (graph_.IsQuantized(*subgraph.subgraph.base)) {
      return;
    }
    for (size_t i = 0; i < options_.keep.size(); ++i) {
      if (IsKeptBy(subgraph, options_.keep[i])) {
        kept_.insert(i);
        StayFloat(subgraph,
                  absl::StrCat("kept in float ('", options_.keep[i], "')"));
        return;
      }
    }
    if (const auto found = options_.float_layers.find(subgraph.name);
        found != options_.float_layers.end()) {
      StayFloat(subgraph, found->second);
      return;
    }
    const QConfigChoice choice = options_.mapping.Choose(subgraph);
    if (!choice.qconfig) {
      StayFloat(subgraph,
                choice.rule.empty()
                    ? "no rule of the qconfig mapping is for it"
                    : absl::StrCat("its qconfig is none (", choice.rule, ")"));
      return;
    }
    if (ModeOf(choice.qconfig->activation) != QuantizationMode::kStatic) {
      return;  // quantize-dynamic has seen to it.
    }
    QConfig qconfig = *choice.qconfig;
    const Node& base = *subgraph.subgraph.base;
    const absl::StatusOr<Int8Form> form = FormOf(base);
    if (!form.ok()) {
      StayFloat(subgraph, form.status().message());
      return;
    }
    if (FitWeight(subgraph, qconfig)) {
      plan_.warnings.push_back(absl::StrCat(
          subgraph.name,
          ": its weight gets one scale; kernels of transposed convolutions do "
          "not take one for each channel"));
    }
    absl::Status supported = CheckKernel(qconfig, subgraph.op, subgraph.family);
    supported.Update(CheckDtype(qconfig));
    if (!supported.ok()) {
      StayFloat(subgraph, supported.message());
      return;
    }
    const std::optional<std::vector<Int8Operand>>& operands =
        graph_.OperandsOf(base);
    if (!operands || operands->empty()) {
      StayFloat(subgraph, "only a run tells which tensors it takes");
      return;
    }
    if (graph_.HasWriters(base)) {
      StayFloat(subgraph, "an op in place writes to its values");
      return;
    }
    if (const std::string reason = LosesParts(subgraph, *operands);
        !reason.empty()) {
      StayFloat(subgraph, reason);
      return;
    }
    if (!options_.compat && *form != Int8Form::kOwnRange &&
        !points_.ObserverOf(operands->front().value)) {
      StayFloat(subgraph, "its input is not quantized");
      return;
    }
    if (unobserved_.contains(subgraph.output) ||
        (*form == Int8Form::kRangeOfInput &&
         unobserved_.contains(operands->front().value))) {
      StayFloat(subgraph, "prepare_fx takes its values for integers");
      return;
    }
    if (const absl::string_view reader = ReaderInTheWay(subgraph);
        !reader.empty()) {
      StayFloat(subgraph, absl::StrCat(reader,
                                       " behind it makes large errors "
                                       "of small ones"));
      return;
    }
    if (*form == Int8Form::kRangeOfInput && !points_.CanJoin(*operands)) {
      StayFloat(subgraph, "its inputs have fixed scales, which differ");
      return;
    }
    AddLayer(subgraph, qconfig, choice.rule, *form, *operands);
  }

  // Returns why one scale for the operands or for the output of `subgraph`
  // would lose parts of them; empty if it would not. Layers with weights are
  // what a user wants in int8 above all.
  std::string LosesParts(const FloatSubgraph& subgraph,
                         const std::vector<Int8Operand>& operands) const {
    const auto found = options_.parts.lost.find(subgraph.name);
    if (found != options_.parts.lost.end()) {
      return found->second;
    }
    if (PackedWeightInput(*subgraph.subgraph.base) >= 0) {
      return "";
    }
    for (const Int8Operand& operand : operands) {
      const absl::string_view name = lost_parts_.In(*operand.value);
      if (!name.empty()) {
        return absl::StrCat("one scale would lose parts of its input, which ",
                            name, " put together");
      }
    }
    return "";
  }

  // Returns the op that must not get what `subgraph` computes in int8; empty
  // for none. Layers with weights are what a user wants in int8 above all.
  absl::string_view ReaderInTheWay(const FloatSubgraph& subgraph) const {
    return options_.compat || PackedWeightInput(*subgraph.subgraph.base) >= 0
               ? absl::string_view()
               : sensitive_readers_.Of(*subgraph.output);
  }

  void AddLayer(const FloatSubgraph& subgraph, const QConfig& qconfig,
                const std::string& rule, Int8Form form,
                const std::vector<Int8Operand>& operands) {
    PlannedLayer layer;
    layer.id = subgraph.id;
    layer.name = subgraph.name;
    layer.op = subgraph.op;
    layer.qconfig = QConfigName(qconfig);
    layer.rule = rule;
    const Node& base = *subgraph.subgraph.base;
    layer.limits = LimitsInInt8(base);
    layer.base = subgraph.subgraph.base;
    layer.is_conditional =
        subgraph.subgraph.start->owningBlock() != graph_.graph().block();
    for (const Int8Operand& operand : operands) {
      if (!unobserved_.contains(operand.value)) {
        layer.inputs.push_back(points_.AddInput(operand, qconfig.activation));
      }
    }
    if (form == Int8Form::kRangeOfInput ||
        (subgraph.family == "cat" && !layer.inputs.empty() &&
         options_.parts.own_ranges.count(subgraph.name) == 0 &&
         points_.CanJoin(operands))) {
      for (const int input : layer.inputs) {
        points_.observers().Unify(layer.inputs.front(), input);
      }
      layer.output = layer.inputs.front();
    } else if (form == Int8Form::kFixedRange &&
               qconfig.activation.config.kind != ObserverKind::kFixedQParams &&
               !options_.compat) {
      layer.output = points_.observers().Add(
          FixedSpec(*FixedRangeOf(*FindOp(OpName(base)))));
    } else {
      layer.output = points_.observers().Add(qconfig.activation);
    }
    // What a pool makes of values that were seen is within their range.
    const bool is_new = form != Int8Form::kRangeOfInput ||
                        clamped_.contains(operands.front().value);
    const bool is_clamped = IsClamped(*subgraph.output);
    const bool is_seen = options_.compat || (is_new && !is_clamped);
    if (is_new && is_clamped) {
      clamped_.insert(subgraph.output);
    }
    points_.AddOutput(subgraph.output, layer.output, is_seen);
    AddWeight(subgraph, qconfig.weight, layer);
    plan_.layers.push_back(std::move(layer));
  }

  void AddWeight(const FloatSubgraph& subgraph, const ObserverSpec& spec,
                 PlannedLayer& layer) {
    Node* base = subgraph.subgraph.base;
    const int weight = PackedWeightInput(*base);
    if (ModeOf(spec) != QuantizationMode::kStatic || weight < 0) {
      return;
    }
    layer.weight = static_cast<int>(plan_.weights.size());
    plan_.weights.push_back({base, weight, spec});
    if (options_.input_means) {
      layer.input_means = CorrectableGeometry(*base);
    }
  }

  const PlannedGraph& graph_;
  const ObserverPlanOptions& options_;
  llvm::DenseSet<const Value*> unobserved_;
  // Values that are seen only behind the clamp that takes them.
  llvm::DenseSet<const Value*> clamped_;
  ObserverPoints points_;
  LostParts lost_parts_;
  // They remember where searches found nothing.
  mutable ScoreReaders score_readers_;
  mutable SensitiveReaders sensitive_readers_;
  // The indices of entries of the keep list that were for a subgraph.
  absl::flat_hash_set<size_t> kept_;
  ObserverPlan plan_;
};

}  // namespace

ObserverPlan PlanObservers(torch::jit::Graph& graph,
                           const ObserverPlanOptions& options) {
  return Planner(PlannedGraph(
                     graph, options.relations,
                     options.compat ? FusingOps::kFx : FusingOps::kLibTorch),
                 options)
      .Run();
}

ObserverPlanner::ObserverPlanner(torch::jit::Graph& graph,
                                 const OpRelations& relations)
    : graph_(std::make_unique<PlannedGraph>(graph, relations)) {}

ObserverPlanner::~ObserverPlanner() = default;

const std::vector<FloatSubgraph>& ObserverPlanner::layers() const {
  return graph_->subgraphs();
}

ObserverPlan ObserverPlanner::Plan(const ObserverPlanOptions& options) const {
  return Planner(*graph_, options).Run();
}

}  // namespace ns
