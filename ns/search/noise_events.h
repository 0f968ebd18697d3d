// Lists the errors that quantization can make in the models of a search space.
#ifndef NS_SEARCH_NOISE_EVENTS_H_
#define NS_SEARCH_NOISE_EVENTS_H_

#include <ATen/core/Tensor.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ns/search/calibrated_values.h"
#include "ns/search/search_space.h"
#include "passes/quantization/convert/calibrated_value.h"
#include "passes/quantization/layers/float_subgraphs.h"
#include "passes/quantization/layers/int8_operands.h"
#include "passes/quantization/observe/observer_plan.h"
#include "passes/quantization/qconfig/qconfig.h"

namespace ns {

// A layer runs in int8, with one way to round its output and its weight. The
// event has two numbers, each less than NoiseEvents::count().
struct LayerNoiseEvent {
  // For models in which an input comes from a layer in int8. Inputs that are
  // rounded for this layer have edge events.
  int number = 0;
  // For models in which all inputs are rounded for this layer: that is a part
  // of the event, and there are no edge events.
  int alone_number = 0;
  // What the observer of the output finds.
  CalibratedValue output;
  // What the observers of the operands find, in the order of Int8OperandsOf;
  // absent where that is not known. Empty for an IsNoiselessClamp.
  std::vector<std::optional<CalibratedValue>> inputs;
  // The weight, rounded and dequantized; undefined for layers without one.
  at::Tensor weight;
  // What bias correction adds to each output channel
  // (CalibratedValues::ShiftOf); undefined where the bias is not corrected.
  at::Tensor shift;
  // Whether it happens where all layers have the first candidate.
  bool rounds = false;
};

// A value is rounded for a layer that takes it, and for that one alone.
// `number` and `rounds` are as in LayerNoiseEvent.
struct EdgeNoiseEvent {
  int number = 0;
  CalibratedValue input;
  bool rounds = false;
};

// A value and what takes it.
using NoiseEdge = std::pair<torch::jit::Value*, torch::jit::Node*>;

// Whether `subgraph` is a relu or clamp that takes rounded values and gives
// some of them.
bool IsNoiselessClamp(const FloatSubgraph& subgraph);

// The events of all recipes of a search space, with a number for each. Which of
// them happen in a recipe depends on how values are rounded, which is not
// always as the layer's own candidate has it: values that share a scale, as
// those of a concatenation, have that of the first candidate among them. So a
// layer whose output shares one has an event for each candidate's scale.
//
// Ops that move or pick rounded values (max pools, reshapes, concatenations of
// one scale) add no error, and have no event.
class NoiseEvents {
 public:
  // `space` and `values`, which must be calibrated, must outlive the object.
  // Error: an observer whose answer `values` does not know.
  static absl::StatusOr<NoiseEvents> Find(const SearchSpace& space,
                                          const CalibratedValues& values);

  // How many numbers there are.
  int count() const { return count_; }
  // By the names of the layers.
  const std::map<std::string, std::vector<LayerNoiseEvent>>& layers() const {
    return layers_;
  }
  // In the order in which they were found: of the layers that take them.
  const std::vector<std::pair<NoiseEdge, std::vector<EdgeNoiseEvent>>>& edges()
      const {
    return edges_;
  }

  // Of returns the numbers of the events that happen in a model that is
  // quantized by `plan`, one of the space. OfLayer returns those of one layer
  // of the plan: that it runs in int8, and that inputs are rounded for it.
  std::vector<int> Of(const ObserverPlan& plan) const;
  std::vector<int> OfLayer(const ObserverPlan& plan,
                           const PlannedLayer& layer) const;

  // The layers of `plan` whose bias is corrected, by name.
  std::set<std::string> CorrectedLayers(const ObserverPlan& plan) const;

 private:
  // How the output is rounded and how the weight: places in specs_, -1 for no
  // weight.
  using RoundingKey = std::pair<int, int>;

  // What is known of a layer whatever the recipe.
  struct LayerFacts {
    const FloatSubgraph* subgraph = nullptr;
    std::vector<Int8Operand> operands;
    // Whether it moves values, rounded ones without an error.
    bool moves = false;
    // Whether its candidate is its own, and not that of its input.
    bool has_choice = false;
    // Both numbers.
    std::map<RoundingKey, std::pair<int, int>> numbers;
    // Places of the weights' specs in specs_ that go with a corrected bias.
    std::set<int> corrected;
  };
  class Points;

  NoiseEvents(const SearchSpace& space, const CalibratedValues& values)
      : space_(&space), values_(&values) {}

  int SpecIndex(const ObserverSpec& spec);
  int FindSpec(const ObserverSpec& spec) const;
  void AddFacts();
  // Whether the output of another layer, with a choice of its own, has the
  // scale of that of `layer`.
  bool SharesOutput(const ObserverPlan& plan, const PlannedLayer& layer) const;
  absl::Status FindEvents(size_t candidate);
  // The event that `layer` of `plan` runs in int8 and its output is rounded as
  // observer `output` of `output_plan` finds.
  absl::Status FindLayerEvent(
      const ObserverPlan& plan, const PlannedLayer& layer,
      const ObserverPlan& output_plan, int output,
      const std::vector<std::optional<CalibratedValue>>& inputs, bool rounds);
  absl::StatusOr<std::vector<std::optional<CalibratedValue>>> FindEdgeEvents(
      const ObserverPlan& plan, const PlannedLayer& layer, size_t candidate);
  void AddEdge(const Int8Operand& operand, const ObserverSpec& spec,
               const CalibratedValue& input, bool rounds);
  std::vector<int> OfLayer(const ObserverPlan& plan, const PlannedLayer& layer,
                           const Points& points) const;
  // Both numbers of the layer as `plan` has it, or of the event that is most
  // like it; nothing for a layer without any.
  std::optional<std::pair<int, int>> NumbersOf(const ObserverPlan& plan,
                                               const PlannedLayer& layer) const;

  const SearchSpace* space_;
  const CalibratedValues* values_;
  std::vector<ObserverSpec> specs_;
  int count_ = 0;
  // By the names of the layers.
  std::map<std::string, LayerFacts> facts_;
  std::map<std::string, std::vector<LayerNoiseEvent>> layers_;
  std::vector<std::pair<NoiseEdge, std::vector<EdgeNoiseEvent>>> edges_;
  // The places in edges_, and by the place of the spec the number.
  std::map<NoiseEdge, std::pair<size_t, std::map<int, int>>> edge_numbers_;
};

}  // namespace ns

#endif  // NS_SEARCH_NOISE_EVENTS_H_
