// Runs passes on a float model and the quantized model that was made from it.
#ifndef PASSES_PIPELINE_PAIR_PIPELINE_H_
#define PASSES_PIPELINE_PAIR_PIPELINE_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/graph/pass.h"
#include "ir/graph/pass_context.h"
#include "ir/model/pass_runner.h"
#include "passes/pipeline/pair_pass.h"

namespace ns {

// Passes of two models and of one, in order. What Pipeline
// (ir/model/pipeline.h) is for one model:
//
//   LoggerOptions logging;
//   logging.logger = MakeMyLogger;
//   PairPipeline pipeline("log");
//   pipeline.AddToFloat<FuseFloatConvsPass>()
//       .Add<MatchPass>()
//       .Add<LowerToFbgemm>()
//       .Add<AddLoggersPass>(logging);
//   MatchedModels models = {std::move(a), std::move(b), std::nullopt};
//   PassContext context;
//   NS_RETURN_IF_ERROR(pipeline.Run(models, context).status());
//
// passes/registry/parse_pipeline.h makes one of text.
class PairPipeline {
 public:
  // Errors call the pipeline `name`, if it has one.
  explicit PairPipeline(absl::string_view name = "") : name_(name) {}

  // Adds a pass of two models.
  PairPipeline& Add(std::unique_ptr<PairPass> pass);
  // Adds a pass of one model, which runs on the quantized one.
  PairPipeline& Add(std::unique_ptr<Pass> pass);
  // Adds a pass of one model, which runs on the float one.
  PairPipeline& AddToFloat(std::unique_ptr<Pass> pass);

  template <typename P, typename... Arguments>
  PairPipeline& Add(Arguments&&... arguments) {
    return Add(std::make_unique<P>(std::forward<Arguments>(arguments)...));
  }
  template <typename P, typename... Arguments>
  PairPipeline& AddToFloat(Arguments&&... arguments) {
    return AddToFloat(
        std::make_unique<P>(std::forward<Arguments>(arguments)...));
  }

  // Returns the first pass that needs two models, or "".
  absl::string_view FirstOfTwoModels() const;

  // Runs the passes in order, and verifies the graphs after each that changed
  // one. Returns what they did. An error stops the run and names pipeline and
  // pass; the models are as that pass left them.
  //
  // When a pass changes the quantized model, models.matches follow what it
  // replaces, and are dropped when it removes matched nodes. When a pass
  // changes the float model, they are dropped.
  absl::StatusOr<std::vector<PassRecord>> Run(
      MatchedModels& models, PassContext& context,
      const PassRunOptions& options = {}) const;

  // Does the same for one model, on which all passes run. Precondition:
  // FirstOfTwoModels() == "".
  absl::StatusOr<std::vector<PassRecord>> Run(
      ModelGraph& model, PassContext& context,
      const PassRunOptions& options = {}) const;

 private:
  struct Step {
    // One of these two is not null.
    std::unique_ptr<Pass> pass;
    std::unique_ptr<PairPass> pair_pass;
    bool on_float = false;
  };

  // Runs a pass of one model, and lets the matches follow it.
  static absl::Status RunOnOne(const Step& step, MatchedModels& models,
                               PassContext& context, PassRunner& runner);

  PassRunOptions Named(PassRunOptions options) const;

  std::string name_;
  std::vector<Step> steps_;
};

}  // namespace ns

#endif  // PASSES_PIPELINE_PAIR_PIPELINE_H_
