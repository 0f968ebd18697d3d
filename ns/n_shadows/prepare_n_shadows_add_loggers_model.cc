#include "ns/n_shadows/prepare_n_shadows_add_loggers_model.h"

#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/aliasing/written_attributes.h"
#include "ir/base/refusal.h"
#include "ir/base/status.h"
#include "ir/graph/graph_walk.h"
#include "ir/graph/node_view.h"
#include "ir/graph/verifier.h"
#include "llvm/ADT/DenseMap.h"
#include "ns/n_shadows/candidate_logger.h"
#include "ns/n_shadows/shadow_attributes.h"
#include "passes/instrument/candidates/candidate_activations.h"
#include "passes/instrument/logger_calls.h"
#include "passes/instrument/variants/rounding.h"
#include "passes/quantization/layers/float_subgraphs.h"
#include "passes/quantization/layers/quantize_weights.h"
#include "passes/quantization/qconfig/kernel_support.h"
#include "passes/rewrite/copy_subgraph.h"
#include "passes/runtime/observers/observer_config.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;

// A second copy of all nodes of a graph, in front of the first.
class SecondPath {
 public:
  explicit SecondPath(Graph& graph)
      : graph_(graph),
        works_in_place_(
            std::any_of(graph.nodes().begin(), graph.nodes().end(),
                        [](const Node* node) { return WorksInPlace(*node); })) {
    const std::vector<Node*> originals(graph.nodes().begin(),
                                       graph.nodes().end());
    if (originals.empty()) {
      return;
    }
    Node* front = originals.front();
    for (Value* input : graph.inputs()) {
      values_[input] = IsTensor(*input) ? Kept(input, front) : input;
    }
    for (Node* original : originals) {
      Node* copy = graph.createClone(
          original, [&](Value* value) { return values_.lookup(value); });
      copy->insertBefore(front);
      Register(original, copy);
    }
  }

  Node* CopyOf(const Node* node) const { return nodes_.lookup(node); }
  Value* CopyOf(const Value* value) const { return values_.lookup(value); }

  Subgraph CopyOf(const Subgraph& subgraph) const {
    Subgraph copy = {CopyOf(subgraph.start),
                     CopyOf(subgraph.end),
                     CopyOf(subgraph.base),
                     {}};
    for (const Node* node : subgraph.nodes) {
      copy.nodes.push_back(CopyOf(node));
    }
    return copy;
  }

  // `value`, or a copy of it where ops in place might overwrite it.
  Value* Kept(Value* value, Node* place) {
    if (!works_in_place_) {
      return value;
    }
    Node* none = graph_.createNone()->insertBefore(place);
    return graph_.create(c10::aten::clone, {value, none->output()})
        ->insertBefore(place)
        ->output();
  }

 private:
  void Register(const Node* original, Node* copy) {
    nodes_[original] = copy;
    for (size_t i = 0; i < original->outputs().size(); ++i) {
      values_[original->output(i)] = copy->output(i);
    }
    for (size_t i = 0; i < original->blocks().size(); ++i) {
      auto inner_copy = copy->blocks()[i]->nodes().begin();
      for (const Node* inner : original->blocks()[i]->nodes()) {
        Register(inner, *inner_copy);
        ++inner_copy;
      }
    }
  }

  Graph& graph_;
  const bool works_in_place_;
  llvm::DenseMap<const Node*, Node*> nodes_;
  llvm::DenseMap<const Value*, Value*> values_;
};

// Error: `graph` writes to an attribute, which a second path would write again.
absl::Status CheckWritesNoAttribute(const Graph& graph) {
  const WrittenAttributes written(graph);
  absl::Status status;
  ForEachNode(graph.block(), [&](const Node* node) {
    const bool is_named = node->kind() == c10::prim::GetAttr ||
                          node->kind() == c10::prim::SetAttr;
    if (is_named && written.Contains(node->s(c10::attr::name))) {
      status.Update(absl::InvalidArgumentError(absl::StrCat(
          "the model writes to its attribute '", node->s(c10::attr::name),
          "', and a second path would write to it again; use "
          "PrepareNShadowsModel")));
    }
  });
  return status;
}

class Preparer {
 public:
  Preparer(ModelGraph model, const QConfigMapping& mapping,
           const NShadowsOptions& options)
      : result_{std::move(model), {}},
        mapping_(mapping),
        options_(options),
        subgraphs_(
            FindFloatSubgraphs(result_.model.graph(), options.relations)),
        second_(result_.model.graph()) {}

  absl::StatusOr<NShadowsModel> Run() {
    for (size_t i = 0; i < subgraphs_.size(); ++i) {
      NS_RETURN_IF_ERROR(AddSubgraph(subgraphs_[i], static_cast<int>(i)));
    }
    AttachCandidateNames(result_.model.module(), names_);
    NS_RETURN_IF_ERROR(VerifyGraph(result_.model.graph()));
    return std::move(result_);
  }

 private:
  ModelGraph& model() { return result_.model; }

