#include "ns/suite/describe_models.h"

#include <cstddef>
#include <utility>

#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ns/suite/find_coverage.h"
#include "ns/suite/layer_parameters.h"
#include "ns/suite/matched_weights.h"
#include "ns/suite/model_graphs.h"
#include "ns/suite/result_of_matches.h"
#include "passes/analysis/value_facts.h"

namespace ns {
namespace {

// Tells what of the quantized model is quantized.
absl::Status DescribeCoverage(const ModelGraph& quantized_model,
                              const ValueFacts& facts,
                              const MatchResult& matches,
                              const OpIoTypes& io_types,
                              ComparisonResult& result) {
  const auto runs_in = FindRunsIn(facts, matches);
  for (size_t i = 0; i < runs_in.size(); ++i) {
    result.layers[i].runs_in = runs_in[i];
  }
  NS_ASSIGN_OR_RETURN(
      result.coverage, CatchTorchErrors("looking for what is quantized", [&] {
        return FindCoverage(quantized_model, matches, runs_in, io_types);
      }));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ComparisonResult> DescribeModels(
    const ModelGraph& float_model, const ModelGraph& quantized_model,
    const MatchResult& matches, const CompareOptions& options) {
  NS_ASSIGN_OR_RETURN(
      ComparisonResult result,
      ResultOfMatches(float_model, quantized_model, matches, options.match));
  DataFlowGraphs graphs = GraphsOf(float_model, quantized_model, matches);
  result.swapped = FindSwapped(graphs);
  if (options.graphs) {
    result.graphs = std::move(graphs);
  }
  if (options.weights) {
    NS_RETURN_IF_ERROR(CompareMatchedWeights(
        float_model, quantized_model, matches,
        {options.op_to_weight_extraction_fn, options.histograms}, result));
  }
  const ValueFacts facts(quantized_model.graph(), options.io_types);
  DescribeParameters(facts, matches, result.layers);
  DescribeSources(matches, result);
  NS_RETURN_IF_ERROR(DescribeCoverage(quantized_model, facts, matches,
                                      options.io_types, result));
  if (options.check_matches) {
    NS_RETURN_IF_ERROR(options.check_matches(result));
  }
  return result;
}

}  // namespace ns
