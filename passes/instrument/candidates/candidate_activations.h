// Chooses how the inputs and the output of a candidate, the quantized form of a
// float subgraph, are rounded.
#ifndef PASSES_INSTRUMENT_CANDIDATES_CANDIDATE_ACTIVATIONS_H_
#define PASSES_INSTRUMENT_CANDIDATES_CANDIDATE_ACTIVATIONS_H_

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"
#include "passes/instrument/variants/rounding.h"
#include "passes/quantization/layers/float_subgraphs.h"
#include "passes/runtime/observers/activation_quantizer.h"
#include "passes/runtime/observers/observer_config.h"

namespace torch::jit {
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// Attaches the quantizers (ActivationQuantizer) to `model` that round the
// activations of the candidates of one subgraph, as attributes
// `ns_quantizer_<index>` that are numbered from 0 on, without gaps. While the
// model is calibrated, static quantizers observe the values of the float
// subgraph. Candidates whose activations have the same config share quantizers.
class CandidateActivations {
 public:
  // `next_quantizer` is the number of quantizers that the model has so far;
  // each new one adds 1. The arguments must outlive the object.
  CandidateActivations(ModelGraph& model, const FloatSubgraph& subgraph,
                       int& next_quantizer);

  // Returns how `config` rounds input `index` of a candidate, a tensor or a
  // list of tensors; not at all where activations stay in float. `observed` is
  // the same input of the float subgraph: a static quantizer observes it before
  // that subgraph. Error: a config that MakeActivationQuantizer refuses.
  //
  //   %none = prim::CallMethod[name="observe"](%quantizer, %observed)
  absl::StatusOr<Rounding> OfInput(const ObserverConfig& config, size_t index,
                                   torch::jit::Value* observed);

  // Returns how `config` rounds the output of a candidate, a tensor; not at all
  // where results are in float, as those of dynamic candidates. In a static
  // candidate of an op that keeps scale and zero point (KeepsQParams), it
  // shares the quantizer of the first input, so call OfInput for all inputs
  // before. Otherwise it has one of its own; a static one observes `observed`,
  // the float subgraph's output. Error: as in OfInput.
  absl::StatusOr<Rounding> OfOutput(const ObserverConfig& config,
                                    torch::jit::Value* observed);

 private:
  // Attribute names, by what the quantizers are for.
  using Quantizers = std::vector<std::pair<ObserverConfig, std::string>>;

  // The quantizer of `config` among `known`; a new one observes `observed` in
  // front of `place`.
  absl::StatusOr<Rounding> QuantizerFor(const ObserverConfig& config,
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

// Returns the quantizers of `module`, in the order of their indices.
std::vector<ActivationQuantizerPtr> AttachedQuantizers(
    const torch::jit::Module& module);

}  // namespace ns

#endif  // PASSES_INSTRUMENT_CANDIDATES_CANDIDATE_ACTIVATIONS_H_
