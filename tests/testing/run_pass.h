// Passes in tests.
#ifndef TESTS_TESTING_RUN_PASS_H_
#define TESTS_TESTING_RUN_PASS_H_

#include <torch/csrc/jit/ir/ir.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "ir/model_graph.h"
#include "ir/pass.h"
#include "ir/pass_context.h"

namespace ns {

struct PassRun {
  bool changed = false;
  std::vector<PassRemark> remarks;
};

// Runs `pass`, and fails the test unless the graph is well formed afterwards
// and the flag is true to its text. Throws what the pass returns as an error.
PassRun RunPass(const Pass& pass, ModelGraph& model);
PassRun RunPass(const Pass& pass,
                const std::shared_ptr<torch::jit::Graph>& graph);

// Fails the test unless `pass` makes `after` of `before`, whatever values are
// called, and leaves that as it is when it runs again.
void ExpectRewrite(const Pass& pass, absl::string_view before,
                   absl::string_view after);

// Fails the test unless `pass` leaves the graph as it is and remarks so on one
// of its ops; an empty reason stands for no remark at all.
void ExpectUntouched(const Pass& pass, absl::string_view text,
                     absl::string_view reason = "");

}  // namespace ns

#endif  // TESTS_TESTING_RUN_PASS_H_
