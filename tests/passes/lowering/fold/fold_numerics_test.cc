// What folded ops give, next to what the float ops gave: quantized values up to
// one step, and most of them equal.
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/runtime/operator.h>

#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "ir/graph/pass_context.h"
#include "ir/model/model_graph.h"
#include "passes/analysis/faulty_layers.h"
#include "passes/lowering/fold/fold_reference_quantization.h"
#include "passes/lowering/fold/ops_on_quantized.h"
#include "passes/lowering/fold/quantized_ops.h"
#include "passes/ops/op_table.h"
#include "passes/runtime/op_faults.h"
#include "tests/testing/engines.h"
#include "tests/testing/ir.h"
#include "tests/testing/modules.h"
#include "tests/testing/reference_kernels.h"
#include "tests/testing/run_pass.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

struct OpCase {
  // The float op that is to be gone, "aten::add".
  std::string op;
  // In TorchScript, on x and y, dequantized tensors (4, 6, 8, 10) of mean 0.
  std::string expression;
  // The shape of x and y.
  std::vector<int64_t> shape = {4, 6, 8, 10};
  // How its output is quantized; that of x as a default.
  std::string output = "0.04, 120";
  // Ties, and where kernels compute with less than float precision.
  double fraction = 0;
  bool on_qnnpack = true;
};

// Kernels that add and multiply in float resolve ties otherwise.
constexpr double kTies = 0.01;

