// PyTorch's cases of dynamic quantization of recurrent layers and cells, see
// tests/README.md.
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/api/module.h>

#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ir/files/module_file.h"
#include "ns/quantization/eager/quantize.h"
#include "passes/quantization/qconfig/default_qconfigs.h"
#include "tests/ns/quantization/eager/reference_models.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"
#include "tests/testing/temporary_file.h"

namespace ns {
namespace {

using ::torch::jit::Module;

// How weights are quantized, and by which qconfig.
struct Form {
  const char* name;
  at::ScalarType dtype;
  QConfig (*qconfig)();
};

void PrintTo(const Form& form, std::ostream* out) { *out << form.name; }

// A layer or cell of `gates` gates, with 2 inputs and 2 hidden features, that
// computes `body`. The sum of its biases is not negative, for ReLU.
Module Recurrent(const std::string& type, int64_t gates,
                 const std::string& arguments, const std::string& body) {
  // The same weights every time.
  at::manual_seed(1);
  const bool is_cell = type.find("Cell") != std::string::npos;
  const std::string suffix = is_cell ? "" : "_l0";
  return MakeModule(
      absl::StrCat("torch.nn.modules.rnn.", type),
      absl::StrCat("def forward(self, ", arguments, ") -> Tensor:\n", body),
      {{absl::StrCat("weight_ih", suffix), at::randn({2 * gates, 2})},
       {absl::StrCat("weight_hh", suffix), at::randn({2 * gates, 2})},
       {absl::StrCat("bias_ih", suffix), at::rand({2 * gates})},
       {absl::StrCat("bias_hh", suffix), at::rand({2 * gates}) + 1}});
}

constexpr char kLayerWeights[] =
    "[self.weight_ih_l0, self.weight_hh_l0, self.bias_ih_l0, self.bias_hh_l0], "
    "True, 1, 0.0, False, False";
constexpr char kCellWeights[] =
    "self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh";

Module Lstm() {
  return Recurrent("LSTM", 4, "x: Tensor",
                   absl::StrCat("    h = torch.zeros([1, x.size(1), 2])\n"
                                "    y, a, b = torch.lstm(x, [h, h], ",
                                kLayerWeights, ", False)\n    return y\n"));
}

Module Gru() {
  return Recurrent("GRU", 3, "x: Tensor",
                   absl::StrCat("    h = torch.zeros([1, x.size(1), 2])\n"
                                "    y, a = torch.gru(x, h, ",
                                kLayerWeights, ", False)\n    return y\n"));
}

// The layers on packed sequences: rows of all steps, and how many each has.
Module PackedLstm() {
  return Recurrent("LSTM", 4, "x: Tensor, sizes: Tensor",
                   absl::StrCat("    h = torch.zeros([1, 3, 2])\n"
                                "    y, a, b = torch.lstm(x, sizes, [h, h], ",
                                kLayerWeights, ")\n    return y\n"));
}

Module PackedGru() {
  return Recurrent("GRU", 3, "x: Tensor, sizes: Tensor",
                   absl::StrCat("    h = torch.zeros([1, 3, 2])\n"
                                "    y, a = torch.gru(x, sizes, h, ",
                                kLayerWeights, ")\n    return y\n"));
}

Module Cell(const std::string& type, int64_t gates, const std::string& op) {
  return Recurrent(type, gates, "x: Tensor",
                   absl::StrCat("    h = torch.zeros([x.size(0), 2])\n"
                                "    return torch.",
                                op, "(x, h, ", kCellWeights, ")\n"));
}

Module LstmCell() {
  return Recurrent("LSTMCell", 4, "x: Tensor",
                   absl::StrCat("    h = torch.zeros([x.size(0), 2])\n"
                                "    y, c = torch.lstm_cell(x, [h, h], ",
                                kCellWeights, ")\n    return y\n"));
}

class ReferenceRecurrentTest : public ::testing::TestWithParam<Form> {
 protected:
  static Module Model(const Module& layer, bool is_packed) {
    return MakeModule("Model",
                      is_packed
                          ? "def forward(self, x: Tensor, sizes: Tensor) -> "
                            "Tensor:\n"
                            "    return self.mod.forward(x, sizes)\n"
                          : "def forward(self, x: Tensor) -> Tensor:\n"
                            "    return self.mod.forward(x)\n",
                      {}, {{"mod", layer}});
  }

  static at::Tensor Output(const Module& model,
                           const std::vector<c10::IValue>& batch) {
    return Module(model).get_method("forward")(batch).toTensor();
  }

  // The quantized layer is dynamic, near the float one, and saves and loads.
  static void ExpectQuantizes(const std::string& type, const Module& layer,
                              const std::vector<c10::IValue>& batch) {
    const Module model = Model(layer, batch.size() == 2);
    QuantizeDynamicOptions options;
    options.dtype = GetParam().dtype;
    if (GetParam().qconfig != nullptr) {
      options.qconfigs = {{type, GetParam().qconfig()}};
    }
    const Module quantized = OrThrow(QuantizeDynamicModules(model, options));
    if (GetParam().dtype == at::kQInt8) {
      EXPECT_EQ(
          TypeAtPath(quantized, "mod"),
          absl::StrCat("torch.ao.nn.quantized.dynamic.modules.rnn.", type));
    }
    const at::Tensor output = Output(quantized, batch);
    ExpectNear(output, Output(model, batch));
    EXPECT_FALSE(output.equal(Output(model, batch))) << type;
    EXPECT_FALSE(ChildAt(quantized, "mod").hasattr(kQConfigAttribute));
    const std::string path = TemporaryPath("quantized.pt");
    quantized.save(path);
    EXPECT_TRUE(Output(OrThrow(LoadModule(path)), batch).equal(output)) << type;
  }

  const at::Tensor rows_ =
      at::tensor({1.0F, -1.5F, -1.5F, 1.0F, 1.0F, -1.5F}, at::kFloat)
          .reshape({3, 2});
};

TEST_P(ReferenceRecurrentTest, LayersAreDynamic) {
  const at::Tensor x = rows_.repeat({10, 1, 1});
  ExpectQuantizes("LSTM", Lstm(), {x});
  ExpectQuantizes("GRU", Gru(), {x});
}

TEST_P(ReferenceRecurrentTest, LayersTakePackedSequences) {
  // Sequences of 10, 5 and 2 steps.
  const at::Tensor sizes =
      at::tensor({3, 3, 2, 2, 2, 1, 1, 1, 1, 1}, at::kLong);
  const at::Tensor x = rows_.repeat({6, 1}).slice(0, 0, 17);
  ExpectQuantizes("LSTM", PackedLstm(), {x, sizes});
  ExpectQuantizes("GRU", PackedGru(), {x, sizes});
}

TEST_P(ReferenceRecurrentTest, CellsAreDynamic) {
  ExpectQuantizes("LSTMCell", LstmCell(), {rows_});
  ExpectQuantizes("GRUCell", Cell("GRUCell", 3, "gru_cell"), {rows_});
  ExpectQuantizes("RNNCell", Cell("RNNCell", 1, "rnn_tanh_cell"), {rows_});
  ExpectQuantizes("RNNCell", Cell("RNNCell", 1, "rnn_relu_cell"), {rows_});
}

INSTANTIATE_TEST_SUITE_P(, ReferenceRecurrentTest,
                         ::testing::Values(Form{"Int8", at::kQInt8,
                                                DefaultDynamicQConfig},
                                           Form{"Int8PerChannel", at::kQInt8,
                                                PerChannelDynamicQConfig},
                                           Form{"Half", at::kHalf, nullptr}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace ns
