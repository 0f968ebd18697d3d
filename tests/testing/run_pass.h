// Runs passes in tests, and checks their flags and remarks.
#ifndef TESTS_TESTING_RUN_PASS_H_
#define TESTS_TESTING_RUN_PASS_H_

#include <torch/csrc/jit/ir/ir.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "ir/graph/pass.h"
#include "ir/graph/pass_context.h"
#include "ir/model/model_graph.h"

namespace ns {

struct PassRun {
  bool changed = false;
  std::vector<PassRemark> remarks;
};

// Runs `pass`, and fails the test unless the graph is well formed afterwards
// and the returned flag says whether its text or a constant tensor changed.
// Throws what the pass returns as an error.
PassRun RunPass(const Pass& pass, ModelGraph& model);
PassRun RunPass(const Pass& pass,
                const std::shared_ptr<torch::jit::Graph>& graph);

// Fails the test unless `pass` turns `before` into `after`, whatever the values
// are called, and changes nothing when it runs again.
void ExpectRewrite(const Pass& pass, absl::string_view before,
                   absl::string_view after);

// Fails the test unless `pass` leaves the graph as it is and gives this reason
// in a remark on one of its ops; with an empty reason, there must be no remark
// at all.
void ExpectUntouched(const Pass& pass, absl::string_view text,
                     absl::string_view reason = "");

}  // namespace ns

#endif  // TESTS_TESTING_RUN_PASS_H_
