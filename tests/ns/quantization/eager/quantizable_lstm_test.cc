#include "ns/quantization/eager/quantizable_lstm.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/api/module.h>

#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/eager/module_tree.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::torch::jit::Module;

constexpr int kInputs = 3;
constexpr int kHidden = 4;

struct Kind {
  int layers = 1;
  bool bias = true;
  bool batch_first = false;
  bool bidirectional = false;
};

std::vector<at::Tensor> Parameters(const Kind& kind) {
  std::vector<at::Tensor> parameters;
  for (int layer = 0; layer < kind.layers; ++layer) {
    const int directions = kind.bidirectional ? 2 : 1;
    for (int direction = 0; direction < directions; ++direction) {
      const int inputs = layer == 0 ? kInputs : directions * kHidden;
      parameters.push_back(at::randn({4 * kHidden, inputs}));
      parameters.push_back(at::randn({4 * kHidden, kHidden}));
      if (kind.bias) {
        parameters.push_back(at::randn({4 * kHidden}));
        parameters.push_back(at::randn({4 * kHidden}));
      }
    }
  }
  return parameters;
}

// A module with the parameters of torch.nn.LSTM, under their names, and its
// signature.
Module Lstm(const Kind& kind, const std::vector<at::Tensor>& parameters) {
  Attributes attributes = {{"batch_first", kind.batch_first}};
  auto next = parameters.begin();
  for (int layer = 0; layer < kind.layers; ++layer) {
    for (const char* direction : {"", "_reverse"}) {
      if (*direction != '\0' && !kind.bidirectional) {
        continue;
      }
      for (const char* name :
           {"weight_ih", "weight_hh", "bias_ih", "bias_hh"}) {
        if (kind.bias || name[0] == 'w') {
          attributes.emplace_back(absl::StrCat(name, "_l", layer, direction),
                                  *next++);
        }
      }
    }
  }
  return MakeModule("torch.nn.modules.rnn.LSTM",
                    "def forward__0(self, input: Tensor, hx: "
                    "Optional[Tuple[Tensor, Tensor]]) "
                    "-> Tuple[Tensor, Tuple[Tensor, Tensor]]:\n"
                    "  return input, (input, input)\n",
                    attributes);
}

struct Results {
  at::Tensor y;
  at::Tensor h;
  at::Tensor c;
};

Results ResultsOf(Module module, const at::Tensor& x,
                  const c10::IValue& state) {
  const c10::IValue result = module.get_method("forward__0")({x, state});
  const auto& outer = result.toTupleRef().elements();
  const auto& inner = outer[1].toTupleRef().elements();
  return {outer[0].toTensor(), inner[0].toTensor(), inner[1].toTensor()};
}

void ExpectClose(const at::Tensor& ours, const at::Tensor& theirs) {
  ASSERT_EQ(ours.sizes(), theirs.sizes());
  EXPECT_TRUE(ours.allclose(theirs, 1e-5, 1e-6));
}

class QuantizableLstmTest : public ::testing::TestWithParam<Kind> {};

TEST_P(QuantizableLstmTest, ComputesWhatTheLstmDoes) {
  const Kind& kind = GetParam();
  const std::vector<at::Tensor> parameters = Parameters(kind);
  const Module parts = OrThrow(QuantizableLstm(Lstm(kind, parameters)));
  EXPECT_EQ(TypeNameOf(parts), kQuantizableLstm);
  const at::Tensor x = kind.batch_first ? at::randn({2, 5, kInputs})
                                        : at::randn({5, 2, kInputs});
  const int states = kind.layers * (kind.bidirectional ? 2 : 1);
  const at::Tensor h = at::randn({states, 2, kHidden});
  const at::Tensor c = at::randn({states, 2, kHidden});
  for (const bool has_state : {false, true}) {
    const at::Tensor zeros = at::zeros_like(h);
    const auto [y, hn, cn] =
        at::lstm(x, {has_state ? h : zeros, has_state ? c : zeros}, parameters,
                 kind.bias, kind.layers, /*dropout=*/0, /*train=*/false,
                 kind.bidirectional, kind.batch_first);
    const Results results = ResultsOf(
        parts, x,
        has_state ? c10::IValue(std::make_tuple(h, c)) : c10::IValue());
    ExpectClose(results.y, y);
    ExpectClose(results.h, hn);
    ExpectClose(results.c, cn);
  }
}

INSTANTIATE_TEST_SUITE_P(, QuantizableLstmTest,
                         ::testing::Values(Kind(), Kind{2, false, false, false},
                                           Kind{2, true, true, true}));

TEST(QuantizableLstmErrorTest, RefusesOtherModules) {
  EXPECT_THAT(MessageOf(QuantizableLstm(Linear(at::ones({2, 2})))),
              HasSubstr("it has not the parameters of an LSTM"));
  Module projected = Lstm({}, Parameters({}));
  projected.register_attribute("weight_hr_l0", c10::TensorType::get(),
                               at::ones({2, kHidden}));
  EXPECT_THAT(MessageOf(QuantizableLstm(projected)),
              HasSubstr("an LSTM with projections"));
  const Module traced = MakeModule(
      "torch.nn.modules.rnn.LSTM",
      "def forward(self, input: Tensor) -> Tensor:\n  return input\n",
      {{"weight_ih_l0", at::ones({16, 3})},
       {"weight_hh_l0", at::ones({16, 4})}});
  EXPECT_THAT(MessageOf(QuantizableLstm(traced)),
              HasSubstr("save the model with torch.jit.script"));
}

}  // namespace
}  // namespace ns
