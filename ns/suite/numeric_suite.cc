#include "ns/suite/numeric_suite.h"

#include <string>
#include <utility>
#include <vector>

#include "ir/base/status.h"

namespace ns {

absl::StatusOr<Results> ExtractWeights(
    const std::string& name_a, const ModelGraph& a, const std::string& name_b,
    const ModelGraph& b, const MatchOptions& options,
    const ExtractWeightsOptions& extract_options) {
  NS_ASSIGN_OR_RETURN(const MatchResult matches, MatchSubgraphs(a, b, options));
  return ExtractMatchedWeights(name_a, a, name_b, b, matches, extract_options);
}

absl::StatusOr<LoggedModels> AddLoggers(const std::string& name_a,
                                        const ModelGraph& a,
                                        const std::string& name_b,
                                        const ModelGraph& b,
                                        const LoggerOptions& loggers,
                                        const MatchOptions& options) {
  NS_ASSIGN_OR_RETURN(ModelGraph copy_a, a.Clone());
  NS_ASSIGN_OR_RETURN(ModelGraph copy_b, b.Clone());
  NS_ASSIGN_OR_RETURN(const MatchResult matches,
                      MatchSubgraphs(copy_a, copy_b, options));
  NS_RETURN_IF_ERROR(
      AddLoggers(name_a, copy_a, name_b, copy_b, matches, loggers));
  return LoggedModels{std::move(copy_a), std::move(copy_b)};
}

absl::StatusOr<ShadowModel> AddShadowLoggers(const std::string& name_a,
                                             const ModelGraph& a,
                                             const std::string& name_b,
                                             const ModelGraph& b,
                                             const LoggerOptions& loggers,
                                             const MatchOptions& options) {
  NS_ASSIGN_OR_RETURN(ModelGraph copy_b, b.Clone());
  NS_ASSIGN_OR_RETURN(const MatchResult matches,
                      MatchSubgraphs(a, copy_b, options));
  NS_ASSIGN_OR_RETURN(
      std::vector<NotShadowedMatch> not_shadowed,
      AddShadowLoggers(name_a, a, name_b, copy_b, matches, loggers));
  return ShadowModel{std::move(copy_b), std::move(not_shadowed)};
}

absl::StatusOr<Results> ExtractShadowLoggerInfo(
    const torch::jit::Module& module, const ExtractLoggerInfoOptions& options) {
  return ExtractLoggerInfo({module}, options);
}

}  // namespace ns