// clang-format off
const std::vector<OpCase>& Functions() {
  static const auto* const kCases = new std::vector<OpCase>{
      {"aten::add", "x + y", {4, 6, 8, 10}, "0.07, 90", kTies},
      {"aten::add", "torch.relu(x + y)", {4, 6, 8, 10}, "0.07, 90", kTies},
      {"aten::add", "x + 1.7", {4, 6, 8, 10}, "0.07, 90", kTies},
      {"aten::add", "torch.add(x, -3)", {4, 6, 8, 10}, "0.07, 90", kTies},
      {"aten::add", "x + y[:, :, :1, :1]", {4, 6, 8, 10}, "0.07, 90", kTies},
      {"aten::mul", "x * y", {4, 6, 8, 10}, "0.07, 90", kTies},
      {"aten::mul", "torch.relu(x * y)", {4, 6, 8, 10}, "0.07, 9", kTies},
      {"aten::mul", "0.3 * x", {4, 6, 8, 10}, "0.07, 90", kTies},
      {"aten::mul", "x * 0", {4, 6, 8, 10}, "0.07, 90"},
      {"aten::cat", "torch.cat([x, y, x], 1)", {4, 6, 8, 10}, "0.07, 90"},
      {"aten::cat", "torch.relu(torch.cat([x, y], 2))", {4, 6, 8, 10}, "0.07, 9"},
      {"aten::concat", "torch.concat([x, y], 0)", {4, 6, 8, 10}, "0.07, 90"},
      {"aten::matmul", "torch.matmul(x, y.transpose(2, 3))", {4, 6, 8, 10}, "0.3, 90"},
      {"aten::bmm", "torch.bmm(x, y.transpose(1, 2))", {4, 6, 8}, "0.3, 90"},
      {"aten::mm", "torch.mm(x, y.t())", {6, 8}, "0.3, 90"},
      {"aten::batch_norm", "torch.batch_norm(x, self.w, self.b, self.m, self.w, False, 0.1, 1e-5, False)", {4, 6, 8, 10}, "0.07, 90"},
      {"aten::batch_norm", "torch.relu(torch.batch_norm(x, self.w, self.b, self.m, self.w, False, 0.1, 1e-5, False))", {5, 6, 8}, "0.07, 9"},
      {"aten::celu", "torch.celu(x, 1.3)", {4, 6, 8, 10}, "0.05, 30"},
      {"aten::elu", "torch.elu(x, 1.3)", {4, 6, 8, 10}, "0.05, 30"},
      {"aten::gelu", "torch.gelu(x)", {4, 6, 8, 10}, "0.05, 30"},
      {"aten::gelu", "torch.gelu(x, approximate='tanh')", {4, 6, 8, 10}, "0.05, 30"},
      {"aten::group_norm", "torch.group_norm(x, 2, self.w, self.b, 1e-5)", {4, 6, 8, 10}, "0.07, 90"},
      {"aten::group_norm", "torch.group_norm(x, 2, self.w, self.b, 1e-5)", {7, 6}, "0.07, 90"},
      {"aten::group_norm", "torch.group_norm(torch.max_pool2d(x, [3, 3], [1, 1], [1, 1]), 2, self.w, self.b, 1e-5)", {4, 6, 8, 10}, "0.07, 90"},
      {"aten::group_norm", "torch.group_norm(torch.relu(torch.max_pool2d(x, [3, 3], [1, 1], [1, 1])), 2, self.w, self.b, 1e-5)", {4, 6, 8, 10}, "0.07, 90"},
      {"aten::hardswish", "torch.hardswish(x)", {4, 6, 8, 10}, "0.05, 30", 0.01},
      {"aten::group_norm", "torch.group_norm(x.reshape(4, 6, 80), 2, self.w, self.b, 1e-5)", {4, 6, 8, 10}, "0.07, 90"},
      {"aten::group_norm", "torch.group_norm(x[0].unsqueeze(0), 2, self.w, self.b, 1e-5)", {4, 6, 8, 10}, "0.07, 90"},
      {"aten::instance_norm", "torch.instance_norm(x[:, :, 0, 0], self.w, self.b, None, None, True, 0.1, 1e-5, False)", {4, 6, 8, 10}, "0.07, 90"},
      {"aten::instance_norm", "torch.instance_norm(torch.max_pool2d(x, [8, 10])[:, :, 0, 0], self.w, self.b, None, None, True, 0.1, 1e-5, False)", {4, 6, 8, 10}, "0.07, 90"},
      {"aten::instance_norm", "torch.instance_norm(x, self.w, self.b, None, None, True, 0.1, 1e-5, False)", {4, 6, 8, 10}, "0.07, 90"},
      {"aten::instance_norm", "torch.instance_norm(x, self.w, self.b, None, None, True, 0.1, 1e-5, False)", {7, 6}, "0.07, 90"},
      {"aten::instance_norm", "torch.instance_norm(torch.max_pool2d(x, [3, 3], [1, 1], [1, 1]), self.w, self.b, None, None, True, 0.1, 1e-5, False)", {4, 6, 8, 10}, "0.07, 90"},
      {"aten::layer_norm", "torch.layer_norm(x, [10], None, None, 1e-5)", {4, 6, 8, 10}, "0.07, 90"},
      {"aten::layer_norm", "torch.layer_norm(x, [6], self.w, self.b, 1e-5)", {7, 6}, "0.07, 90"},
      {"aten::leaky_relu", "torch.leaky_relu(x, 0.1)", {4, 6, 8, 10}, "0.05, 30", kTies},
      {"aten::mish", "torch.mish(x)", {4, 6, 8, 10}, "0.05, 30"},
      {"aten::selu", "torch.selu(x)", {4, 6, 8, 10}, "0.05, 30"},
      {"aten::sigmoid", "torch.sigmoid(x)", {4, 6, 8, 10}, "0.00390625, 0"},
      {"aten::sigmoid", "torch.sigmoid(x)", {4, 6, 8, 10}, "0.005, 9", 0, false},
      {"aten::silu", "torch.silu(x)", {4, 6, 8, 10}, "0.05, 30"},
      {"aten::softplus", "torch.softplus(x)", {4, 6, 8, 10}, "0.05, 30"},
      {"aten::softplus", "torch.softplus(x, 2.5, 1.0)", {4, 6, 8, 10}, "0.05, 30"},
      {"aten::softmax", "torch.softmax(x, -1)", {4, 6, 8, 10}, "0.00390625, 0"},
      {"aten::hardsigmoid", "torch.hardsigmoid(x)", {4, 6, 8, 10}, "0.00390625, 0", 0.01},
      {"aten::tanh", "torch.tanh(x)", {4, 6, 8, 10}, "0.0078125, 128"},
  };
  return *kCases;
}

