#include "tests/passes/registry/pass_examples.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/interned_strings.h>
#include <torch/csrc/jit/ir/ir.h>

#include <cstdint>
#include <string>
#include <utility>

#include "passes/lowering/lower_to_fbgemm.h"
#include "passes/quantization/observe/insert_observers.h"
#include "passes/quantization/observe/observer_plan.h"
#include "passes/quantization/qconfig/default_qconfigs.h"
#include "passes/quantization/qconfig/qconfig.h"
#include "tests/testing/float_model.h"
#include "tests/testing/ir.h"
#include "tests/testing/modules.h"
#include "tests/testing/run_pass.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

struct TextExample {
  absl::string_view pass;
  // Takes an image, unless it cannot run.
  const char* text;
  bool runs = true;
};

constexpr TextExample kTexts[] = {
    {"drop-exception-checks", R"IR(
graph(%x : Tensor):
  %text : str = prim::Constant[value="no image"]()
  %none : NoneType = prim::Constant()
  %four : int = prim::Constant[value=4]()
  %dims : int = aten::dim(%x)
  %is_image : bool = aten::eq(%dims, %four)
  prim::If(%is_image)
    block0():
      -> ()
    block1():
      prim::RaiseException(%text, %none)
      -> ()
  %y : Tensor = aten::relu(%x)
  return (%y))IR"},
    {"eliminate-dead-code", R"IR(
graph(%x : Tensor):
  %unused : Tensor = aten::sigmoid(%x)
  %y : Tensor = aten::relu(%x)
  return (%y))IR"},
    {"explicit-convolutions", R"IR(
graph(%x : Tensor):
  %none : NoneType = prim::Constant()
  %valid : str = prim::Constant[value="valid"]()
  %one : int = prim::Constant[value=1]()
  %ones : int[] = prim::Constant[value=[1, 1]]()
  %y : Tensor = aten::conv2d(%x, %x, %none, %ones, %valid, %ones, %one)
  return (%y))IR"},
    {"follow-writes", R"IR(
graph(%x : Tensor):
  %a : Tensor = aten::sin(%x)
  %written : Tensor = aten::relu_(%a)
  %y : Tensor = aten::cos(%a)
  return (%y))IR"},
    {"lower-tuples", R"IR(
graph(%x : Tensor):
  %y : Tensor = aten::relu(%x)
  %pair : (Tensor, Tensor) = prim::TupleConstruct(%x, %y)
  %a : Tensor, %b : Tensor = prim::TupleUnpack(%pair)
  %one : int = prim::Constant[value=1]()
  %z : Tensor = aten::add(%a, %b, %one)
  return (%z))IR"},
    {"replace-futures", R"IR(
graph(%future : Future(Tensor)):
  %y : Tensor = aten::wait(%future)
  return (%y))IR",
     /*runs=*/false},
};

at::Tensor Image() {
  at::manual_seed(3);
  return at::randn({2, 3, 4, 4});
}

// A model as it was saved: neither inlined nor frozen.
ModelGraph AsItIs(const torch::jit::Module& module) {
  return OrThrow(ModelGraph::FromModuleAsItIs(module, "forward"));
}

// Its observers have seen the image.
PassExample Calibrated() {
  ObserverPlanOptions options;
  options.mapping = GetDefaultQConfigMapping(Backend::kFbgemm);
  ModelGraph model = FloatModel({"return torch.relu(" + ConvOf("x") + ") * x"});
  RunPass(InsertObservers(std::move(options)), model);
  OrThrow(model.Run({Image()}));
  return {std::move(model), {Image()}};
}

// A lowered convolution whose output is added to its input.
PassExample LoweredSum() {
  at::manual_seed(4);
  ModelGraph model = OrThrow(ModelGraph::FromModule(
      MakeModel({{"quant", Quantize()},
                 {"conv", QuantizedConv2d(at::randn({3, 3, 1, 1}), false)},
                 {"dequant", DeQuantize()}},
                {"x = self.quant.forward(x)",
                 "y = ops.quantized.add(self.conv.forward(x), x, 0.1, 64)",
                 "return self.dequant.forward(y)"})));
  RunPass(LowerToFbgemm(LowerToFbgemmOptions()), model);
  return {std::move(model), {Image()}};
}

// A layer norm with one channel that is far larger than the others.
PassExample NormOfOutliers() {
  at::manual_seed(5);
  const at::Tensor gamma = at::tensor({1.0F, 1.0F, 1.0F, 50.0F});
  ModelGraph model = OrThrow(ModelGraph::FromModule(MakeModule(
      "Norm",
      "def forward(self, x: Tensor) -> Tensor:\n"
      "    y = torch.layer_norm(x, [4], self.gamma, self.beta)\n"
      "    return torch.linear(y, self.w)\n",
      {{"gamma", gamma}, {"beta", gamma / 10}, {"w", at::randn({4, 4})}})));
  return {std::move(model), {Image()}};
}

// A layer of attention with an early return, as PyTorch's modules have it.
PassExample Attention() {
  at::manual_seed(6);
  ModelGraph model = AsItIs(MakeModule(
      "Attention",
      "def forward(self, x: Tensor) -> Tensor:\n"
      "    if self.fast:\n"
      "        y, w = torch._native_multi_head_attention(x, x, x, 4, 2, self.w,"
      " self.b, self.out_w, self.out_b)\n"
      "        return y\n"
      "    q = torch.linear(x, self.w, self.b)\n"
      "    return torch.linear(q[:, :, :4], self.out_w, self.out_b)\n",
      {{"fast", true},
       {"w", at::randn({12, 4})},
       {"b", at::zeros({12})},
       {"out_w", at::randn({4, 4})},
       {"out_b", at::zeros({4})}}));
  return {std::move(model), {}};
}

// A product with a constant weight.
PassExample Product() {
  at::manual_seed(7);
  ModelGraph model = ModelOf(R"IR(
graph(%x : Tensor):
  %y : Tensor = aten::relu(%x)
  return (%y))IR");
  torch::jit::Graph& graph = model.graph();
  const torch::jit::WithInsertPoint here(graph.return_node());
  torch::jit::Value* const product =
      graph.insert(c10::aten::addmm,
                   {graph.insertConstant(at::randn({2})), graph.outputs()[0],
                    graph.insertConstant(at::randn({3, 2}))});
  graph.return_node()->replaceInput(0, product);
  return {std::move(model), {at::randn({4, 3})}};
}

}  // namespace

std::optional<PassExample> ExampleFor(absl::string_view pass) {
  for (const TextExample& example : kTexts) {
    if (example.pass == pass) {
      return PassExample{ModelOf(example.text),
                         example.runs ? std::vector<c10::IValue>{Image()}
                                      : std::vector<c10::IValue>()};
    }
  }
  if (pass == "convert-observers") {
    return Calibrated();
  }
  if (pass == "fold-attributes") {
    return PassExample{
        AsItIs(MakeModule("Scale",
                          "def forward(self, x: Tensor) -> Tensor:\n"
                          "    return x * self.factor\n",
                          {{"factor", int64_t{3}}})),
        {Image()}};
  }
  if (pass == "fuse-sums") {
    return LoweredSum();
  }
  if (pass == "inline-modules") {
    return PassExample{
        AsItIs(MakeModel({{"relu", Relu()}}, {"return self.relu.forward(x)"})),
        {Image()}};
  }
  if (pass == "linear-of-addmm") {
    return Product();
  }
  if (pass == "smooth-layers") {
    return NormOfOutliers();
  }
  if (pass == "take-slow-paths") {
    return Attention();
  }
  return std::nullopt;
}

}  // namespace ns
