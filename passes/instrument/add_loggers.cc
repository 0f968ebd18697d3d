#include "passes/instrument/add_loggers.h"

#include <string>

#include "ir/base/status.h"
#include "ir/graph/verifier.h"
#include "passes/instrument/insert_logger.h"
#include "passes/matching/matches/matched_outputs.h"

namespace ns {
namespace {

// `side` is one of `match`.
absl::Status AddLoggersTo(ModelGraph& model, const SubgraphMatch& match,
                          const MatchedSide& side, const std::string& name,
                          const LoggerOptions& options) {
  const LoggerInfo info = OutputInfo(match, side, name);
  // At a quantize point, what A logs is the input of what B logs.
  if (options.should_log_inputs && !match.is_quantize_point) {
    NS_RETURN_IF_ERROR(InsertInputLoggers(model, options, info, side.subgraph,
                                          side.subgraph, side.subgraph.start));
  }
  for (const MatchedOutput& output : MatchedOutputs(match)) {
    const OutputTensor& tensor = &side == &match.a ? output.a : output.b;
    NS_RETURN_IF_ERROR(InsertOutputLogger(model, options, info, output, tensor,
                                          tensor.value, PlaceOf(side)));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status AddLoggers(const std::string& name_a, ModelGraph& a,
                        const std::string& name_b, ModelGraph& b,
                        const MatchResult& matches,
                        const LoggerOptions& options) {
  for (const SubgraphMatch& match : matches.matches) {
    NS_RETURN_IF_ERROR(AddLoggersTo(a, match, match.a, name_a, options));
    NS_RETURN_IF_ERROR(AddLoggersTo(b, match, match.b, name_b, options));
  }
  NS_RETURN_IF_ERROR(VerifyGraph(a.graph()));
  return VerifyGraph(b.graph());
}

}  // namespace ns
