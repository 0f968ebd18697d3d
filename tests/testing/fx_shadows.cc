#include "tests/testing/fx_shadows.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "ns/suite/numeric_suite.h"
#include "passes/instrument/add_shadow_loggers.h"
#include "passes/instrument/logger_info.h"
#include "passes/matching/graph_matcher.h"
#include "tests/testing/fx_cases.h"
#include "tests/testing/results.h"
#include "tests/testing/status.h"

namespace ns {

FxShadows::FxShadows(const std::string& name, const std::string& stage_a,
                     const std::string& stage_b, bool should_log_inputs) {
  SCOPED_TRACE(name + ": " + stage_a + " shadows " + stage_b);
  MatchOptions match;
  match.mode = MatchingMode::kStrict;
  LoggerOptions options;
  options.should_log_inputs = should_log_inputs;
  ModelGraph b = FxModel(name, stage_b);
  ShadowModel shadowed = OrThrow(
      AddShadowLoggers("a", FxModel(name, stage_a), "b", b, options, match));
  for (const NotShadowedMatch& match : shadowed.not_shadowed) {
    ADD_FAILURE() << match.name << " is not shadowed: " << match.reason;
  }
  output = OrThrow(shadowed.model.Run(FxInputs(name)));
  plain_output = OrThrow(b.Run(FxInputs(name)));
  loggers = AttachedLoggers(shadowed.model.module()).size();
  results = OrThrow(ExtractShadowLoggerInfo(shadowed.model.module()));
  ExpectComparable(results);
}

std::vector<std::string> FxShadows::layers() const {
  return LayersWith(results, kNodeOutputResult);
}

double FxShadows::sqnr() const {
  return LowestSqnr(results, kNodeOutputResult);
}

const at::Tensor& FxShadows::Output(const std::string& layer,
                                    const std::string& model) const {
  return results.Find(layer)
      ->at(kNodeOutputResult)
      .at(model)
      .at(0)
      .values.at(0);
}

}  // namespace ns
