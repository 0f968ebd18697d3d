// Inserts the quantization candidates of one subgraph into a graph.
#ifndef NS_N_SHADOWS_INSERT_CANDIDATE_H_
#define NS_N_SHADOWS_INSERT_CANDIDATE_H_

#include <vector>

#include "absl/status/status.h"
#include "ir/model/model_graph.h"
#include "ns/n_shadows/candidate_activations.h"
#include "passes/instrument/logger_info.h"
#include "passes/quantization/layers/float_subgraphs.h"
#include "passes/quantization/qconfig/qconfig.h"

namespace torch::jit {
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// The candidates of one subgraph of `model`, which is changed in place; see
// PrepareNShadowsModel for what comes where.
class CandidateInserter {
 public:
  // `next_quantizer` counts the quantizers attached to the model so far.
  CandidateInserter(ModelGraph& model, const FloatSubgraph& subgraph,
                    int& next_quantizer);

  // Adds a logger on the subgraph's own output; comes first. Error: an output
  // without a tensor.
  absl::Status LogFloat(const LoggerInfo& info);

  // Adds a candidate and its logger, which is described by `info` (see
  // candidate_logger.h). Error: a subgraph that cannot be copied; the graph
  // then computes what it did before.
  absl::Status Insert(const QConfig& qconfig, const c10::IValue& logger,
                      const LoggerInfo& info);

 private:
  using Value = torch::jit::Value;
  absl::StatusOr<Value*> CopyInto(torch::jit::Node* place,
                                  const QConfig& qconfig);

  ModelGraph& model_;
  const FloatSubgraph& subgraph_;
  const std::vector<Value*> inputs_;
  // What follows the subgraph.
  torch::jit::Node* behind_;
  // The tensor that is compared: the output, or its first element. Of LogFloat.
  Value* reference_ = nullptr;
  CandidateActivations activations_;
};

}  // namespace ns

#endif  // NS_N_SHADOWS_INSERT_CANDIDATE_H_
