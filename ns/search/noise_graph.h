// A float model with taps on all values that some recipe rounds.
#ifndef NS_SEARCH_NOISE_GRAPH_H_
#define NS_SEARCH_NOISE_GRAPH_H_

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/graph_copy.h"
#include "ir/model_graph.h"
#include "ns/search/calibrated_values.h"
#include "ns/search/search_space.h"
#include "passes/quantization/observer_plan.h"
#include "passes/quantization/qconfig.h"
#include "passes/runtime/noise/noise_rows.h"
#include "passes/runtime/noise/noise_taps.h"

namespace ns {

// The events of a recipe, each with a number of its own:
//
//  * a layer runs in int8: it computes with its rounded weight and its
//    corrected bias, and its output is rounded for all that take it;
//  * a layer in float gives a value to one that runs in int8: the value is
//    rounded for that one alone, by an edge;
//  * both at once: a layer runs in int8, and all its inputs are rounded for it.
//
// Ops that move or pick rounded values (max pools, reshapes, concatenations of
// one scale) add no error, and have no event. A clamp behind a layer counts as
// a part of it: what it cuts off is no error.
//
//   %y = aten::conv2d(%x, %weight, %bias, ...)
//   %r = aten::relu(%y)
// becomes
//   %x1 = prim::CallMethod[name="forward"](%edge_tap, %x)
//   %y = aten::conv2d(%x1, %weight, %bias, ...)
//   %r = aten::relu(%y)
//   %x2 = prim::CallMethod[name="forward"](%rounded_input, %x1)
//   %y2 = aten::conv2d(%x2, %rounded_weight, %corrected_bias, ...)
//   %r2 = aten::relu(%y2)
//   %others = prim::ListConstruct(%r2)
//   %r1 = prim::CallMethod[name="forward"](%layer_tap, %r, %others)
//
// with %r2 once for each candidate (passes/runtime/noise/noise_taps.h).
class NoiseGraph {
 public:
  // `space` and `values`, which must be calibrated, must outlive the object.
  static absl::StatusOr<NoiseGraph> Create(const SearchSpace& space,
                                           const CalibratedValues& values);

  ModelGraph& model() { return model_; }

  // To be called before each run of the model.
  void Begin(NoiseRun run);

  NoiseRows& rows() { return record_->rows; }
  const NoiseRows& rows() const { return record_->rows; }

  // The numbers of the events of a model that is quantized by `plan`, one of
  // the space, and of those that are a layer's own.
  std::vector<int> EventsOf(const ObserverPlan& plan) const;
  std::vector<int> EventsOfLayer(const ObserverPlan& plan,
                                 const PlannedLayer& layer) const;

  // The layers of `plan` whose bias is corrected, by name.
  std::set<std::string> CorrectedLayers(const ObserverPlan& plan) const;

 private:
  // Which layer, how its output is rounded and how its weight; the latter two
  // are places in specs_, -1 for no weight.
  using LayerKey = std::tuple<std::string, int, int>;
  // The value, what takes it, and how it is rounded.
  using EdgeKey =
      std::tuple<const torch::jit::Value*, const torch::jit::Node*, int>;

  struct LayerEvent {
    // Those of both kinds.
    int number = 0;
    int alone_number = 0;
    CalibratedValue output;
    // By operand, in the order of Int8OperandsOf; absent where not known.
    std::vector<std::optional<CalibratedValue>> inputs;
    // Defined for layers with a weight that is rounded; undefined shift for a
    // bias that is not corrected.
    at::Tensor weight;
    at::Tensor shift;
    // Whether it happens in a noisy run.
    bool rounds = false;
  };
  struct EdgeEvent {
    int number = 0;
    CalibratedValue input;
    bool rounds = false;
  };

  NoiseGraph(const SearchSpace& space, const CalibratedValues& values,
             ModelGraph model)
      : space_(&space), values_(&values), model_(std::move(model)) {}

  int SpecIndex(const ObserverSpec& spec);
  int FindSpec(const ObserverSpec& spec) const;
  absl::Status FindEvents(int candidate);
  absl::Status FindLayerEvent(
      const ObserverPlan& plan, const PlannedLayer& layer,
      const std::vector<std::optional<CalibratedValue>>& inputs, bool rounds);
  std::vector<std::optional<CalibratedValue>> FindEdgeEvents(
      const ObserverPlan& plan, const PlannedLayer& layer, int candidate);
  absl::Status InsertTaps();
  // The nodes of `layer`, lists that are made for it and clamps behind it
  // included, and their output.
  std::pair<std::vector<torch::jit::Node*>, torch::jit::Value*> AllNodesOf(
      const FloatSubgraph& layer) const;
  absl::Status TapEdge(torch::jit::Value& value, torch::jit::Node& user,
                       const std::vector<EdgeEvent>& events);
  absl::Status TapLayer(const FloatSubgraph& layer,
                        const std::vector<LayerEvent>& events,
                        const GraphCopy& copy);
  // Inserts at the insertion point what the layer computes as a candidate.
  absl::StatusOr<torch::jit::Value*> InsertCandidate(
      const FloatSubgraph& layer, const std::vector<torch::jit::Node*>& nodes,
      const torch::jit::Value& output, const LayerEvent& event,
      const GraphCopy& copy);

  const SearchSpace* space_;
  const CalibratedValues* values_;
  ModelGraph model_;
  std::shared_ptr<NoiseRecord> record_;
  std::vector<c10::intrusive_ptr<NoiseTap>> taps_;
  std::vector<ObserverSpec> specs_;
  int event_count_ = 0;
  // Of both kinds.
  std::map<LayerKey, std::pair<int, int>> layer_numbers_;
  std::map<EdgeKey, int> edge_numbers_;
  // Of layers by the places of their weights' specs in specs_.
  std::set<std::pair<std::string, int>> corrected_;
  // Until the taps are inserted: by layer, and by value and what takes it.
  std::map<std::string, std::vector<LayerEvent>> layer_events_;
  std::map<std::pair<torch::jit::Value*, torch::jit::Node*>,
           std::vector<EdgeEvent>>
      edge_events_;
};

}  // namespace ns

#endif  // NS_SEARCH_NOISE_GRAPH_H_
