// Passes that run one after the other.
#ifndef IR_PIPELINE_H_
#define IR_PIPELINE_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/pass.h"
#include "ir/pass_context.h"
#include "ir/pass_runner.h"

namespace ns {

class ModelGraph;

// A host's own passes stand beside ours:
//
//   Pipeline pipeline("lower");
//   pipeline.Add<FoldReferenceQuantization>().Add<MyPass>(3).Add<LowerToFbgemm>();
//   PassContext context;
//   NS_RETURN_IF_ERROR(pipeline.Run(model, context).status());
//
// passes/registry/parse_pipeline.h makes one of text.
class Pipeline {
 public:
  // `name` is what errors call it.
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
  // it. Returns whether any of them did. Errors stop it, and name pipeline and
  // pass; the model is as that pass left it.
  absl::StatusOr<bool> Run(ModelGraph& model, PassContext& context) const;
  // The same with a limit, or with hooks. The name is `options`'s, if it has
  // one.
  absl::StatusOr<bool> Run(ModelGraph& model, PassContext& context,
                           PassRunOptions options) const;

 private:
  std::string name_;
  std::vector<std::unique_ptr<Pass>> passes_;
};

}  // namespace ns

#endif  // IR_PIPELINE_H_