// clang-format on

// Averages of quantized values end on ties often: they are rounded to even, or
// away from zero, or as float's rounding error has it.
constexpr double kAverages = 0.06;

// clang-format off
const std::vector<OpCase>& OnQuantized() {
  static const auto* const kCases = new std::vector<OpCase>{
      {"aten::_upsample_nearest_exact2d", "torch._upsample_nearest_exact2d(x, [5, 12], None)"},
      {"aten::_upsample_nearest_exact3d", "torch._upsample_nearest_exact3d(x, [3, 5, 12], None)", {1, 2, 4, 5, 6}},
      {"aten::adaptive_avg_pool1d", "torch.adaptive_avg_pool1d(x, 3)", {4, 6, 8}, "0.04, 120", kAverages},
      {"aten::adaptive_avg_pool2d", "torch.adaptive_avg_pool2d(x, [3, 1])", {4, 6, 8, 10}, "0.04, 120", kAverages},
      {"aten::adaptive_avg_pool3d", "torch.adaptive_avg_pool3d(x, [2, 3, 1])", {2, 8, 4, 5, 6}, "0.04, 120", kAverages},
      {"aten::avg_pool1d", "torch.avg_pool1d(x, [3], [2], [1])", {4, 6, 8}, "0.04, 120", kAverages},
      {"aten::avg_pool2d", "torch.avg_pool2d(x, [3, 3], [2, 2], [1, 1], True)", {4, 6, 8, 10}, "0.04, 120", kAverages},
      {"aten::avg_pool3d", "torch.avg_pool3d(x, [2, 2, 2])", {1, 2, 4, 5, 6}, "0.04, 120", kAverages},
      {"aten::channel_shuffle", "torch.channel_shuffle(x, 2)"},
      {"aten::chunk", "torch.chunk(x, 2, 1)[1]"},
      {"aten::clamp", "torch.clamp(x, -0.7, 1.3)", {4, 6, 8, 10}, "0.04, 120", 0, false},
      {"aten::clone", "x.clone()"},
      {"aten::constant_pad_nd", "torch.constant_pad_nd(x, [1, 2], 0)"},
      {"aten::contiguous", "x.permute(0, 2, 3, 1).contiguous()"},
      {"aten::detach", "x.detach()"},
      {"aten::dropout", "torch.dropout(x, 0.5, False)"},
      {"aten::expand", "x[:1].expand(3, 6, 8, 10)"},
      {"aten::feature_dropout", "torch.feature_dropout(x, 0.5, False)"},
      {"aten::flatten", "torch.flatten(x.transpose(1, 3), 1)"},
      {"aten::flip", "torch.flip(x, [1])"},
      {"aten::hardtanh", "torch.hardtanh(x, -0.7, 1.3)", {4, 6, 8, 10}, "0.04, 120", 0, false},
      {"aten::max_pool1d", "torch.max_pool1d(x, [3], [2], [1])", {4, 6, 8}},
      {"aten::max_pool2d", "torch.max_pool2d(x, [3, 3], [2, 2], [1, 1], [1, 1], True)"},
      {"aten::max_pool3d", "torch.max_pool3d(x, [2, 3, 3], [1, 2, 2], [1, 1, 1], [1, 1, 1], True)", {2, 3, 4, 5, 6}},
      {"aten::mean", "torch.mean(x, [2, 3], True)", {4, 6, 8, 10}, "0.04, 120", kAverages},
      {"aten::movedim", "torch.movedim(x, 1, 3)"},
      {"aten::narrow", "torch.narrow(x, 1, 1, 2)"},
      {"aten::pad", "torch.pad(x, [1, 2, 0, 3], \"reflect\")"},
      {"aten::permute", "x.permute(0, 2, 3, 1)"},
      {"aten::pixel_shuffle", "torch.pixel_shuffle(x[:, :4], 2)"},
      {"aten::pixel_unshuffle", "torch.pixel_unshuffle(x, 2)"},
      {"aten::reflection_pad1d", "torch.reflection_pad1d(x, [1, 2])", {4, 6, 8}},
      {"aten::reflection_pad2d", "torch.reflection_pad2d(x, [1, 2, 1, 0])"},
      {"aten::relu", "torch.relu(x.transpose(1, 2))"},
      {"aten::relu6", "torch.relu6(x)", {4, 6, 8, 10}, "0.04, 120", 0, false},
      {"aten::repeat", "x.repeat([2, 1, 1, 2])"},
      {"aten::repeat_interleave", "torch.repeat_interleave(x, 2, 1)"},
      {"aten::reshape", "x.permute(0, 2, 3, 1).reshape(4, -1)"},
      {"aten::select", "x[1]"},
      {"aten::slice", "x[:, 1:5:2]"},
      {"aten::split", "torch.split(x, 2, 1)[1]"},
      {"aten::split_with_sizes", "torch.split_with_sizes(x, [2, 4], 1)[1]"},
      {"aten::squeeze", "torch.squeeze(x[:1], 0)"},
      {"aten::stack", "torch.stack([x, x], 1)"},
      {"aten::t", "x.t()", {6, 8}},
      {"aten::transpose", "x.transpose(1, 3)"},
      {"aten::unbind", "torch.unbind(x, 1)[2]"},
      {"aten::unflatten", "x.unflatten(1, [2, 3])"},
      {"aten::unsqueeze", "torch.unsqueeze(x, 1)"},
      {"aten::upsample_bilinear2d", "torch.upsample_bilinear2d(x, [5, 12], False, None)", {4, 6, 8, 10}, "0.04, 120", kAverages},
      {"aten::upsample_nearest2d", "torch.upsample_nearest2d(x, [5, 12], None)"},
      {"aten::upsample_nearest3d", "torch.upsample_nearest3d(x, [3, 5, 12], None)", {1, 2, 4, 5, 6}},
      {"aten::view", "x.view(4, -1)"},
  };
  return *kCases;
}

