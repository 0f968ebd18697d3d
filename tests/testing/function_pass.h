// Makes passes from functions, for tests.
#ifndef TESTS_TESTING_FUNCTION_PASS_H_
#define TESTS_TESTING_FUNCTION_PASS_H_

#include <functional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/graph/pass.h"
#include "ir/graph/pass_context.h"
#include "ir/model/model_graph.h"

namespace ns {

// A pass that calls a function, as a host's own pass could.
class FunctionPass final : public Pass {
 public:
  using Function =
      std::function<absl::StatusOr<bool>(ModelGraph&, PassContext&)>;
  FunctionPass(std::string name, Function function)
      : name_(std::move(name)), function_(std::move(function)) {}
  absl::string_view name() const override { return name_; }
  absl::StatusOr<bool> Run(ModelGraph& model,
                           PassContext& context) const override {
    return function_(model, context);
  }

 private:
  const std::string name_;
  const Function function_;
};

}  // namespace ns

#endif  // TESTS_TESTING_FUNCTION_PASS_H_
