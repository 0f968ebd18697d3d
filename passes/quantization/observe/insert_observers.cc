#include "passes/quantization/observe/insert_observers.h"

#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/graph/insert_op.h"
#include "ir/graph/node_view.h"
#include "ir/graph/pass_context.h"
#include "ir/model/insert_method_call.h"
#include "ir/model/model_graph.h"
#include "passes/quantization/observe/observer_object.h"
#include "passes/quantization/observe/prepared_model.h"
#include "passes/runtime/observers/observer_options.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

bool IsIn(const Node* node, const Node* around) {
  while (node != nullptr && node != around) {
    node = node->owningBlock()->owningNode();
  }
  return node != nullptr;
}

// Whether an observer of its own sees the input of `layer`.
bool IsWatched(const PlannedLayer& layer) {
  return !layer.limits.IsAll() || layer.is_conditional;
}

// The number of that observer.
int WatcherOf(const ObserverPlan& plan, int layer) {
  return static_cast<int>(plan.observers.size()) + layer;
}

class Inserter {
 public:
  Inserter(ModelGraph& model, const ObserverPlan& plan)
      : model_(model), plan_(plan) {}

  absl::Status Run() {
    for (const ObservedPoint& point : plan_.points) {
      NS_RETURN_IF_ERROR(
          Attach(point.observer, plan_.observers[point.observer]));
      NS_RETURN_IF_ERROR(Observe(point));
    }
    for (size_t i = 0; i < plan_.layers.size(); ++i) {
      NS_RETURN_IF_ERROR(MarkWeight(plan_.layers[i], static_cast<int64_t>(i)));
      NS_RETURN_IF_ERROR(GatherMeans(plan_.layers[i], static_cast<int64_t>(i)));
      NS_RETURN_IF_ERROR(Watch(plan_.layers[i], static_cast<int>(i)));
    }
    return absl::OkStatus();
  }

 private:
  absl::Status Attach(int number, const ObserverSpec& spec) {
    const std::string name = ObserverAttribute(number);
    if (model_.module().hasattr(name)) {
      return absl::OkStatus();
    }
    NS_ASSIGN_OR_RETURN(const c10::IValue object, MakeObserverObject(spec));
    model_.module().register_attribute(name, object.type(), object);
    return absl::OkStatus();
  }

  absl::Status Observe(const ObservedPoint& point) {
    Value* value = point.value;
    Node* place = PlaceAfter(*value);
    NS_ASSIGN_OR_RETURN(
        Value * observed,
        InsertMethodCall(model_, ObserverAttribute(point.observer),
                         point.is_seen ? "forward" : "hand_on", {value},
                         place));
    observed->setType(value->type());
    if (value->node()->kind() != c10::prim::Param) {
      observed->node()->copyMetadata(value->node());
    }
    const std::vector<torch::jit::Use> uses(value->uses().begin(),
                                            value->uses().end());
    for (const torch::jit::Use& use : uses) {
      const bool is_meant = point.users.empty() ||
                            absl::c_any_of(point.users, [&](const Node* user) {
                              return IsIn(use.user, user);
                            });
      if (is_meant && !IsObserverCall(*use.user)) {
        use.user->replaceInput(use.offset, observed);
      }
    }
    return absl::OkStatus();
  }

  absl::Status MarkWeight(const PlannedLayer& layer, int64_t index) {
    if (layer.weight < 0) {
      return absl::OkStatus();
    }
    const ObservedWeight& weight = plan_.weights[layer.weight];
    const torch::jit::WithInsertPoint in_front(weight.node);
    NS_ASSIGN_OR_RETURN(Value * marked,
                        InsertOp(model_.graph(), kObservedWeight,
                                 {weight.node->input(weight.input), index}));
    marked->node()->copyMetadata(weight.node);
    weight.node->replaceInput(weight.input, marked);
    return absl::OkStatus();
  }

  absl::Status GatherMeans(const PlannedLayer& layer, int64_t index) {
    if (!layer.input_means) {
      return absl::OkStatus();
    }
    const std::string name = MeansAttribute(index);
    const auto means = c10::make_intrusive<InputMeans>(*layer.input_means);
    model_.module().register_attribute(name, c10::getTypePtr<InputMeansPtr>(),
                                       c10::IValue(means));
    return SeeInput(name, *layer.base, layer);
  }

  // Hands the first input of `taker`, which is the base op of `layer` or what
  // makes a list for it, to `forward` of the object at attribute `name`.
  absl::Status SeeInput(const std::string& name, Node& taker,
                        const PlannedLayer& layer) {
    NS_ASSIGN_OR_RETURN(
        Value * handed_on,
        InsertMethodCall(model_, name, "forward", {taker.input(0)}, &taker));
    handed_on->setType(taker.input(0)->type());
    handed_on->node()->copyMetadata(layer.base);
    taker.replaceInput(0, handed_on);
    return absl::OkStatus();
  }

  // Sees the first input of the base op itself: other observers may see a value
  // before a reshape, or values of other layers.
  absl::Status Watch(const PlannedLayer& layer, int index) {
    if (!IsWatched(layer)) {
      return absl::OkStatus();
    }
    const int number = WatcherOf(plan_, index);
    NS_RETURN_IF_ERROR(Attach(number, SpecOf(ObserverKind::kNoop)));
    Node* taker = IsTensorList(*layer.base->input(0))
                      ? layer.base->input(0)->node()
                      : layer.base;
    return SeeInput(ObserverAttribute(number), *taker, layer);
  }

  ModelGraph& model_;
  const ObserverPlan& plan_;
};

PreparedModel RecordOf(const ObserverPlan& plan, QuantizationReport known) {
  PreparedModel prepared;
  for (size_t i = 0; i < plan.layers.size(); ++i) {
    const PlannedLayer& layer = plan.layers[i];
    PreparedLayer record;
    record.name = layer.name;
    record.op = layer.op;
    record.qconfig = layer.qconfig;
    record.rule = layer.rule;
    record.inputs.assign(layer.inputs.begin(), layer.inputs.end());
    record.output = layer.output;
    record.limits = layer.limits;
    if (IsWatched(layer)) {
      record.watcher = WatcherOf(plan, static_cast<int>(i));
    }
    if (layer.weight >= 0) {
      record.weight = OptionsOf(plan.weights[layer.weight].spec.config);
    }
    prepared.layers.push_back(std::move(record));
  }
  prepared.report = std::move(known);
  const auto append = [](const auto& from, auto& to) {
    to.insert(to.end(), from.begin(), from.end());
  };
  append(plan.stayed_float, prepared.report.stayed_float);
  append(plan.unused_rules, prepared.report.unused_rules);
  append(plan.warnings, prepared.report.warnings);
  return prepared;
}

}  // namespace

absl::Status CarryOutPlan(ModelGraph& model, const ObserverPlan& plan,
                          QuantizationReport known) {
  return CatchTorchErrors("inserting observers", [&]() -> absl::Status {
    NS_RETURN_IF_ERROR(Inserter(model, plan).Run());
    AttachPreparedModel(model.module(), RecordOf(plan, std::move(known)));
    return absl::OkStatus();
  });
}

absl::StatusOr<bool> InsertObservers::Run(ModelGraph& model,
                                          PassContext& context) const {
  (void)context;
  if (IsPrepared(model.module())) {
    return false;
  }
  const ObserverPlan plan = PlanObservers(model.graph(), options_);
  NS_RETURN_IF_ERROR(CarryOutPlan(model, plan, /*known=*/{}));
  return !plan.points.empty();
}

}  // namespace ns
