#include "ns/quantization/eager/quantized_types.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/api/module.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/quantization/eager/module_mappings.h"
#include "tests/testing/modules.h"

namespace ns {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr char kQuantized[] = "torch.ao.nn.quantized.modules.";

const QuantizedType& TypeNamed(const std::string& name) {
  return *FindQuantizedType(absl::StrCat(kQuantized, name));
}

std::vector<const QuantizedType*> AllTypes() {
  std::set<std::string> names;
  for (const ModuleMapping* mapping :
       {&GetDefaultStaticQuantModuleMappings(),
        &GetEmbeddingStaticQuantModuleMappings(),
        &GetDefaultDynamicQuantModuleMappings()}) {
    for (const auto& [from, to] : *mapping) {
      names.insert(to);
    }
  }
  std::vector<const QuantizedType*> types;
  for (const std::string& name : names) {
    const QuantizedType* type = FindQuantizedType(name);
    if (type == nullptr) {
      throw std::out_of_range(name);
    }
    types.push_back(type);
  }
  return types;
}

size_t CountOf(absl::string_view text, char letter) {
  return static_cast<size_t>(std::count(text.begin(), text.end(), letter));
}

TEST(FindQuantizedTypeTest, EitherSpellingIsOneType) {
  const QuantizedType* type =
      FindQuantizedType("torch.nn.quantized.modules.linear.Linear");
  ASSERT_NE(type, nullptr);
  EXPECT_EQ(type, &TypeNamed("linear.Linear"));
  EXPECT_EQ(type->name, "torch.ao.nn.quantized.modules.linear.Linear");
}

TEST(FindQuantizedTypeTest, StaticAndDynamicTypesAreToldApart) {
  const QuantizedType* dynamic =
      FindQuantizedType("torch.ao.nn.quantized.dynamic.modules.linear.Linear");
  ASSERT_NE(dynamic, nullptr);
  EXPECT_EQ(dynamic->source, CodeSource::kDynamicLayer);
  EXPECT_EQ(dynamic->qparams, QParamsForm::kNone);
  EXPECT_EQ(TypeNamed("linear.Linear").source, CodeSource::kQuantizeLayer);
  EXPECT_EQ(TypeNamed("linear.Linear").qparams, QParamsForm::kNumbers);
}

// A class of a script is called "Linear", whatever it computes.
TEST(FindQuantizedTypeTest, ClassesOfTheUserAreNoneOfPyTorchs) {
  for (const char* name : {"", "Linear", "LSTM", "linear.Linear", "my.Linear",
                           "torch.nn.modules.linear.Linear",
                           "my.torch.ao.nn.quantized.modules.linear.Linear"}) {
    EXPECT_EQ(FindQuantizedType(name), nullptr) << name;
  }
}

TEST(QuantizedTypesTest, EveryModuleOnAPathHasAClass) {
  for (const QuantizedType* type : AllTypes()) {
    for (const std::string& path : type->packed) {
      EXPECT_THAT(type->packed_classes, SizeIs(CountOf(path, '.')))
          << type->name;
    }
    if (type->weight_dtype != WeightDtype::kNone) {
      EXPECT_FALSE(type->packed_classes.empty()) << type->name;
    }
  }
}

TEST(QuantizedTypesTest, ScriptsHaveEachConstantAndNoOther) {
  for (const QuantizedType* type : AllTypes()) {
    EXPECT_EQ(type->script.empty(), type->source != CodeSource::kScript)
        << type->name;
    EXPECT_EQ(CountOf(type->script, '{'), type->constants.size()) << type->name;
    for (const std::string& constant : type->constants) {
      EXPECT_TRUE(
          absl::StrContains(type->script, absl::StrCat("{", constant, "}")))
          << type->name;
    }
  }
}

TEST(QuantizedTypesTest, DynamicLayersHaveTheScaleOfPyTorchs) {
  const QuantizedType* type =
      FindQuantizedType("torch.ao.nn.quantized.dynamic.modules.linear.Linear");
  ASSERT_THAT(type->fixed, SizeIs(3));
  EXPECT_EQ(type->fixed[0].first, "scale");
  EXPECT_EQ(type->fixed[0].second.toDouble(), 1);
  EXPECT_EQ(type->fixed[1].first, "zero_point");
  EXPECT_EQ(type->fixed[1].second.toInt(), 0);
  EXPECT_THAT(TypeNamed("linear.Linear").fixed, IsEmpty());
}

TEST(QuantizedTypesTest, BagsAreEmbeddingsWithAMode) {
  const QuantizedType& bag = TypeNamed("embedding_ops.EmbeddingBag");
  EXPECT_THAT(bag.copied, Contains("num_embeddings"));
  EXPECT_THAT(bag.copied, Contains("mode"));
  EXPECT_THAT(TypeNamed("embedding_ops.Embedding").copied,
              Not(Contains("mode")));
}

// Returns what the script of a type gives for `input`, with `constants` in the
// place of its names in braces. The attributes are those of its buffers.
at::Tensor RunScript(
    const std::string& type, const at::Tensor& input,
    const std::vector<std::pair<std::string, std::string>>& constants,
    const Attributes& attributes) {
  torch::jit::Module module = MakeModule(
      "Scripted", absl::StrReplaceAll(TypeNamed(type).script, constants),
      attributes);
  return module.forward({input}).toTensor();
}

TEST(QuantizedTypesTest, QuantizeRoundsAndClamps) {
  const at::Tensor codes =
      RunScript("Quantize", at::tensor({1.0F, -10.0F, 1000.0F}), {},
                {{"scale", at::tensor({0.5F})},
                 {"zero_point", at::tensor({3}, at::kLong)},
                 {"dtype", static_cast<int64_t>(at::kQUInt8)}});
  EXPECT_TRUE(codes.int_repr().equal(at::tensor({5, 0, 255}, at::kByte)));
}

// What is the same everywhere in a group leaves the bias.
TEST(QuantizedTypesTest, NormsGiveTheScaleOfTheirBuffers) {
  const at::Tensor input =
      at::quantize_per_tensor(at::full({1, 4, 3}, 4.0), 1, 0, at::kQUInt8);
  const Attributes attributes = {
      {"weight", at::full({4}, 2.0)},
      {"bias", at::tensor({1.0F, 0.0F, -1.0F, 2.0F})},
      {"scale", at::scalar_tensor(0.5)},
      {"zero_point", at::scalar_tensor(3, at::kLong)}};
  const at::Tensor expected =
      at::tensor({5, 3, 1, 7}, at::kByte).reshape({1, 4, 1}).expand({1, 4, 3});
  for (const at::Tensor& norm :
       {RunScript("normalization.GroupNorm", input,
                  {{"{num_groups}", "2"}, {"{eps}", "0.25"}}, attributes),
        RunScript("normalization.InstanceNorm1d", input, {{"{eps}", "0.25"}},
                  attributes)}) {
    EXPECT_TRUE(norm.int_repr().equal(expected)) << norm.int_repr();
    EXPECT_EQ(norm.q_scale(), 0.5);
    EXPECT_EQ(norm.q_zero_point(), 3);
  }
}

// Convolutions give it channels last, and more samples than a channel has
// elements.
TEST(QuantizedTypesTest, InstanceNormTakesEveryLayout) {
  at::manual_seed(3);
  const at::Tensor input =
      at::quantize_per_tensor(at::randn({64, 3, 2, 2}), 0.05, 64, at::kQUInt8);
  const Attributes attributes = {
      {"weight", at::ones({3})},
      {"bias", at::zeros({3})},
      {"scale", at::scalar_tensor(0.05)},
      {"zero_point", at::scalar_tensor(64, at::kLong)}};
  const auto run = [&](const at::Tensor& x) {
    return RunScript("normalization.InstanceNorm2d", x, {{"{eps}", "1e-5"}},
                     attributes)
        .int_repr();
  };
  EXPECT_TRUE(
      run(input.contiguous(at::MemoryFormat::ChannelsLast)).equal(run(input)));
}

TEST(QuantizedTypesTest, Relu6KeepsTheScaleOfItsInput) {
  const at::Tensor input = at::quantize_per_tensor(
      at::tensor({-1.0F, 3.0F, 8.0F}), 0.5, 2, at::kQUInt8);
  const at::Tensor output = RunScript("activation.ReLU6", input, {}, {});
  EXPECT_TRUE(output.dequantize().equal(at::tensor({0.0F, 3.0F, 6.0F})));
  EXPECT_EQ(output.q_scale(), 0.5);
  // It does not work in place.
  EXPECT_EQ(input.dequantize()[0].item<float>(), -1);
}

}  // namespace
}  // namespace ns
