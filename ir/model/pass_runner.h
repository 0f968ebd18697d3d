// Runs passes one by one, and checks and shows what each of them did.
#ifndef IR_MODEL_PASS_RUNNER_H_
#define IR_MODEL_PASS_RUNNER_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace ns {

class ModelGraph;
class Pass;
class PassContext;

// Says how a pipeline is run; the defaults run all of it and show nothing.
struct PassRunOptions {
  // The name of the pipeline in errors; empty for none.
  std::string pipeline;
  // How many passes run, from the first on; negative for all. Bisecting it
  // finds the pass that does harm.
  int64_t bisect_limit = -1;
  // Whether a pass that says that it changed nothing is held to that
  // (ir/graph/graph_state.h). It takes as long as printing each graph twice.
  bool check_unchanged = false;
  // Hooks that are called around each pass that runs, once for each model;
  // `after` only where the pass succeeded. `index` is the place of the pass in
  // the pipeline, from 0; may be null. An error ends the run, as it is.
  std::function<absl::Status(int64_t index, absl::string_view pass,
                             const ModelGraph& model)>
      before;
  std::function<absl::Status(int64_t index, absl::string_view pass,
                             const ModelGraph& model)>
      after;
};

// What one pass did.
struct PassRecord {
  std::string pass;
  bool changed = false;
  std::chrono::nanoseconds time;
};

// Runs the passes of one run of a pipeline and counts them.
class PassRunner {
 public:
  // `options` and `context` must outlive the object.
  PassRunner(const PassRunOptions& options, PassContext& context)
      : options_(options), context_(context) {}

  // Runs `pass`, and verifies the graph (ir/graph/verifier.h) if the pass says
  // that it changed it. Returns that flag; false where the limit is reached,
  // and the pass does not run.
  //
  // Error: that of the pass, or an internal error for a graph that it left
  // malformed, or changed without saying so; all start with "pipeline 'lower',
  // pass 2 'lower-to-fbgemm': ", where passes are counted from 1. Also that of
  // a hook.
  absl::StatusOr<bool> Run(const Pass& pass, ModelGraph& model);

  // Runs `action`, which changes `models`, in the same way, and verifies them
  // all.
  absl::StatusOr<bool> Run(absl::string_view name,
                           const std::vector<ModelGraph*>& models,
                           const std::function<absl::StatusOr<bool>()>& action);

  // The records of the passes that ran, in order.
  const std::vector<PassRecord>& records() const { return records_; }

 private:
  absl::Status Annotated(const absl::Status& status,
                         absl::string_view name) const;

  const PassRunOptions& options_;
  PassContext& context_;
  int64_t next_ = 0;
  std::vector<PassRecord> records_;
};

}  // namespace ns

#endif  // IR_MODEL_PASS_RUNNER_H_