  absl::Status AddSubgraph(const FloatSubgraph& subgraph, int index) {
    QConfigChoice choice = mapping_.Choose(subgraph);
    if (choice.qconfig) {
      absl::Status status =
          CheckKernel(*choice.qconfig, subgraph.op, subgraph.family);
      if (!status.ok() && choice.names_target) {
        return status;
      }
      if (status.ok() && !subgraph.subgraph.start->blocks().empty()) {
        status = Refusal("stands in arms of a prim::If");
      }
      if (!status.ok()) {
        result_.skipped.push_back({subgraph.name, QConfigName(choice.qconfig),
                                   std::string(status.message())});
        choice.qconfig.reset();
      }
    }
    Value* output = second_.CopyOf(subgraph.output);
    if (choice.qconfig) {
      NS_ASSIGN_OR_RETURN(output, Quantize(subgraph, *choice.qconfig));
    }
    const bool is_compared =
        IsTensor(*output) &&
        output->node()->owningBlock() == model().graph().block();
    return is_compared ? Compare(subgraph, index, output, choice.qconfig)
                       : absl::OkStatus();
  }

  // Quantizes the subgraph on the second path; what it then computes.
  absl::StatusOr<Value*> Quantize(const FloatSubgraph& subgraph,
                                  const QConfig& qconfig) {
    CopiedSubgraph copy = {second_.CopyOf(subgraph.subgraph),
                           second_.CopyOf(subgraph.output)};
    CandidateActivations activations(model(), subgraph, next_quantizer_);
    const ObserverConfig& config = qconfig.activation.config;
    Node* original = subgraph.subgraph.start;
    Node* start = copy.subgraph.start;
    for (size_t i = 0; i < start->inputs().size(); ++i) {
      Value* value = start->input(i);
      const bool is_constant = value->node()->kind() == c10::prim::Constant;
      if (is_constant || !(IsTensor(*value) || IsTensorList(*value))) {
        continue;
      }
      NS_ASSIGN_OR_RETURN(const Rounding rounding,
                          activations.OfInput(config, i, original->input(i)));
      NS_ASSIGN_OR_RETURN(Value * rounded,
                          InsertRounding(model(), rounding, value, start));
      start->replaceInput(i, rounded);
    }
    NS_RETURN_IF_ERROR(QuantizeWeights(qconfig.weight, copy));
    if (!IsTensor(*copy.output)) {
      return copy.output;
    }
    NS_ASSIGN_OR_RETURN(const Rounding rounding,
                        activations.OfOutput(config, subgraph.output));
    NS_ASSIGN_OR_RETURN(Value * rounded,
                        InsertRounding(model(), rounding, copy.output,
                                       PlaceAfter(*copy.output)));
    if (rounded != copy.output) {
      copy.output->replaceAllUsesAfterNodeWith(rounded->node(), rounded);
    }
    return rounded;
  }

  absl::Status Compare(const FloatSubgraph& subgraph, int index, Value* output,
                       const OptionalQConfig& qconfig) {
    Value* kept = second_.Kept(output, PlaceAfter(*output));
    Node* place = PlaceAfter(*subgraph.output);
    NS_RETURN_IF_ERROR(
        Log(MakeFloatLogger(), subgraph, {index, 0}, {subgraph.output}, place));
    names_[ShadowModelName({index, 1})] = QConfigName(qconfig);
    NS_ASSIGN_OR_RETURN(
        const c10::IValue logger,
        MakeCandidateLogger(options_.logger,
                            ShadowLoggerInfo(subgraph, {index, 1})));
    return Log(logger, subgraph, {index, 1}, {kept, subgraph.output}, place);
  }

  absl::Status Log(const c10::IValue& logger, const FloatSubgraph& subgraph,
                   const ShadowIndex& index, const std::vector<Value*>& values,
                   Node* place) {
    NS_ASSIGN_OR_RETURN(
        const std::string name,
        AttachLogger(model(), {logger, ShadowLoggerInfo(subgraph, index)},
                     values.size()));
    return CallLogger(model(), name, values, place).status();
  }

  NShadowsModel result_;
  const QConfigMapping& mapping_;
  const NShadowsOptions& options_;
  const std::vector<FloatSubgraph> subgraphs_;
  SecondPath second_;
  int next_quantizer_ = 0;
  std::map<std::string, std::string> names_;
};

}  // namespace

absl::StatusOr<NShadowsModel> PrepareNShadowsAddLoggersModel(
    const ModelGraph& model, const QConfigMapping& mapping,
    const NShadowsOptions& options) {
  NS_RETURN_IF_ERROR(mapping.Validate());
  if (AttachedCandidateNames(model.module())) {
    return absl::InvalidArgumentError(
        "the model is an n-shadows model already; prepare the float model");
  }
  NS_RETURN_IF_ERROR(CheckWritesNoAttribute(model.graph()));
  NS_ASSIGN_OR_RETURN(ModelGraph copy, model.Clone());
  return Preparer(std::move(copy), mapping, options).Run();
}

}  // namespace ns
