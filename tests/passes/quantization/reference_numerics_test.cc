// Kernels of LibTorch against their references, on random tensors.
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <string>
#include <vector>

#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "tests/testing/engines.h"
#include "tests/testing/modules.h"
#include "tests/testing/reference_kernels.h"

namespace ns {
namespace {

class ReferenceNumericsTest : public EngineTest {
 protected:
  // Of the first `op` in `expression`. In it, X and Y are the float inputs,
  // quantized, and Z is the first as signed integers; w, b, mean and var are
  // attributes of 6 elements.
  KernelPair Run(const std::string& op, const std::string& expression,
                 const std::vector<int64_t>& sizes = {2, 6, 8, 8}) {
    const std::string source = absl::StrReplaceAll(
        expression, {{"X", "torch.quantize_per_tensor(x, 0.05, 100, 13)"},
                     {"Y", "torch.quantize_per_tensor(y, 0.03, 140, 13)"},
                     {"Z", "torch.quantize_per_tensor(x, 0.05, 3, 12)"},
                     {"$", "self."}});
    const at::Tensor slope =
        at::quantize_per_tensor(at::rand({6}), 0.01, 3, at::kQUInt8);
    return RunBoth(LayerOf("x: Tensor, y: Tensor", source,
                           {{"w", at::rand({6}) + 0.5},
                            {"b", at::randn({6})},
                            {"mean", at::randn({6})},
                            {"var", at::rand({6}) + 0.5},
                            {"rows", at::rand({8, 8}) + 0.5},
                            {"slope", slope}}),
                   op, {at::randn(sizes) * 2, at::randn(sizes)});
  }
};

struct OpCase {
  std::string op;
  std::string expression;
};

void ExpectOneStep(const OpCase& op_case, const KernelPair& pair) {
  SCOPED_TRACE(op_case.expression);
  EXPECT_LE(StepsBetween(pair).most, 1);
  EXPECT_GT(at::int_repr(pair.kernel).to(at::kFloat).std().item<float>(), 1);
}

TEST_P(ReferenceNumericsTest, ElementwiseKernelsAreWithinOneStep) {
  const std::vector<OpCase> cases = {
      {"quantized::add", "ops.quantized.add(X, Y, 0.06, 110)"},
      {"quantized::add", "ops.quantized.add(Z, Z, 0.1, 10)"},
      {"quantized::add", "ops.quantized.add(X, 1.3)"},
      {"quantized::add", "ops.quantized.add(-1.3, X)"},
      {"quantized::add", "ops.quantized.add(X, 9.0)"},
      {"quantized::add_relu", "ops.quantized.add_relu(X, Y, 0.06, 10)"},
      {"quantized::add_relu", "ops.quantized.add_relu(X, 1.3)"},
      {"quantized::add_scalar", "ops.quantized.add_scalar(X, 1.3)"},
      {"quantized::add_scalar", "ops.quantized.add_scalar(X, torch.mean(x))"},
      {"quantized::add_scalar_relu", "ops.quantized.add_scalar_relu(X, -1.3)"},
      {"quantized::add_out", "ops.quantized.add_out(X, Y, X)"},
      {"quantized::add_relu_out", "ops.quantized.add_relu_out(X, Y, X)"},
      {"quantized::mul", "ops.quantized.mul(X, Y, 0.06, 110)"},
      {"quantized::mul", "ops.quantized.mul(X, -0.3)"},
      {"quantized::mul", "ops.quantized.mul(0.3, X)"},
      {"quantized::mul_relu", "ops.quantized.mul_relu(X, Y, 0.06, 10)"},
      {"quantized::mul_scalar", "ops.quantized.mul_scalar(X, 1.3)"},
      {"quantized::mul_scalar", "ops.quantized.mul_scalar(X, torch.max(x))"},
      {"quantized::mul_scalar_relu", "ops.quantized.mul_scalar_relu(X, 1.3)"},
      {"quantized::mul_out", "ops.quantized.mul_out(X, Y, X)"},
      {"quantized::mul_relu_out", "ops.quantized.mul_relu_out(X, Y, X)"},
      {"quantized::hardswish", "ops.quantized.hardswish(X, 0.04, 30)"},
      {"quantized::leaky_relu",
       "ops.quantized.leaky_relu(X, 0.2, False, 0.04, 30)"},
      {"quantized::elu", "ops.quantized.elu(X, 0.04, 60, 1.5, 1.1, 0.9)"},
      {"quantized::celu", "ops.quantized.celu(X, 0.04, 60, 1.5)"},
      {"quantized::sigmoid", "ops.quantized.sigmoid(X, 0.00390625, 0)"},
      {"quantized::prelu", "ops.quantized.prelu(X, $slope, 0.04, 30)"},
      {"quantized::clamp", "ops.quantized.clamp(X, -1.2, 2.1)"},
      {"quantized::relu6", "ops.quantized.relu6(X)"},
      {"quantized::threshold", "ops.quantized.threshold(X, 0.52, 0.2)"},
      {"aten::relu", "torch.relu(X)"},
      {"aten::relu_", "torch.relu_(X)"},
      {"aten::relu6", "torch.relu6(X)"},
      {"aten::clamp", "torch.clamp(X, -1.2, 2.1)"},
      {"aten::threshold", "torch.threshold(X, 0.52, 0.2)"},
      {"aten::leaky_relu", "torch.leaky_relu(X, 0.2)"},
      {"aten::sigmoid", "torch.sigmoid(X)"},
      {"aten::hardsigmoid", "torch.hardsigmoid(X)"},
      {"aten::tanh", "torch.tanh(X)"},
  };
  for (const OpCase& op_case : cases) {
    SCOPED_TRACE(op_case.expression);
    ExpectOneStep(op_case, Run(op_case.op, op_case.expression));
  }
}

TEST_P(ReferenceNumericsTest, KernelsOfSeveralElementsAreWithinOneStep) {
  const std::vector<OpCase> cases = {
      {"quantized::cat", "ops.quantized.cat([X, Y], 1, 0.06, 110)"},
      {"quantized::cat", "ops.quantized.cat([X, Y], 1, None, None)"},
      {"quantized::cat_relu", "ops.quantized.cat_relu([X, Y], 1, 0.06, 10)"},
      {"quantized::cat_out",
       "ops.quantized.cat_out([X, Y], 1, torch.cat([X, X], 1))"},
      {"quantized::cat_relu_out",
       "ops.quantized.cat_relu_out([X, Y], 1, torch.cat([X, X], 1))"},
      {"quantized::matmul", "ops.quantized.matmul(X, Y, 0.2, 128)"},
      {"quantized::softmax", "ops.quantized.softmax(X, 1, 0.00390625, 0)"},
      {"quantized::batch_norm2d",
       "ops.quantized.batch_norm2d(X, $w, $b, $mean, $var, 1e-5, 0.05, 100)"},
      {"quantized::batch_norm2d_relu",
       "ops.quantized.batch_norm2d_relu(X, $w, $b, $mean, $var, 1e-5, 0.05, "
       "3)"},
      {"quantized::batch_norm",
       "ops.quantized.batch_norm(X, $w, $b, $mean, $var, 1e-5, 0.05, 100)"},
      {"quantized::batch_norm_relu",
       "ops.quantized.batch_norm_relu(X, $w, $b, $mean, $var, 1e-5, 0.05, 3)"},
      {"quantized::layer_norm",
       "ops.quantized.layer_norm(X, [8, 8], $rows, $rows, 1e-5, 0.04, 100)"},
      {"quantized::group_norm",
       "ops.quantized.group_norm(X, 3, $w, $b, 1e-5, 0.04, 100)"},
      {"quantized::instance_norm",
       "ops.quantized.instance_norm(X, $w, $b, 1e-5, 0.04, 100)"},
      {"quantized::instance_norm",
       "ops.quantized.instance_norm(X, None, None, 1e-5, 0.04, 100)"},
      {"quantized::max_pool2d",
       "ops.quantized.max_pool2d(X, [3, 3], [2, 2], [1, 1], [1, 1], False)"},
      {"aten::quantized_max_pool2d", "torch.quantized_max_pool2d(X, [2, 2])"},
      {"aten::max_pool2d", "torch.max_pool2d(X, [2, 2])"},
      {"aten::avg_pool2d", "torch.avg_pool2d(X, [3, 3], [1, 1], [1, 1])"},
      {"aten::adaptive_avg_pool2d", "torch.adaptive_avg_pool2d(X, [3, 3])"},
      {"aten::upsample_bilinear2d",
       "torch.upsample_bilinear2d(X, [13, 13], False, None, None)"},
      {"aten::upsample_nearest2d",
       "torch.upsample_nearest2d(X, [13, 13], None, None)"},
      {"aten::mean", "torch.mean(X, [2, 3], True)"},
      {"aten::cat", "torch.cat([X, X])"},
      {"aten::max", "torch.max(X, 1)[0]"},
      {"aten::topk", "torch.topk(X, 3)[0]"},
  };
  for (const OpCase& op_case : cases) {
    SCOPED_TRACE(op_case.expression);
    ExpectOneStep(op_case, Run(op_case.op, op_case.expression));
  }
}

TEST_P(ReferenceNumericsTest, KernelsOfOtherShapesAreWithinOneStep) {
  const std::vector<OpCase> rows = {
      {"quantized::batch_norm1d",
       "ops.quantized.batch_norm1d(X, $w, $b, $mean, $var, 1e-5, 0.05, 100)"},
      {"quantized::batch_norm1d_relu",
       "ops.quantized.batch_norm1d_relu(X, $w, $b, $mean, $var, 1e-5, 0.05, "
       "3)"},
      {"quantized::max_pool1d",
       "ops.quantized.max_pool1d(X, [3], [2], [1], [1], False)"},
      {"aten::quantized_max_pool1d", "torch.quantized_max_pool1d(X, [2])"},
  };
  for (const OpCase& op_case : rows) {
    ExpectOneStep(op_case, Run(op_case.op, op_case.expression, {3, 6, 20}));
  }
  const std::vector<OpCase> volumes = {
      {"quantized::batch_norm3d",
       "ops.quantized.batch_norm3d(X, $w, $b, $mean, $var, 1e-5, 0.05, 100)"},
      {"quantized::batch_norm3d_relu",
       "ops.quantized.batch_norm3d_relu(X, $w, $b, $mean, $var, 1e-5, 0.05, "
       "3)"},
      {"aten::avg_pool3d", "torch.avg_pool3d(X, [2, 2, 2])"},
  };
  for (const OpCase& op_case : volumes) {
    ExpectOneStep(op_case,
                  Run(op_case.op, op_case.expression, {2, 6, 4, 4, 4}));
  }
}

NS_INSTANTIATE_ON_ENGINES(ReferenceNumericsTest);

}  // namespace
}  // namespace ns
