// Holds QuantizationTarget::kOneDnnAvx2 against LibTorch's onednn engine. The
// environment limits its instructions to those of processors without VNNI.
#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/csrc/jit/ir/ir.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "passes/quantization/layers/layer_saturation.h"
#include "passes/quantization/qconfig/quantization_target.h"
#include "tests/testing/ir.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using Ints = std::vector<int64_t>;

struct Layer {
  // 0 for a linear layer.
  int64_t dimensions;
  Ints weight_sizes;
  int64_t groups;
  bool always_saturates;
};

c10::IValue Call(const std::string& name, const char* overload,
                 std::vector<c10::IValue> arguments) {
  c10::Dispatcher::singleton()
      .findSchemaOrThrow(name.c_str(), overload)
      .callBoxed(&arguments);
  return arguments[0];
}

c10::IValue Pack(const Layer& layer, const at::Tensor& weight) {
  const size_t dims = static_cast<size_t>(layer.dimensions);
  std::vector<c10::IValue> arguments = {weight, c10::IValue()};
  std::string name = "quantized::linear_prepack";
  if (dims > 0) {
    name = absl::StrCat("quantized::conv", dims, "d_prepack");
    for (const int64_t value : {1, 0, 1}) {
      arguments.emplace_back(Ints(dims, value));
    }
    arguments.emplace_back(layer.groups);
  }
  return Call(name, "", arguments);
}

// Whether sums of the engine saturate with the largest values and weights.
bool Saturates(const Layer& layer) {
  const at::Tensor weight = at::quantize_per_tensor(
      at::ones(layer.weight_sizes), 1.0 / 127, 0, at::kQInt8);
  Ints sizes = {1, layer.weight_sizes[1] * layer.groups};
  sizes.resize(static_cast<size_t>(2 + layer.dimensions), 8);
  const at::Tensor x =
      at::quantize_per_tensor(at::ones(sizes), 1.0 / 255, 0, at::kQUInt8);
  const double exact = static_cast<double>(weight[0].numel());
  const std::string name =
      layer.dimensions == 0
          ? "quantized::linear"
          : absl::StrCat("quantized::conv", layer.dimensions, "d");
  const at::Tensor y = Call(name, layer.dimensions < 2 ? "" : "new",
                            {x, Pack(layer, weight), exact / 250, int64_t{0}})
                           .toTensor();
  return y.dequantize().min().item<double>() < 0.99 * exact;
}

// What HasSaturatingKernel says of the float layer.
bool MaySaturate(const Layer& layer) {
  const auto list = [&](int value) {
    return absl::StrCat(
        "[",
        absl::StrJoin(Ints(static_cast<size_t>(layer.dimensions), value), ", "),
        "]");
  };
  const std::string op = layer.dimensions == 0
                             ? "linear"
                             : absl::StrCat("conv", layer.dimensions, "d");
  const std::string rest =
      layer.dimensions == 0 ? ""
                            : absl::StrCat(", None, ", list(1), ", ", list(0),
                                           ", ", list(1), ", ", layer.groups);
  const ModelGraph model = OrThrow(ModelGraph::FromModule(
      MakeModule("M",
                 absl::StrCat("def forward(self, x: Tensor):\n  return torch.",
                              op, "(x, self.weight", rest, ")\n"),
                 {{"weight", at::ones(layer.weight_sizes)}})));
  return HasSaturatingKernel(*NodeOf(model.graph(), absl::StrCat("aten::", op)),
                             QuantizationTarget::kOneDnnAvx2);
}

TEST(OneDnnSaturationTest, NoLayerSaturatesThatIsSaidNotTo) {
  at::globalContext().setQEngine(at::kONEDNN);
  const Layer layers[] = {
      {0, {8, 32}, 1, true},
      {1, {16, 16, 3}, 1, true},
      {2, {16, 16, 3, 3}, 1, true},
      {2, {16, 16, 1, 1}, 1, true},
      {2, {16, 3, 3, 3}, 1, true},
      {3, {16, 16, 3, 3, 3}, 1, true},
      // Depthwise, with padding of their channels and without.
      {1, {16, 1, 3}, 16, false},
      {2, {16, 1, 3, 3}, 16, false},
      {2, {16, 1, 5, 5}, 16, false},
      {2, {12, 1, 3, 3}, 12, false},
      {2, {3, 1, 3, 3}, 3, false},
      {3, {16, 1, 3, 3, 3}, 16, false},
      // Two output channels for each of the input, and groups of two.
      {2, {32, 1, 3, 3}, 16, false},
      {2, {16, 2, 3, 3}, 8, false},
  };
  for (const Layer& layer : layers) {
    const std::string name = absl::StrCat(
        layer.dimensions, "d of ", absl::StrJoin(layer.weight_sizes, " x "));
    const bool saturates = Saturates(layer);
    EXPECT_TRUE(saturates || !layer.always_saturates) << name;
    EXPECT_TRUE(MaySaturate(layer) || !saturates) << name;
  }
  EXPECT_FALSE(MaySaturate({2, {16, 1, 3, 3}, 16, false}));
}

}  // namespace
}  // namespace ns
