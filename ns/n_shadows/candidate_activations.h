// Rounds the inputs and the output of a candidate, the quantized form of a
// float subgraph.
#ifndef NS_N_SHADOWS_CANDIDATE_ACTIVATIONS_H_
#define NS_N_SHADOWS_CANDIDATE_ACTIVATIONS_H_

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"
#include "passes/quantization/layers/float_subgraphs.h"
#include "passes/runtime/observers/observer_config.h"

namespace torch::jit {
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// Attaches quantizers (ActivationQuantizer) to `model` and inserts the calls
// that round the activations of the candidates of one subgraph: they quantize
// and dequantize them. While the model is calibrated, static quantizers observe
// the values of the float subgraph. Candidates whose activations have the same
// config share quantizers.
class CandidateActivations {
 public:
  // `next_quantizer` is the number of quantizers that the model has so far
  // (shadow_attributes.h); each new one adds 1. The arguments must outlive the
  // object.
  CandidateActivations(ModelGraph& model, const FloatSubgraph& subgraph,
                       int& next_quantizer);

  // Rounds `value`, input `index` of a candidate, as `config` says, and returns
  // the result; returns `value` itself where activations stay in float. It is a
  // tensor or a list of tensors, defined in front of `place`, where the call is
  // inserted. `observed` is the same input of the float subgraph: a static
  // quantizer observes it in front of that subgraph. Error: a config that
  // MakeActivationQuantizer refuses.
  //
  //   %none = prim::CallMethod[name="observe"](%quantizer, %observed)
  //   ...
  //   %rounded = prim::CallMethod[name="forward"](%quantizer, %value)
  absl::StatusOr<torch::jit::Value*> RoundInput(const ObserverConfig& config,
                                                size_t index,
                                                torch::jit::Value* observed,
                                                torch::jit::Value* value,
                                                torch::jit::Node* place);

  // Rounds `output`, a tensor that the candidate computes in front of `place`,
  // and returns the result; returns `output` itself where results are in float,
  // as those of dynamic candidates. In a static candidate of an op that keeps
  // scale and zero point (KeepsQParams), it shares the quantizer of the first
  // input, so call RoundInput for all inputs before. Else it has one of its
  // own; a static one observes `observed`, the float subgraph's output. Error:
  // as in RoundInput.
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