// clang-format on

// The rounding of a bias, and of sums that float cannot hold.
constexpr double kLayer = 0.002;

// clang-format off
const std::vector<OpCase>& Layers() {
  static const auto* const kCases = new std::vector<OpCase>{
      {"aten::linear", "torch.linear(x, WEIGHT(8, 10), self.b8)", {4, 6, 8, 10}, "0.05, 100", kLayer},
      {"aten::linear", "torch.relu(torch.linear(x, WEIGHT(8, 10)))", {7, 10}, "0.03, 0", kLayer},
      {"aten::conv1d", "torch.conv1d(x, WEIGHT(8, 6, 3), self.b8, 2, 1)", {4, 6, 10}, "0.05, 100", kLayer},
      {"aten::conv2d", "torch.conv2d(x, WEIGHT(8, 6, 3, 3), self.b8).view(4, -1)", {4, 6, 8, 10}, "0.05, 100", kLayer},
      {"aten::conv2d", "torch.conv2d(x, WEIGHT(8, 3, 3, 3), self.b8, [1, 2], [1, 1], 2, 2)", {4, 6, 8, 10}, "0.05, 100", kLayer},
      {"aten::conv2d", "torch.relu(torch.conv2d(x, WEIGHT(8, 6, 1, 1)))", {4, 6, 8, 10}, "0.03, 0", kLayer},
      {"aten::conv3d", "torch.conv3d(x, WEIGHT(8, 2, 2, 3, 1), self.b8)", {1, 2, 4, 5, 6}, "0.05, 100", kLayer, false},
      {"aten::conv_transpose1d", "torch.conv_transpose1d(x, WEIGHT(6, 8, 3), self.b8, 2)", {4, 6, 10}, "0.05, 100", kLayer},
      {"aten::conv_transpose2d", "torch.conv_transpose2d(x, WEIGHT(6, 8, 3, 3), self.b8, 2, 1)", {4, 6, 8, 10}, "0.05, 100", kLayer},
      {"aten::conv_transpose3d", "torch.conv_transpose3d(x, WEIGHT(2, 8, 2, 3, 1), self.b8)", {1, 2, 4, 5, 6}, "0.05, 100", kLayer, false},
      {"aten::_convolution", "torch._convolution(x, WEIGHT(8, 6, 3, 3), self.b8, [1, 1], [0, 0], [1, 1], False, [0, 0], 1, False, False, True, True)", {4, 6, 8, 10}, "0.05, 100", kLayer},
  };
  return *kCases;
}

