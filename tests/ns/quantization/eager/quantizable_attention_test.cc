#include "ns/quantization/eager/quantizable_attention.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/nn/modules/activation.h>

#include <cmath>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/eager/module_tree.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::torch::jit::Module;

constexpr int kFeatures = 6;
constexpr int kHeads = 3;
constexpr int kTargets = 4;
constexpr int kSources = 5;
constexpr int kBatches = 2;

// LibTorch's float module.
struct Kind {
  std::string name;
  torch::nn::MultiheadAttentionOptions options{kFeatures, kHeads};
  bool batch_first = false;
  // Of keys and values.
  int source_features = kFeatures;
};

void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

std::vector<Kind> Kinds() {
  using Options = torch::nn::MultiheadAttentionOptions;
  return {
      {"plain"},
      {"no_bias", Options(kFeatures, kHeads).bias(false)},
      {"batch_first", Options(kFeatures, kHeads), true},
      {"bias_of_keys", Options(kFeatures, kHeads).add_bias_kv(true)},
      {"zeros", Options(kFeatures, kHeads).add_zero_attn(true)},
      {"all", Options(kFeatures, kHeads).add_bias_kv(true).add_zero_attn(true),
       true},
      {"other_features", Options(kFeatures, kHeads).kdim(7).vdim(7), false, 7},
  };
}

// The arguments that files of PyTorch 1.13 have.
constexpr char kForward[] =
    "def forward(self, query: Tensor, key: Tensor, value: Tensor, "
    "key_padding_mask: Optional[Tensor] = None, need_weights: bool = True, "
    "attn_mask: Optional[Tensor] = None, average_attn_weights: bool = True) "
    "-> Tuple[Tensor, Optional[Tensor]]:\n"
    "  return query, value\n";

// A module with the fields of a scripted one. Its code is not that of the
// original: it is not looked at.
Module Scripted(const torch::nn::MultiheadAttention& attention,
                bool batch_first) {
  const auto& options = attention->options;
  Attributes attributes = {{"embed_dim", options.embed_dim()},
                           {"num_heads", options.num_heads()},
                           {"head_dim", attention->head_dim},
                           {"batch_first", batch_first},
                           {"dropout", 0.0},
                           {"add_zero_attn", options.add_zero_attn()}};
  Module projection =
      MakeModule("torch.nn.modules.linear.NonDynamicallyQuantizableLinear",
                 "def forward(self, x: Tensor) -> Tensor:\n  return x\n");
  for (const auto& parameter : attention->named_parameters()) {
    const std::string& name = parameter.key();
    const std::string prefix = "out_proj.";
    if (name.rfind(prefix, 0) == 0) {
      projection.register_parameter(name.substr(prefix.size()),
                                    parameter.value(), /*is_buffer=*/false);
    } else {
      attributes.emplace_back(name, parameter.value());
    }
  }
  return MakeModule("torch.nn.modules.activation.MultiheadAttention", kForward,
                    attributes, {{"out_proj", projection}});
}

class QuantizableAttentionTest : public ::testing::TestWithParam<Kind> {
 protected:
  QuantizableAttentionTest() {
    at::manual_seed(3);
    float_ = torch::nn::MultiheadAttention(GetParam().options);
    float_->eval();
    // Biases are zeros otherwise.
    const at::NoGradGuard no_grad;
    for (at::Tensor parameter : float_->parameters()) {
      parameter.uniform_(-0.8, 0.8);
    }
    parts_ =
        OrThrow(QuantizableAttention(Scripted(float_, GetParam().batch_first)));
    query_ = at::randn({kTargets, kBatches, kFeatures});
    key_ = at::randn({kSources, kBatches, GetParam().source_features});
    value_ = at::randn({kSources, kBatches, GetParam().source_features});
  }

  static at::Tensor Placed(const at::Tensor& tensor) {
    return GetParam().batch_first ? tensor.transpose(0, 1) : tensor;
  }

  // Both compute the same.
  void ExpectSame(const at::Tensor& padding, const at::Tensor& mask,
                  bool average) {
    const auto optional = [](const at::Tensor& tensor) {
      return tensor.defined() ? c10::IValue(tensor) : c10::IValue();
    };
    // LibTorch's module adds any mask.
    const at::Tensor added =
        mask.defined() && mask.scalar_type() == at::kBool
            ? at::zeros(mask.sizes()).masked_fill(mask, -INFINITY)
            : mask;
    const auto [output, weights] = float_->forward(
        query_, key_, value_, padding, /*need_weights=*/true, added, average);
    const c10::IValue result =
        parts_.forward({Placed(query_), Placed(key_), Placed(value_),
                        optional(padding), true, optional(mask), average});
    const auto& both = result.toTupleRef().elements();
    EXPECT_TRUE(both[0].toTensor().allclose(Placed(output), 1e-4, 1e-5));
    ASSERT_EQ(both[1].toTensor().sizes(), weights.sizes());
    EXPECT_TRUE(both[1].toTensor().allclose(weights, 1e-4, 1e-5));
  }

  // [batch, head, target, source]
  at::Tensor WeightsOfHeads(const at::Tensor& mask) {
    const c10::IValue result = parts_.forward(
        {Placed(query_), Placed(key_), Placed(value_), c10::IValue(), true,
         mask.defined() ? c10::IValue(mask) : c10::IValue(),
         /*average_attn_weights=*/false});
    return result.toTupleRef().elements()[1].toTensor();
  }

