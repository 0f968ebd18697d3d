// Every ns kernel is made by some pass.
#include <torch/csrc/jit/runtime/operator.h>

#include <memory>
#include <set>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "passes/lowering/fold/ops_on_quantized.h"
#include "passes/lowering/fold/quantized_ops.h"
#include "passes/lowering/lowered_ops.h"
#include "passes/ops/op_table.h"

namespace ns {
namespace {

// What lower-to-fbgemm and fold-reference-quantization make by the table
// of ops, then the fusions of passes/lowering/fuse_lowered.h, and
// drop-roundings of all these.
std::set<std::string> MadeOps() {
  std::set<std::string> made = {
      "ns::fbgemm_requantize",
      // By FuseSums.
      "ns::fbgemm_conv1d_add", "ns::fbgemm_conv1d_add_relu",
      "ns::fbgemm_conv2d_add", "ns::fbgemm_conv2d_add_relu",
      "ns::fbgemm_conv3d_add", "ns::fbgemm_conv3d_add_relu",
      "ns::fbgemm_linear_add", "ns::fbgemm_linear_add_relu",
      // By InsertGroupNorm, where LibTorch's raise.
      "ns::fbgemm_group_norm", "ns::fbgemm_instance_norm"};
  for (const OpRow& row : OpTable()) {
    const absl::StatusOr<LoweredOp> lowered = FindLowering(row.op);
    if (!lowered.ok()) {
      continue;
    }
    made.insert(std::string(lowered->op));
    if (absl::StartsWith(lowered->op, "ns::fbgemm_conv") ||
        lowered->op == "ns::fbgemm_linear") {
      made.insert(absl::StrCat(lowered->op, "_relu"));
      made.insert(absl::StrCat(lowered->op, "_clamp"));
    }
  }
  for (const OpRow& row : OpTable()) {
    if (const QuantizedOp* folded = FindQuantizedOp(row.op)) {
      made.insert(std::string(folded->op));
    }
    if (const OpOnQuantized* on_quantized = FindOpOnQuantized(row.op)) {
      made.insert(std::string(on_quantized->ns_op));
    }
  }
  for (const std::string& op : std::set<std::string>(made)) {
    if (const absl::string_view gives_floats = FindFloatOutput(op);
        !gives_floats.empty()) {
      made.insert(std::string(gives_floats));
    }
  }
  return made;
}

TEST(MadeOpsTest, EveryNsKernelIsMadeByAPass) {
  const std::set<std::string> made = MadeOps();
  int kernels = 0;
  for (const std::shared_ptr<torch::jit::Operator>& op :
       torch::jit::getAllOperators()) {
    const std::string& name = op->schema().name();
    if (absl::StartsWith(name, "ns::fbgemm_")) {
      ++kernels;
      EXPECT_TRUE(made.count(name) != 0)
          << name << ": no pass makes it; give it a row, or remove it";
    }
  }
  EXPECT_GT(kernels, 50);
}

}  // namespace
}  // namespace ns