// clang-format on

// In the place of WEIGHT(8, 10), an attribute of that shape, as a reference
// module dequantizes it.
std::string WithWeight(const std::string& expression, Attributes& attributes) {
  const size_t begin = expression.find("WEIGHT(");
  if (begin == std::string::npos) {
    return expression;
  }
  const size_t end = expression.find(')', begin);
  std::vector<int64_t> shape;
  for (const auto size :
       absl::StrSplit(expression.substr(begin + 7, end - begin - 7), ", ")) {
    shape.push_back(std::stoi(std::string(size)));
  }
  attributes.emplace_back("weight", at::randn(shape) * 0.3);
  return absl::StrCat(expression.substr(0, begin),
                      "torch.dequantize(torch.quantize_per_tensor("
                      "self.weight, 0.009, 0, 12))",
                      expression.substr(end + 1));
}

ModelGraph ModelOfCase(const OpCase& op_case) {
  // Positive where batch norms take them for variances.
  Attributes attributes = {{"w", at::rand({6}) + 0.5},
                           {"b", at::rand({6}) - 0.5},
                           {"m", at::rand({6}) - 0.5},
                           {"b8", at::randn({8})}};
  const std::string expression = WithWeight(op_case.expression, attributes);
  return OrThrow(ModelGraph::FromModule(MakeModule(
      "Model",
      absl::StrCat("def forward(self, x: Tensor, y: Tensor):\n"
                   "    x = torch.dequantize(\n"
                   "        torch.quantize_per_tensor(x, 0.04, 120, 13))\n"
                   "    y = torch.dequantize(\n"
                   "        torch.quantize_per_tensor(y, 0.03, 99, 13))\n"
                   "    z = ",
                   expression, "\n    return torch.quantize_per_tensor(z, ",
                   op_case.output, ", 13)\n"),
      attributes)));
}

class FoldNumericsTest : public EngineTest {
 protected:
  static void ExpectEqualOutputs(const OpCase& op_case) {
    const bool is_qnnpack = GetParam() == at::kQNNPACK;
    if (is_qnnpack && !op_case.on_qnnpack) {
      return;
    }
    SCOPED_TRACE(op_case.expression);
    at::manual_seed(7);
    ModelGraph reference = ModelOfCase(op_case);
    ModelGraph folded = OrThrow(reference.Clone());
    const PassRun run = RunPass(FoldReferenceQuantization(), folded);
    EXPECT_TRUE(run.changed);
    for (const PassRemark& remark : run.remarks) {
      ADD_FAILURE() << remark.op << ": " << remark.reason;
    }
    EXPECT_TRUE(NodesOf(folded.graph(), "aten::dequantize").empty());
    if (!FaultyLayers(folded.graph(), OpEnvironment::Here(GetParam()))
             .empty()) {
      return;
    }
    const std::vector<c10::IValue> inputs = {at::randn(op_case.shape),
                                             at::randn(op_case.shape)};
    const Steps steps =
        StepsBetween({OrThrow(folded.Run(inputs)).toTensor(),
                      OrThrow(reference.Run(inputs)).toTensor()});
    EXPECT_LE(steps.most, 1);
    // qnnpack multiplies sums in fixed point.
    EXPECT_LE(steps.fraction, op_case.fraction + (is_qnnpack ? 0.02 : 0));
  }
};
NS_INSTANTIATE_ON_ENGINES(FoldNumericsTest);

