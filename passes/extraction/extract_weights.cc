#include "passes/extraction/extract_weights.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "ir/graph/node_view.h"

namespace ns {
namespace {

std::vector<SingleResult> Records(const std::string& layer,
                                  const std::string& model_name,
                                  const MatchedSide& side,
                                  std::vector<NamedTensor> weights) {
  std::vector<SingleResult> records;
  for (NamedTensor& weight : weights) {
    SingleResult record;
    record.values.push_back(std::move(weight.value));
    record.parameter = std::move(weight.name);
    record.info.layer = layer;
    record.info.layer_in_model = side.name;
    record.info.type = kWeightResult;
    record.info.model_name = model_name;
    record.info.ref_node_name = NodeName(*side.subgraph.base);
    record.info.ref_node_target_type = std::string(OpName(*side.subgraph.base));
    record.info.prev_node_name = record.info.ref_node_name;
    record.info.prev_node_target_type = record.info.ref_node_target_type;
    record.info.fqn = side.fqn;
    records.push_back(std::move(record));
  }
  return records;
}

absl::StatusOr<std::vector<NamedTensor>> WeightsOf(
    const std::string& layer, const MatchedSide& side, const ModelGraph& model,
    const ExtractWeightsOptions& options) {
  return Annotated(layer, MatchedWeights(side.subgraph, model,
                                         options.op_to_weight_extraction_fn));
}

}  // namespace

absl::StatusOr<Results> ExtractMatchedWeights(
    const std::string& name_a, const ModelGraph& a, const std::string& name_b,
    const ModelGraph& b, const MatchResult& matches,
    const ExtractWeightsOptions& options) {
  Results results;
  for (const SubgraphMatch& match : matches.matches) {
    if (match.is_quantize_point) {
      continue;
    }
    NS_ASSIGN_OR_RETURN(std::vector<NamedTensor> weights_a,
                        WeightsOf(match.name, match.a, a, options));
    NS_ASSIGN_OR_RETURN(std::vector<NamedTensor> weights_b,
                        WeightsOf(match.name, match.b, b, options));
    if (weights_a.empty() || weights_b.empty()) {
      continue;
    }
    ResultsByModel& by_model = results[match.name][kWeightResult];
    by_model[name_a] =
        Records(match.name, name_a, match.a, std::move(weights_a));
    by_model[name_b] =
        Records(match.name, name_b, match.b, std::move(weights_b));
  }
  return results;
}

}  // namespace ns
