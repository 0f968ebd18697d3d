// Runs passes one after the other.
#ifndef IR_MODEL_PIPELINE_H_
#define IR_MODEL_PIPELINE_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/graph/pass.h"
#include "ir/graph/pass_context.h"
#include "ir/model/pass_runner.h"

namespace ns {

class ModelGraph;

// Passes in order. A host's own passes stand beside those of this project:
//
//   Pipeline pipeline("lower");
//   pipeline.Add<FoldReferenceQuantization>()
//       .Add<MyPass>(3)
//       .Add<LowerToFbgemm>();
//   PassContext context;
//   NS_RETURN_IF_ERROR(pipeline.Run(model, context).status());
//
// passes/registry/parse_pipeline.h makes a pipeline from text.
class Pipeline {
 public:
  // Errors call the pipeline `name`.
  explicit Pipeline(absl::string_view name) : name_(name) {}

  Pipeline& Add(std::unique_ptr<Pass> pass) {
    passes_.push_back(std::move(pass));
    return *this;
  }
  template <typename P, typename... Arguments>
  Pipeline& Add(Arguments&&... arguments) {
    return Add(std::make_unique<P>(std::forward<Arguments>(arguments)...));
  }

  const std::string& name() const { return name_; }
  const std::vector<std::unique_ptr<Pass>>& passes() const { return passes_; }

  // Runs the passes in order, and verifies the graph after each that changed
  // it. Returns whether any of them did. An error stops the run and names
  // pipeline and pass; the model is as that pass left it.
  absl::StatusOr<bool> Run(ModelGraph& model, PassContext& context) const;
  // Runs the passes with a limit, or with hooks. The pipeline's name is that in
  // `options`, if it has one.
  absl::StatusOr<bool> Run(ModelGraph& model, PassContext& context,
                           PassRunOptions options) const;

 private:
  std::string name_;
  std::vector<std::unique_ptr<Pass>> passes_;
};

}  // namespace ns

#endif  // IR_MODEL_PIPELINE_H_
