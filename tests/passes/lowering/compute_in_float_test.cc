#include "passes/lowering/compute_in_float.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "ir/base/refusal.h"
#include "ir/graph/graph_editor.h"
#include "ir/model/model_graph.h"
#include "tests/testing/ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

constexpr double kScale = 0.04;

// A graph that gives, of a tensor that is quantized finely, the output of `op`.
// `call` is its arguments, which may be %q, %scale, %zero_point and constants.
std::string GraphWith(absl::string_view op, absl::string_view call) {
  return absl::StrCat(R"IR(
graph(%x : Tensor):
  %fine : float = prim::Constant[value=0.03]()
  %scale : float = prim::Constant[value=0.04]()
  %zero_point : int = prim::Constant[value=128]()
  %half : float = prim::Constant[value=0.5]()
  %two : int = prim::Constant[value=2]()
  %true : bool = prim::Constant[value=1]()
  %tanh : str = prim::Constant[value="tanh"]()
  %none : NoneType = prim::Constant()
  %four : int[] = prim::Constant[value=[4]]()
  %q : Tensor = ns::fbgemm_quantize(%x, %fine, %zero_point)
  %y : Tensor = ns::fbgemm_)IR",
                      op, "(", call, R"IR()
  %d : Tensor = ns::fbgemm_dequantize(%y)
  return (%d))IR");
}

struct Case {
  const char* op;
  const char* call;
  const char* float_op;
};

constexpr Case kCases[] = {
    {"add", "%q, %q, %scale, %zero_point", "aten::add"},
    {"add_relu", "%q, %q, %scale, %zero_point", "aten::relu"},
    {"mul", "%q, %q, %scale, %zero_point", "aten::mul"},
    {"mul_relu", "%q, %q, %scale, %zero_point", "aten::relu"},
    {"celu", "%q, %scale, %zero_point, %half", "aten::celu"},
    {"elu", "%q, %scale, %zero_point, %half, %two, %half", "aten::elu"},
    {"gelu", "%q, %scale, %zero_point, %tanh", "aten::gelu"},
    {"hardsigmoid", "%q, %scale, %zero_point", "aten::hardsigmoid"},
    {"hardswish", "%q, %scale, %zero_point", "aten::hardswish"},
    {"leaky_relu", "%q, %half, %true, %scale, %zero_point", "aten::leaky_relu"},
    {"mish", "%q, %scale, %zero_point", "aten::mish"},
    {"selu", "%q, %scale, %zero_point", "aten::selu"},
    {"sigmoid", "%q, %scale, %zero_point", "aten::sigmoid"},
    {"silu", "%q, %scale, %zero_point", "aten::silu"},
    {"softplus", "%q, %scale, %zero_point, %half, %two", "aten::softplus"},
    {"tanh", "%q, %scale, %zero_point", "aten::tanh"},
    {"layer_norm", "%q, %four, %none, %none, %half, %scale, %zero_point",
     "aten::layer_norm"},
};

TEST(ComputeInFloatTest, GivesWhatTheInt8OpRounds) {
  at::manual_seed(1);
  const at::Tensor x = at::randn({8, 4}) * 0.5;
  for (const Case& test : kCases) {
    SCOPED_TRACE(test.op);
    const std::string text = GraphWith(test.op, test.call);
    ModelGraph model = ModelOf(text);
    const at::Tensor rounded = OrThrow(ModelOf(text).Run({x})).toTensor();
    GraphEditor editor(model.graph(), /*context=*/nullptr);
    const FloatComputation computation = OrThrow(ComputeInFloat(
        editor, NodeOf(model.graph(), absl::StrCat("ns::fbgemm_", test.op))));
    EXPECT_EQ(std::string(computation.output->node()->kind().toQualString()),
              test.float_op);
    model.graph().eraseOutput(0);
    model.graph().registerOutput(computation.output);
    const at::Tensor floats = OrThrow(model.Run({x})).toTensor();
    const at::Tensor apart = (floats - rounded).abs();
    EXPECT_LE(apart.max().item<double>(), kScale * 0.501);
    EXPECT_GT(apart.max().item<double>(), 0);
  }
}

TEST(ComputeInFloatTest, DequantizesActivationsAlone) {
  ModelGraph model = ModelOf(
      GraphWith("layer_norm", "%q, %four, %x, %x, %half, %scale, %zero_point"));
  GraphEditor editor(model.graph(), /*context=*/nullptr);
  const FloatComputation computation = OrThrow(
      ComputeInFloat(editor, NodeOf(model.graph(), "ns::fbgemm_layer_norm")));
  ASSERT_EQ(computation.dequantizes.size(), 1);
  EXPECT_EQ(computation.dequantizes[0]->input(0)->node(),
            NodeOf(model.graph(), "ns::fbgemm_quantize"));
}

TEST(ComputeInFloatTest, RefusesOtherOps) {
  for (const auto& [op, call] :
       {std::pair("relu", "%q"), std::pair("clamp", "%q, %none, %two"),
        std::pair("requantize", "%q, %scale, %zero_point"),
        std::pair("softmax", "%q, %two, %scale, %zero_point"),
        std::pair("mean", "%q, %none, %true")}) {
    ModelGraph model = ModelOf(GraphWith(op, call));
    GraphEditor editor(model.graph(), /*context=*/nullptr);
    EXPECT_EQ(ComputeInFloat(editor, NodeOf(model.graph(),
                                            absl::StrCat("ns::fbgemm_", op)))
                  .status(),
              Refusal("no op computes the same and gives floats"))
        << op;
  }
}

}  // namespace
}  // namespace ns