  torch::nn::MultiheadAttention float_{nullptr};
  Module parts_;
  at::Tensor query_;
  at::Tensor key_;
  at::Tensor value_;
};

TEST_P(QuantizableAttentionTest, ComputesWhatAttentionDoes) {
  EXPECT_EQ(TypeNameOf(parts_), kQuantizableAttention);
  ExpectSame({}, {}, /*average=*/true);
  ExpectSame({}, {}, /*average=*/false);
}

TEST_P(QuantizableAttentionTest, TakesMasks) {
  at::Tensor padding = at::zeros({kBatches, kSources}, at::kBool);
  padding[1][4] = true;
  padding[1][3] = true;
  ExpectSame(padding, {}, true);
  ExpectSame(padding.to(at::kByte), {}, true);
  const at::Tensor later =
      at::ones({kTargets, kSources}, at::kBool).triu(/*diagonal=*/2);
  ExpectSame({}, later, true);
  ExpectSame(padding, later, false);
  ExpectSame({}, at::randn({kTargets, kSources}), true);
}

TEST_P(QuantizableAttentionTest, AMaskMayDifferFromHeadToHead) {
  // Head 1 of batch 0 looks at source 2 alone.
  at::Tensor mask =
      at::zeros({kBatches * kHeads, kTargets, kSources}, at::kBool);
  mask[1].fill_(true).select(1, 2).fill_(false);
  const at::Tensor masked = WeightsOfHeads(mask);
  const at::Tensor unmasked = WeightsOfHeads({});
  EXPECT_TRUE(masked[1].allclose(unmasked[1]));
  EXPECT_TRUE(masked[0][0].allclose(unmasked[0][0]));
  // Keys that the module adds have no mask.
  const at::Tensor of_sources = masked[0][1].slice(1, 0, kSources);
  EXPECT_EQ(of_sources.gt(0).sum().item<int>(), kTargets);
  EXPECT_TRUE(of_sources.select(1, 2).gt(0).all().item<bool>());
}

TEST_P(QuantizableAttentionTest, TakesOneSequence) {
  const auto alone = [](const at::Tensor& batch) { return batch.select(1, 0); };
  const auto [output, weights] =
      float_->forward(query_, key_, value_, {}, true, {}, true);
  const c10::IValue result =
      parts_.forward({alone(query_), alone(key_), alone(value_)});
  const auto& both = result.toTupleRef().elements();
  EXPECT_TRUE(both[0].toTensor().allclose(alone(output), 1e-4, 1e-5));
  EXPECT_TRUE(both[1].toTensor().allclose(weights[0], 1e-4, 1e-5));
}

TEST_P(QuantizableAttentionTest, GivesNoWeightsUnlessAsked) {
  const c10::IValue result = parts_.forward(
      {Placed(query_), Placed(key_), Placed(value_), c10::IValue(), false});
  EXPECT_TRUE(result.toTupleRef().elements()[1].isNone());
}

INSTANTIATE_TEST_SUITE_P(, QuantizableAttentionTest,
                         ::testing::ValuesIn(Kinds()),
                         [](const auto& info) { return info.param.name; });

TEST(QuantizeAttentionBiasesTest, EachHasItsOwnRange) {
  torch::nn::MultiheadAttention attention(
      torch::nn::MultiheadAttentionOptions(kFeatures, kHeads)
          .add_bias_kv(true));
  {
    const at::NoGradGuard no_grad;
    attention->bias_k.fill_(0.5);
    attention->bias_v.fill_(50);
  }
  Module parts = OrThrow(QuantizableAttention(Scripted(attention, false)));
  QuantizeAttentionBiases(parts);
  for (const auto& [name, expected] :
       {std::make_pair("bias_k", 0.5), std::make_pair("bias_v", 50.0)}) {
    const at::Tensor bias = parts.attr(name).toTensor();
    ASSERT_TRUE(bias.is_quantized());
    EXPECT_TRUE(bias.dequantize().allclose(
        at::full_like(attention->bias_k, expected), 0.01));
    EXPECT_FALSE(
        parts.type()->is_parameter(*parts.type()->findAttributeSlot(name)));
  }
}

TEST(QuantizableAttentionErrorTest, RefusesOtherModules) {
  EXPECT_THAT(MessageOf(QuantizableAttention(Linear(at::ones({2, 2})))),
              HasSubstr("not that of a scripted MultiheadAttention: it has no "
                        "embed_dim"));
  const Attributes fields = {{"embed_dim", 6}, {"num_heads", 3}};
  EXPECT_THAT(MessageOf(QuantizableAttention(
                  MakeModule("Traced",
                             "def forward(self, input: Tensor) -> Tensor:\n"
                             "  return input\n",
                             fields))),
              HasSubstr("forward takes input"));
  EXPECT_THAT(
      MessageOf(QuantizableAttention(MakeModule("Bare", kForward, fields))),
      HasSubstr("it has no out_proj"));
  EXPECT_THAT(MessageOf(QuantizableAttention(MakeModule(
                  "Odd", kForward, {{"embed_dim", 7}, {"num_heads", 3}}))),
              HasSubstr("its 7 features cannot be split into 3 heads"));
}

}  // namespace
}  // namespace ns
