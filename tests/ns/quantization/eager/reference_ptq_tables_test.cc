// PyTorch's cases of embeddings that are quantized after training, see
// tests/README.md.
#include <ATen/ATen.h>
#include <torch/csrc/jit/api/module.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ir/files/module_file.h"
#include "ns/quantization/eager/quantize.h"
#include "ns/quantization/eager/stubs.h"
#include "passes/quantization/qconfig/default_observers.h"
#include "passes/quantization/qconfig/default_qconfigs.h"
#include "tests/ns/quantization/eager/reference_models.h"
#include "tests/ns/quantization/eager/two_linears.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"
#include "tests/testing/temporary_file.h"

namespace ns {
namespace {

using ::torch::jit::Module;

constexpr char kEmbedding[] =
    "torch.ao.nn.quantized.modules.embedding_ops.Embedding";
constexpr char kEmbeddingBag[] =
    "torch.ao.nn.quantized.modules.embedding_ops.EmbeddingBag";

// Rows of `weight`.
Module Embedding(const at::Tensor& weight) {
  return MakeModule("torch.nn.modules.sparse.Embedding",
                    "def forward(self, x: Tensor) -> Tensor:\n"
                    "    return torch.embedding(self.weight, x)\n",
                    {{"weight", weight}});
}

// Sums of rows of `weight`; the last offset is the end of the last bag.
Module EmbeddingBag(const at::Tensor& weight) {
  return MakeModule(
      "torch.nn.modules.sparse.EmbeddingBag",
      "def forward(self, x: Tensor, offsets: Tensor, "
      "per_sample_weights: Optional[Tensor] = None) -> Tensor:\n"
      "    sums, a, b, c = torch.embedding_bag(self.weight, x, offsets, False, "
      "0, False, per_sample_weights, True, None)\n"
      "    return sums\n",
      {{"weight", weight}});
}

// Calls `emb` with three arguments, and `fc` with the fourth.
Module BagAndLinear(const at::Tensor& weight) {
  return MakeModule(
      "BagAndLinear",
      "def forward(self, x: Tensor, offsets: Tensor, weights: Tensor, "
      "y: Tensor) -> Tuple[Tensor, Tensor]:\n"
      "    return self.emb.forward(x, offsets, weights), self.fc.forward(y)\n",
      {}, {{"emb", EmbeddingBag(weight)}, {"fc", RandomLinear(5, 5)}});
}

at::Tensor Sums(const Module& model, const std::vector<c10::IValue>& batch) {
  c10::IValue output = Module(model).get_method("forward")(batch);
  return output.isTuple() ? output.toTupleRef().elements()[0].toTensor()
                          : output.toTensor();
}

class ReferenceTablesTest : public ::testing::TestWithParam<QConfig> {
 protected:
  // A bit more than half a step.
  double Tolerance(const at::Tensor& weight) const {
    const bool has_four_bits = GetParam().weight.config.dtype == at::kQUInt4x2;
    return 0.55 * (weight.max() - weight.min()).item<double>() /
           (has_four_bits ? 15 : 255);
  }

