#include "ns/reference/compare_reference.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "ir/base/status.h"
#include "ns/batches/batch.h"
#include "ns/reference/reference_comparer.h"
#include "ns/reference/reference_files.h"
#include "ns/suite/describe_models.h"
#include "ns/suite/non_finite_inputs.h"
#include "ns/suite/user_figures.h"
#include "passes/matching/graph_matcher.h"

namespace ns {
namespace {

absl::Status RunAndCompare(ReferenceComparer& comparer,
                           const BatchReader& batches,
                           const CompareOptions& options,
                           ComparisonResult& result) {
  NonFiniteInputs inputs(comparer.schema());
  const int64_t count = batches.size();
  for (int64_t i = 0; i < count; ++i) {
    NS_ASSIGN_OR_RETURN(const Batch batch, batches.Read(i));
    inputs.Look(batch, i);
    NS_RETURN_IF_ERROR(comparer.Run(batch, i));
    result.batches = i + 1;
    if (options.progress) {
      options.progress(i + 1, count);
    }
    if (options.is_settled && i + 1 < count) {
      comparer.AddFigures(result);
      if (options.is_settled(result, count - i - 1)) {
        break;
      }
    }
  }
  comparer.AddFigures(result);
  NS_RETURN_IF_ERROR(comparer.AddReasons(result));
  result.inputs_are_finite = !inputs.found();
  if (inputs.found()) {
    result.warnings.push_back(inputs.Warning());
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ComparisonResult> CompareWithReference(
    const ModelGraph& float_model, const ModelGraph& quantized_model,
    const BatchReader& batches, const std::string& directory,
    const CompareOptions& options) {
  NS_ASSIGN_OR_RETURN(ReferenceFiles files, ReferenceFiles::Open(directory));
  NS_ASSIGN_OR_RETURN(ModelGraph copy, quantized_model.Clone());
  NS_ASSIGN_OR_RETURN(const MatchResult matches,
                      MatchSubgraphs(float_model, copy, options.match));
  NS_ASSIGN_OR_RETURN(ComparisonResult result,
                      DescribeModels(float_model, copy, matches, options));
  NS_ASSIGN_OR_RETURN(ReferenceComparer comparer,
                      ReferenceComparer::Create(std::move(copy), matches,
                                                std::move(files), options));
  result.reference = directory;
  result.has_activations = true;
  for (const UserMetric& metric : options.user_metrics) {
    result.user_metrics.push_back(metric.name);
  }
  NS_RETURN_IF_ERROR(RunAndCompare(comparer, batches, options, result));
  for (std::string& warning : NanWarnings(result)) {
    result.warnings.push_back(std::move(warning));
  }
  return result;
}

}  // namespace ns
