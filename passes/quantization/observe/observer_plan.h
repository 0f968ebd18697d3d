// Decides which subgraphs of a float graph run in int8, and where their values
// are observed for it.
#ifndef PASSES_QUANTIZATION_OBSERVE_OBSERVER_PLAN_H_
#define PASSES_QUANTIZATION_OBSERVE_OBSERVER_PLAN_H_

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ir/graph/layer_id.h"
#include "passes/ops/op_relations.h"
#include "passes/ops/shape_limits.h"
#include "passes/quantization/layers/float_subgraphs.h"
#include "passes/quantization/layers/quantization_report.h"
#include "passes/quantization/observe/observer_points.h"
#include "passes/quantization/observe/unbalanced_parts.h"
#include "passes/quantization/qconfig/qconfig.h"
#include "passes/quantization/qconfig/qconfig_mapping.h"
#include "passes/runtime/observers/values/input_means.h"

namespace torch::jit {
struct Graph;
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

class PlannedGraph;

// A weight that is quantized.
struct ObservedWeight {
  // The node, and the index of its input that holds the weight.
  torch::jit::Node* node = nullptr;
  int input = 0;
  ObserverSpec spec;
};

// A subgraph that is to run in int8.
struct PlannedLayer {
  // FloatSubgraph::id, name and op; QConfigName, QConfigChoice::rule.
  LayerId id = LayerId(0);
  std::string name;
  std::string op;
  std::string qconfig;
  std::string rule;
  // Indices of observers: of the inputs, in order, and of the output.
  std::vector<int> inputs;
  int output = 0;
  // Index of ObserverPlan::weights; -1 for none.
  int weight = -1;
  // How the layer goes over its input; set where the means of that input are
  // gathered (ObserverPlanOptions::input_means).
  std::optional<ConvGeometry> input_means;
  torch::jit::Node* base = nullptr;
  // LimitsInInt8 of the base op.
  ShapeLimits limits;
  // Whether it is inside of control flow: it may never run, though observers
  // that it shares with other layers see values.
  bool is_conditional = false;
};

struct ObserverPlan {
  // Each is shared by all points with its index: values that need the same
  // scale and zero point.
  std::vector<ObserverSpec> observers;
  // In order of execution of what makes the values.
  std::vector<ObservedPoint> points;
  std::vector<ObservedWeight> weights;
  // In order of execution.
  std::vector<PlannedLayer> layers;
  std::vector<FloatLayer> stayed_float;
  // Entries of ObserverPlanOptions::keep that kept nothing: "keep 'fc'".
  std::vector<std::string> unused_rules;
  // For the user, one line each: a qconfig that was changed to fit a kernel.
  std::vector<std::string> warnings;
};

struct ObserverPlanOptions {
  QConfigMapping mapping;
  // Subgraphs that stay in float, whatever the mapping says: names or globs of
  // FloatSubgraph::name ("layer1.*"), ops ("aten::linear"), families ("linear")
  // and types of modules ("Linear").
  std::vector<std::string> keep;
  // Names of further subgraphs that stay in float, and why.
  std::map<std::string, std::string> float_layers;
  // The concatenations whose inputs do not share one observer. Not with
  // `compat`.
  UnbalancedParts parts;
  OpRelations relations;
  // Whether layers whose bias can be corrected (bias_correction.h) gather the
  // means of their inputs.
  bool input_means = false;
  // Places observers where PyTorch 1.13's prepare_fx does: see PlanObservers.
  bool compat = false;
  // Whether ops are to stay float, with quantize and dequantize around them:
  // activations can then have dtypes that no int8 kernel takes.
  bool reference = false;
};

// Plans for `graph`, a frozen float graph (ir/model/model_graph.h). Points come
// from data flow, through prim::If, prim::Loop, lists and views:
//
//  * the inputs of each subgraph that runs in int8, unless they are quantized
//    already, and its output, have a point;
//  * a value has one point, whoever uses it;
//  * a value that only a relu or clamp takes gets the qparams of what comes out
//    of that, whose range is smaller: clipping is what the clamp does anyhow;
//  * one observer sees the inputs and the output of pools, clamps, stacks and
//    concatenations, which hand their scale and zero point on; values that move
//    through reshapes and slices; and what the arms of a prim::If give. The
//    inputs and the output of a concatenation in UnbalancedParts::own_ranges
//    have an observer each;
//  * where LibTorch's op has fixed qparams (sigmoid), an observer of these
//    stands behind it.
//
// A subgraph stays in float when the options or the mapping say so, when its
// call has no int8 form (int8_form.h) or no kernel takes its qconfig, when only
// a run tells which tensors it takes, when an op in place writes to its values,
// and when nothing quantizes its input and it does not choose a range of its
// own (a pool, a sigmoid). Concatenations in UnbalancedParts::lost stay in
// float, and so does what would quantize their output, but for layers with a
// weight (lost_parts.h). `stayed_float` has the reasons. Subgraphs with a
// qconfig that is not static are in no list: quantize-dynamic is for them.
//
// `compat` does what prepare_fx does where that differs: pools of float values
// run in int8, too, reshapes have a point after them, calls that it does not
// list (chunk, slice, bmm, nn.Flatten) stay in float and end the flow of
// quantized values (fx_forms.h), clamps are seen before as well as after, sums
// and products with a number share the observer of their input, and its
// mistakes are made (fx_unobserved.h).
ObserverPlan PlanObservers(torch::jit::Graph& graph,
                           const ObserverPlanOptions& options);

// Makes many plans for one graph: what they have in common, such as which ops
// write to which values, is found once. Neither the graph nor the quantized
// engine that is set may change meanwhile.
class ObserverPlanner {
 public:
  explicit ObserverPlanner(torch::jit::Graph& graph,
                           const OpRelations& relations = {});
  ~ObserverPlanner();

  // The layers of the graph: FindFloatSubgraphs with FusingOps::kLibTorch.
  // PlannedLayer::id is of these.
  const std::vector<FloatSubgraph>& layers() const;

  // What PlanObservers returns with these options, whose relations are those of
  // the planner, and which are not `compat`.
  ObserverPlan Plan(const ObserverPlanOptions& options) const;

 private:
  std::unique_ptr<PlannedGraph> graph_;
};

}  // namespace ns

#endif  // PASSES_QUANTIZATION_OBSERVE_OBSERVER_PLAN_H_
