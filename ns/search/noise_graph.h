// A float model with taps on all values that some recipe rounds.
#ifndef NS_SEARCH_NOISE_GRAPH_H_
#define NS_SEARCH_NOISE_GRAPH_H_

#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/graph/graph_copy.h"
#include "ir/model/model_graph.h"
#include "ns/search/calibrated_values.h"
#include "ns/search/noise_events.h"
#include "ns/search/search_space.h"
#include "passes/runtime/noise/noise_rows.h"
#include "passes/runtime/noise/noise_taps.h"

namespace ns {

// Measures what the errors of all events of the recipes (noise_events.h) do to
// the outputs, in one pair of runs:
//
//   graph.Begin(NoiseRun::kNoisy);  // as if all layers ran in int8
//   // run model()
//   graph.Begin(NoiseRun::kClean);  // as in float
//   // run model() on the same batch
//   // begin rows(), differentiate the outputs of both runs, end rows()
//
// The gradients add the column of each event to the rows (noise_rows.h). The
// events are:
//
//  * a layer runs in int8: it computes with its rounded weight and its
//    corrected bias, and its output is rounded for all that take it;
//  * a layer in float gives a value to one that runs in int8: the value is
//    rounded for that one alone, by an edge;
//  * both at once: a layer runs in int8, and all its inputs are rounded for it.
//
// A clamp behind a layer counts as a part of it: what it cuts off is no error.
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
  // Error: that of NoiseEvents::Find.
  static absl::StatusOr<NoiseGraph> Create(const SearchSpace& space,
                                           const CalibratedValues& values);

  ModelGraph& model() { return model_; }

  // To be called before each run of the model.
  void Begin(NoiseRun run);

  const NoiseEvents& events() const { return events_; }

  // A column for each number of events(); the caller begins and ends rows.
  NoiseRows& rows() { return record_->rows; }
  const NoiseRows& rows() const { return record_->rows; }

 private:
  NoiseGraph(const SearchSpace& space, ModelGraph model, NoiseEvents events)
      : space_(&space), model_(std::move(model)), events_(std::move(events)) {}

  absl::Status InsertTaps();
  // The nodes of `layer`, lists that are made for it and clamps behind it
  // included, and their output.
  std::pair<std::vector<torch::jit::Node*>, torch::jit::Value*> AllNodesOf(
      const FloatSubgraph& layer) const;
  // Calls `forward` of `object` in front of `place`, which returns what is like
  // the first argument.
  absl::StatusOr<torch::jit::Value*> Call(
      const c10::IValue& object,
      const std::vector<torch::jit::Value*>& arguments,
      torch::jit::Node* place);
  absl::Status TapEdge(torch::jit::Value& value, torch::jit::Node& user,
                       const std::vector<EdgeNoiseEvent>& events);
  absl::Status TapLayer(const FloatSubgraph& layer,
                        const std::vector<LayerNoiseEvent>& events,
                        const GraphCopy& copy);
  // Inserts at the insertion point what the layer computes as a candidate.
  absl::StatusOr<torch::jit::Value*> InsertCandidate(
      const FloatSubgraph& layer, const std::vector<torch::jit::Node*>& nodes,
      const torch::jit::Value& output, const LayerNoiseEvent& event,
      const GraphCopy& copy);

  const SearchSpace* space_;
  ModelGraph model_;
  NoiseEvents events_;
  std::shared_ptr<NoiseRecord> record_;
  std::vector<c10::intrusive_ptr<NoiseTap>> taps_;
};

}  // namespace ns

#endif  // NS_SEARCH_NOISE_GRAPH_H_
