#include "ir/model/pass_runner.h"

#include <chrono>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "ir/graph/graph_state.h"
#include "ir/graph/pass.h"
#include "ir/graph/pass_context.h"
#include "ir/graph/verifier.h"
#include "ir/model/model_graph.h"

namespace ns {
namespace {

std::vector<std::string> StatesOf(const std::vector<ModelGraph*>& models) {
  std::vector<std::string> states;
  for (const ModelGraph* model : models) {
    states.push_back(StateOf(model->graph()));
  }
  return states;
}

}  // namespace

absl::Status PassRunner::Annotated(const absl::Status& status,
                                   absl::string_view name) const {
  const std::string pipeline =
      options_.pipeline.empty()
          ? ""
          : absl::StrCat("pipeline '", options_.pipeline, "', ");
  return absl::Status(status.code(),
                      absl::StrCat(pipeline, "pass ", next_, " '", name,
                                   "': ", status.message()));
}

absl::StatusOr<bool> PassRunner::Run(
    absl::string_view name, const std::vector<ModelGraph*>& models,
    const std::function<absl::StatusOr<bool>()>& action) {
  if (options_.bisect_limit >= 0 && next_ >= options_.bisect_limit) {
    return false;
  }
  const int64_t index = next_++;
  context_.set_pass(name);
  const auto show = [&](const auto& hook) {
    for (const ModelGraph* model : models) {
      if (hook) {
        NS_RETURN_IF_ERROR(hook(index, name, *model));
      }
    }
    return absl::OkStatus();
  };
  NS_RETURN_IF_ERROR(show(options_.before));
  const std::vector<std::string> states =
      options_.check_unchanged ? StatesOf(models) : std::vector<std::string>();
  const auto start = std::chrono::steady_clock::now();
  const absl::StatusOr<bool> changed = action();
  const std::chrono::nanoseconds time =
      std::chrono::steady_clock::now() - start;
  if (!changed.ok()) {
    return Annotated(changed.status(), name);
  }
  if (*changed) {
    for (const ModelGraph* model : models) {
      const absl::Status verified = VerifyGraph(model->graph());
      if (!verified.ok()) {
        return Annotated(verified, name);
      }
    }
  }
  if (!*changed && options_.check_unchanged && StatesOf(models) != states) {
    return Annotated(
        absl::InternalError(
            "it says that it changed nothing, and the graph is another one"),
        name);
  }
  records_.push_back({std::string(name), *changed, time});
  NS_RETURN_IF_ERROR(show(options_.after));
  return changed;
}

absl::StatusOr<bool> PassRunner::Run(const Pass& pass, ModelGraph& model) {
  return Run(pass.name(), {&model}, [&] { return pass.Run(model, context_); });
}

}  // namespace ns
