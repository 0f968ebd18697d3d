// Inserts the quantization candidates of one subgraph into a graph.
#ifndef PASSES_INSTRUMENT_CANDIDATES_INSERT_CANDIDATE_H_
#define PASSES_INSTRUMENT_CANDIDATES_INSERT_CANDIDATE_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"
#include "passes/instrument/candidates/candidate_activations.h"
#include "passes/instrument/logger_info.h"
#include "passes/quantization/layers/float_subgraphs.h"
#include "passes/quantization/qconfig/qconfig.h"

namespace torch::jit {
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// Inserts the candidates of one subgraph of `model`, which is changed in place.
class CandidateInserter {
 public:
  // `next_quantizer` counts the quantizers attached to the model so far.
  CandidateInserter(ModelGraph& model, const FloatSubgraph& subgraph,
                    int& next_quantizer);

  // Adds `logger`, which `info` describes, on the subgraph's own output; comes
  // first. Error: an output without a tensor.
  absl::Status LogFloat(const c10::IValue& logger, const LoggerInfo& info);

  // Adds a candidate, and `logger`, which takes its output and the subgraph's
  // own. The candidate runs where the method `is_enabled` of the logger returns
  // true:
  //
  //   %candidate = prim::If(%is_enabled)
  //     block0():
  //       %x1 = prim::CallMethod[name="forward"](%quantizer, %x)
  //       %y1 = aten::linear(%x1, <quantized weight>, %bias)
  //       %y2 = prim::CallMethod[name="forward"](%other_quantizer, %y1)
  //       -> (%y2)
  //     block1():
  //       -> (<empty tensor>)
  //   %y = aten::linear(%x, %weight, %bias)
  //
  // Error: a subgraph that cannot be copied; the graph then computes what it
  // did before.
  absl::Status Insert(const QConfig& qconfig, const c10::IValue& logger,
                      const LoggerInfo& info);

 private:
  using Value = torch::jit::Value;
  absl::StatusOr<Value*> CopyInto(torch::jit::Node* place,
                                  const QConfig& qconfig);

  ModelGraph& model_;
  const FloatSubgraph& subgraph_;
  // What follows the subgraph.
  torch::jit::Node* behind_;
  // The tensor that is compared: the output, or its first element. Of LogFloat.
  Value* reference_ = nullptr;
  CandidateActivations activations_;
};

}  // namespace ns

#endif  // PASSES_INSTRUMENT_CANDIDATES_INSERT_CANDIDATE_H_