  const at::Tensor weight_ = at::randn({10, 12});
  const at::Tensor indices_ = at::randint(10, {32}, at::kLong);
  const at::Tensor offsets_ = at::tensor({0, 19, 20, 28, 28, 32}, at::kLong);
};

TEST_P(ReferenceTablesTest, EmbeddingsAreTablesOfRoundedRows) {
  const Module model =
      MakeModel({{"emb", Embedding(weight_)}}, {"return self.emb.forward(x)"});
  const Module quantized =
      OrThrow(Convert(OrThrow(Prepare(model, {{"", GetParam()}}))));
  EXPECT_EQ(TypeAtPath(quantized, "emb"), kEmbedding);
  const at::Tensor error =
      OutputOf(quantized, indices_) - OutputOf(model, indices_);
  EXPECT_LT(error.abs().max().item<double>(), Tolerance(weight_));
  EXPECT_GT(error.abs().max().item<double>(), 0);
  ExpectStandsAlone(quantized, indices_);
}

TEST_P(ReferenceTablesTest, BagsTakeWeightsOfSamples) {
  const Module model = MakeModule(
      "Model",
      "def forward(self, x: Tensor, offsets: Tensor, weights: Tensor) -> "
      "Tensor:\n"
      "    return self.emb.forward(x, offsets, weights)\n",
      {}, {{"emb", EmbeddingBag(weight_)}});
  QConfig qconfig = GetParam();
  qconfig.activation = DefaultDynamicQuantObserver();
  const Module quantized =
      OrThrow(Convert(OrThrow(Prepare(model, {{"", qconfig}}))));
  EXPECT_EQ(TypeAtPath(quantized, "emb"), kEmbeddingBag);
  const std::vector<c10::IValue> batch = {indices_, offsets_,
                                          at::rand({32}) / 2};
  const at::Tensor sums = Sums(quantized, batch);
  const at::Tensor error = sums - Sums(model, batch);
  // The largest bag has 19 samples, of half the weight at most.
  EXPECT_LT(error.abs().max().item<double>(), 9.5 * Tolerance(weight_));
  const std::string path = TemporaryPath("quantized.pt");
  quantized.save(path);
  EXPECT_TRUE(Sums(OrThrow(LoadModule(path)), batch).equal(sums));
}

TEST_P(ReferenceTablesTest, ABagIsQuantizedAlone) {
  const Module model = BagAndLinear(weight_);
  QConfig qconfig = GetParam();
  qconfig.activation = DefaultDynamicQuantObserver();
  const Module quantized =
      OrThrow(Convert(OrThrow(Prepare(model, {{"emb", qconfig}}))));
  EXPECT_EQ(TypeAtPath(quantized, "emb"), kEmbeddingBag);
  EXPECT_EQ(TypeAtPath(quantized, "fc"), kFloatLinear);
}

TEST_P(ReferenceTablesTest, BagsStandBesideStaticLayers) {
  const Module model =
      MakeModule("BagAndStaticLinear",
                 "def forward(self, x: Tensor, offsets: Tensor, y: Tensor) -> "
                 "Tuple[Tensor, Tensor]:\n"
                 "    sums = self.emb.forward(x, offsets)\n"
                 "    z = self.fc.forward(self.quant.forward(y))\n"
                 "    return sums, self.dequant.forward(z)\n",
                 {},
                 {{"emb", EmbeddingBag(weight_)},
                  {"quant", QuantStub()},
                  {"fc", RandomLinear(4, 2)},
                  {"dequant", DeQuantStub()}});
  const Module quantized = OrThrow(Convert(
      OrThrow(Prepare(model, {{"", DefaultQConfig()}, {"emb", GetParam()}}))));
  EXPECT_EQ(TypeAtPath(quantized, "emb"), kEmbeddingBag);
  EXPECT_EQ(TypeAtPath(quantized, "fc"), kQuantizedLinear);
  EXPECT_EQ(
      Sums(quantized, {indices_, offsets_, at::randn({2, 4})}).sizes().vec(),
      std::vector<int64_t>({5, 12}));
}

TEST_P(ReferenceTablesTest, TablesStandBesideDynamicLayers) {
  QuantizeDynamicOptions options;
  options.qconfigs = {{"EmbeddingBag", GetParam()},
                      {"Linear", DefaultDynamicQConfig()}};
  const Module bag =
      OrThrow(QuantizeDynamicModules(BagAndLinear(weight_), options));
  EXPECT_EQ(TypeAtPath(bag, "emb"), kEmbeddingBag);
  EXPECT_EQ(TypeAtPath(bag, "fc"), kDynamicLinear);
  EXPECT_EQ(Sums(bag, {indices_, offsets_, at::rand({32}), at::randn({5, 5})})
                .size(0),
            5);

  options.qconfigs = {{"Embedding", GetParam()},
                      {"Linear", DefaultDynamicQConfig()}};
  const Module model = MakeModule(
      "EmbeddingAndLinear",
      "def forward(self, x: Tensor, y: Tensor) -> Tuple[Tensor, Tensor]:\n"
      "    return self.emb.forward(x), self.fc.forward(y)\n",
      {}, {{"emb", Embedding(weight_)}, {"fc", RandomLinear(5, 5)}});
  const Module embedding = OrThrow(QuantizeDynamicModules(model, options));
  EXPECT_EQ(TypeAtPath(embedding, "emb"), kEmbedding);
  EXPECT_EQ(TypeAtPath(embedding, "fc"), kDynamicLinear);
  EXPECT_EQ(Sums(embedding, {indices_, at::randn({5, 5})}).size(0), 32);
}

INSTANTIATE_TEST_SUITE_P(, ReferenceTablesTest,
                         ::testing::Values(FloatQParamsWeightOnlyQConfig(),
                                           FloatQParamsWeightOnlyQConfig4Bit()),
                         [](const auto& info) {
                           return info.param == FloatQParamsWeightOnlyQConfig()
                                      ? "EightBits"
                                      : "FourBits";
                         });

}  // namespace
}  // namespace ns
