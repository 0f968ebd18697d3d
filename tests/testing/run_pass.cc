#include "tests/testing/run_pass.h"

#include <ATen/core/Tensor.h>
#include <torch/csrc/jit/ir/ir.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "gtest/gtest.h"
#include "ir/graph/verifier.h"
#include "ir/text/text.h"
#include "tests/testing/ir.h"
#include "tests/testing/status.h"

namespace ns {

namespace {

// The constant tensors of `graph`, of which its text has only small ones.
std::vector<at::Tensor> ConstantsOf(const torch::jit::Graph& graph) {
  std::vector<at::Tensor> constants;
  for (const torch::jit::Node* node : NodesOf(graph, "prim::Constant")) {
    if (node->hasAttribute(c10::attr::value) &&
        node->kindOf(c10::attr::value) == torch::jit::AttributeKind::t) {
      constants.push_back(node->t(c10::attr::value));
    }
  }
  return constants;
}

bool AreEqual(const std::vector<at::Tensor>& a,
              const std::vector<at::Tensor>& b) {
  return absl::c_equal(a, b, [](const at::Tensor& x, const at::Tensor& y) {
    return x.is_same(y) ||
           (x.dtype() == y.dtype() && x.sizes() == y.sizes() && x.equal(y));
  });
}

}  // namespace

PassRun RunPass(const Pass& pass, ModelGraph& model) {
  const std::string before = CanonicalText(model.shared_graph());
  const std::vector<at::Tensor> constants = ConstantsOf(model.graph());
  PassContext context;
  PassRun run;
  run.changed = OrThrow(pass.Run(model, context));
  run.remarks = context.remarks();
  NS_EXPECT_OK(VerifyGraph(model.graph()));
  EXPECT_EQ(run.changed, CanonicalText(model.shared_graph()) != before ||
                             !AreEqual(constants, ConstantsOf(model.graph())))
      << "the flag of " << pass.name() << " is not true to the graph:\n"
      << before;
  return run;
}

PassRun RunPass(const Pass& pass,
                const std::shared_ptr<torch::jit::Graph>& graph) {
  ModelGraph model = ModelGraph::AroundGraph(graph);
  return RunPass(pass, model);
}

void ExpectRewrite(const Pass& pass, absl::string_view before,
                   absl::string_view after) {
  const auto graph = GraphOf(before);
  EXPECT_TRUE(RunPass(pass, graph).changed);
  ExpectIr(graph, after);
  EXPECT_FALSE(RunPass(pass, graph).changed);
}

void ExpectUntouched(const Pass& pass, absl::string_view text,
                     absl::string_view reason) {
  const PassRun run = RunPass(pass, GraphOf(text));
  EXPECT_FALSE(run.changed);
  if (reason.empty()) {
    EXPECT_TRUE(run.remarks.empty());
    return;
  }
  EXPECT_TRUE(absl::c_any_of(
      run.remarks,
      [&](const PassRemark& remark) { return remark.reason == reason; }))
      << "no remark '" << reason << "'";
}

}  // namespace ns
