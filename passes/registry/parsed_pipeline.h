// Makes pipelines from text, of passes of one model and of two, and runs them.
#ifndef PASSES_REGISTRY_PARSED_PIPELINE_H_
#define PASSES_REGISTRY_PARSED_PIPELINE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ir/pass.h"
#include "ir/pass_context.h"
#include "ir/pass_runner.h"
#include "passes/pipeline/pair_pass.h"
#include "passes/registry/pass_registry.h"

namespace ns {

class ParsedPipeline {
 public:
  // Makes the passes that `text` names, which are among `passes`:
  //
  //   fold-reference-quantization,lower-to-fbgemm{numerics=fbgemm-avx2}
  //
  // Where there are two models, passes of one model run on the quantized one,
  // or with {on=float} on the float one. Where there is one, `on` changes
  // nothing. Error: text that is no list of passes,
  // a name that is unknown, with the nearest one, or an option that its pass
  // does not take.
  static absl::StatusOr<ParsedPipeline> Parse(
      absl::string_view text, absl::Span<const PassEntry> passes = AllPasses());

  // Returns the first pass that needs two models, or "".
  absl::string_view FirstOfTwoModels() const;

  // Runs the passes in order, and verifies what each has changed. Returns what
  // they did. Errors name pipeline and pass. Precondition: FirstOfTwoModels()
  // == "".
  absl::StatusOr<std::vector<PassRecord>> Run(
      ModelGraph& model, PassContext& context,
      const PassRunOptions& options = {}) const;

  // Does the same for two models, with any passes. When a pass changes the
  // quantized model, models.matches follow what it replaces, and are dropped
  // when it removes matched nodes. When a pass changes the float model
  // ({on=float}), they are dropped.
  absl::StatusOr<std::vector<PassRecord>> Run(
      MatchedModels& models, PassContext& context,
      const PassRunOptions& options = {}) const;

 private:
  struct Step {
    // One of these two is not null.
    std::unique_ptr<Pass> pass;
    std::unique_ptr<PairPass> pair_pass;
    bool on_float = false;
  };

  static absl::StatusOr<bool> RunOnOne(const Step& step, MatchedModels& models,
                                       PassContext& context,
                                       PassRunner& runner);

  std::vector<Step> steps_;
};

}  // namespace ns

#endif  // PASSES_REGISTRY_PARSED_PIPELINE_H_