TEST_P(FoldNumericsTest, LayersGiveTheSameQuantizedValues) {
  for (const OpCase& op_case : Layers()) {
    ExpectEqualOutputs(op_case);
  }
}

TEST_P(FoldNumericsTest, FunctionsGiveTheSameQuantizedValues) {
  for (const OpCase& op_case : Functions()) {
    ExpectEqualOutputs(op_case);
  }
}

TEST_P(FoldNumericsTest, OpsOnQuantizedGiveTheSameQuantizedValues) {
  for (const OpCase& op_case : OnQuantized()) {
    ExpectEqualOutputs(op_case);
  }
}

bool IsKnown(absl::string_view op) {
  return !torch::jit::getAllOperatorsFor(
              c10::Symbol::fromQualString(std::string(op)))
              .empty();
}

std::set<std::string> OpsOf(const std::vector<OpCase>& cases) {
  std::set<std::string> ops;
  for (const OpCase& op_case : cases) {
    ops.insert(op_case.op);
  }
  return ops;
}

TEST(QuantizedOpsTest, AreKnownAndTested) {
  std::vector<OpCase> cases = Functions();
  cases.insert(cases.end(), Layers().begin(), Layers().end());
  std::set<std::string> ops;
  for (const OpRow& row : OpTable()) {
    const QuantizedOp* folded = FindQuantizedOp(row.op);
    if (folded == nullptr) {
      continue;
    }
    SCOPED_TRACE(row.op);
    ops.insert(std::string(row.op));
    EXPECT_EQ(folded->float_op, row.op);
    EXPECT_EQ(FindOpOnQuantized(row.op), nullptr) << "an op has one form";
    for (const absl::string_view op : {folded->op, folded->relu_op}) {
      EXPECT_TRUE(!absl::StrContains(op, "::") || IsKnown(op)) << op;
    }
    EXPECT_EQ(folded->fuses_relu, !folded->relu_op.empty());
    EXPECT_TRUE(!folded->fuses_relu ||
                folded->relu_op == absl::StrCat(folded->op, "_relu"))
        << folded->relu_op;
  }
  EXPECT_EQ(ops, OpsOf(cases));
}

TEST(QuantizedOpsTest, AreTheFirstInt8OpsOfTheirFamilies) {
  EXPECT_EQ(FindQuantizedOp("aten::mm")->op, "quantized::matmul");
  EXPECT_EQ(FindQuantizedOp("aten::concat")->relu_op, "quantized::cat_relu");
  EXPECT_EQ(FindQuantizedOp("aten::silu")->op, "ns::fbgemm_silu");
  EXPECT_FALSE(FindQuantizedOp("aten::conv_transpose2d")->fuses_relu);
  EXPECT_EQ(FindQuantizedOp("aten::add_"), nullptr);
  EXPECT_EQ(FindQuantizedOp("aten::erf"), nullptr);
}

TEST(OpsOnQuantizedTest, AreKnownAndTested) {
  std::set<std::string> ops;
  for (const OpRow& row : OpTable()) {
    if (const OpOnQuantized* on_quantized = FindOpOnQuantized(row.op)) {
      EXPECT_EQ(on_quantized->op, row.op);
      ops.insert(std::string(row.op));
      EXPECT_TRUE(IsKnown(row.op)) << row.op;
    }
  }
  EXPECT_EQ(ops, OpsOf(OnQuantized()));
}

}  // namespace
}  // namespace ns
