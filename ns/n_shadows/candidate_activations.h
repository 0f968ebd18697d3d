// Rounds what a candidate of a float subgraph takes and gives.
#ifndef NS_N_SHADOWS_CANDIDATE_ACTIVATIONS_H_
#define NS_N_SHADOWS_CANDIDATE_ACTIVATIONS_H_

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/model_graph.h"
#include "passes/quantization/float_subgraphs.h"
#include "passes/runtime/observers/observer_config.h"

namespace torch::jit {
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// The quantizers (ActivationQuantizer) of the candidates of one subgraph of
// `model`. While the model is calibrated they observe the values of the float
// subgraph; candidates whose activations have the same config share them.
class CandidateActivations {
 public:
  // `next_quantizer` counts the quantizers that were attached to the model so
  // far (shadow_attributes.h). All must outlive the object.
  CandidateActivations(ModelGraph& model, const FloatSubgraph& subgraph,
                       int& next_quantizer);

  // Returns `value`, a tensor or a list of tensors, as `config` rounds it;
  // itself where activations stay in float. It is input `index` of the
  // candidate, defined in front of `place`, where it is rounded; `observed` is
  // what the float subgraph takes there, and is observed in front of that.
  // Error: a config that no quantizer has.
  //
  //   %none = prim::CallMethod[name="observe"](%quantizer, %observed)
  //   ...
  //   %rounded = prim::CallMethod[name="forward"](%quantizer, %value)
  absl::StatusOr<torch::jit::Value*> RoundInput(const ObserverConfig& config,
                                                size_t index,
                                                torch::jit::Value* observed,
                                                torch::jit::Value* value,
                                                torch::jit::Node* place);

  // Returns `output`, a tensor of the candidate that stands in front of
  // `place`, as `config` rounds it: itself where results are in float; with the
  // quantizer of the first input in static candidates of ops that keep scale
  // and zero point (KeepsQParams), so that RoundInput must be called for all
  // inputs before; else with one of its own, which observes `observed`, the
  // float subgraph's output. Error: as in RoundInput.
  absl::StatusOr<torch::jit::Value*> RoundOutput(const ObserverConfig& config,
                                                 torch::jit::Value* observed,
                                                 torch::jit::Value* output,
                                                 torch::jit::Node* place);

 private:
  // Attribute names, by what the quantizers are for.
  using Quantizers = std::vector<std::pair<ObserverConfig, std::string>>;

  // The quantizer of `config` among `known`; a new one observes `observed` in
  // front of `place`.
  absl::StatusOr<std::string> QuantizerFor(const ObserverConfig& config,
                                           Quantizers& known,
                                           torch::jit::Value* observed,
                                           torch::jit::Node* place);

  ModelGraph& model_;
  const FloatSubgraph& subgraph_;
  int& next_quantizer_;
  // By the index of the input, in increasing order.
  std::map<size_t, Quantizers> inputs_;
  Quantizers output_;
};

}  // namespace ns

#endif  // NS_N_SHADOWS_CANDIDATE_ACTIVATIONS_H_
