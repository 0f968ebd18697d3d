#include "ns/quantization/eager/qat_embedding.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/api/module.h>

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/hierarchy/make_module.h"
#include "ns/eager/module_tree.h"
#include "ns/quantization/eager/prepare_and_convert.h"
#include "ns/quantization/eager/stubs.h"
#include "passes/quantization/qconfig/default_qconfigs.h"
#include "tests/ns/quantization/eager/two_linears.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::torch::jit::Module;

constexpr char kQatEmbedding[] =
    "torch.ao.nn.qat.modules.embedding_ops.Embedding";
constexpr char kQatBag[] = "torch.ao.nn.qat.modules.embedding_ops.EmbeddingBag";

// A module that looks up in a parameter, with the class and code given.
Module Table(const std::string& type, const std::string& script) {
  Module table = NewModule(type);
  table.register_parameter("weight", at::randn({10, 12}).requires_grad_(true),
                           /*is_buffer=*/false);
  NS_EXPECT_OK(DefineMethods(table, script));
  table.train();
  return table;
}

Module Embedding() {
  return Table("torch.nn.modules.sparse.Embedding",
               "def forward(self, input: Tensor) -> Tensor:\n"
               "    return torch.embedding(self.weight, input)\n");
}

Module Bag() {
  return Table(
      "torch.nn.modules.sparse.EmbeddingBag",
      "def forward(self, input: Tensor, offsets: Optional[Tensor] = None) -> "
      "Tensor:\n"
      "    assert offsets is not None\n"
      "    return torch.embedding_bag(self.weight, input, offsets)[0]\n");
}

// The values of the table after quantizing: each row by its own range.
at::Tensor Rounded(const Module& table) {
  const at::Tensor weight = table.attr("weight").toTensor().detach();
  const at::Tensor low = weight.amin(1).clamp_max(0);
  const at::Tensor scale = (weight.amax(1).clamp_min(0) - low) / 255;
  return at::quantize_per_channel(weight, scale, -low / scale, 0, at::kQUInt8)
      .dequantize();
}

TEST(QatEmbeddingTest, LooksUpInTheRoundedTable) {
  const Module table = Embedding();
  Module trained = OrThrow(
      MakeQatEmbedding(table, kQatEmbedding, DefaultEmbeddingQatQConfig()));
  EXPECT_EQ(TypeNameOf(trained), kQatEmbedding);
  EXPECT_TRUE(trained.is_training());
  const at::Tensor indices = at::tensor({3, 1, 3}, at::kLong);
  const at::Tensor y = OutputOf(trained, indices);
  EXPECT_TRUE(y.allclose(Rounded(table).index_select(0, indices), 0, 0.02));
  EXPECT_FALSE(
      y.equal(table.attr("weight").toTensor().index_select(0, indices)));
  y.sum().backward();
  const at::Tensor gradient = table.attr("weight").toTensor().grad();
  EXPECT_EQ(gradient[0].abs().sum().item<float>(), 0);
  EXPECT_GT(gradient[3].sum().item<float>(), 12);
}

TEST(QatEmbeddingTest, TakesTheArgumentsOfABag) {
  const Module table = Bag();
  Module trained =
      OrThrow(MakeQatEmbedding(table, kQatBag, DefaultEmbeddingQatQConfig()));
  const at::Tensor indices = at::tensor({3, 1, 5}, at::kLong);
  const at::Tensor offsets = at::tensor({0, 2}, at::kLong);
  const at::Tensor y = trained.forward({indices, offsets}).toTensor();
  const at::Tensor rounded = Rounded(table);
  EXPECT_TRUE(
      y.allclose(at::stack({rounded[3] + rounded[1], rounded[5]}), 0, 0.04));
  const Module plain = OrThrow(FloatEmbedding(trained));
  EXPECT_FALSE(plain.hasattr("weight_fake_quant"));
}

TEST(QatEmbeddingTest, TrainedTablesAreQuantizedAsTheyWereTrained) {
  Module model =
      MakeModel({{"table", Embedding()}}, {"return self.table.forward(x)"});
  model.train();
  PrepareQatOptions options;
  options.mapping = GetEmbeddingQatModuleMappings();
  Module prepared =
      OrThrow(PrepareQat(model, {{"", DefaultEmbeddingQatQConfig()}}, options));
  EXPECT_EQ(TypeAt(prepared, "table"), kQatEmbedding);
  const at::Tensor indices = at::tensor({3, 1, 9}, at::kLong);
  const at::Tensor expected = OutputOf(prepared, indices);
  ConvertOptions convert;
  convert.mapping = GetEmbeddingStaticQuantModuleMappings();
  const Module quantized = OrThrow(Convert(prepared, convert));
  EXPECT_EQ(TypeAt(quantized, "table"),
            "torch.ao.nn.quantized.modules.embedding_ops.Embedding");
  EXPECT_TRUE(OutputOf(quantized, indices).allclose(expected, 0, 1e-5));
}

TEST(QatEmbeddingTest, TablesAndLayersAreTrainedTogether) {
  Module model = MakeModel(
      {{"table", Bag()},
       {"quant", QuantStub()},
       {"fc", Linear(at::randn({4, 12}))},
       {"dequant", DeQuantStub()}},
      {"y = self.quant.forward(self.table.forward(x, torch.tensor([0, 2])))",
       "return self.dequant.forward(self.fc.forward(y))"});
  model.train();
  PrepareQatOptions options;
  options.mapping = GetEmbeddingQatModuleMappings();
  Module prepared = OrThrow(PrepareQat(
      model,
      {{"", DefaultQatQConfig()}, {"table", DefaultEmbeddingQatQConfig()}},
      options));
  EXPECT_EQ(TypeAt(prepared, "table"), kQatBag);
  EXPECT_EQ(TypeAt(prepared, "fc"), "torch.ao.nn.qat.modules.linear.Linear");
  const at::Tensor indices = at::tensor({3, 1, 9}, at::kLong);
  const at::Tensor expected = OutputOf(prepared, indices);
  ConvertOptions convert;
  convert.mapping = GetEmbeddingStaticQuantModuleMappings();
  const Module quantized = OrThrow(Convert(prepared, convert));
  EXPECT_EQ(TypeAt(quantized, "table"),
            "torch.ao.nn.quantized.modules.embedding_ops.EmbeddingBag");
  EXPECT_EQ(TypeAt(quantized, "fc"),
            "torch.ao.nn.quantized.modules.linear.Linear");
  EXPECT_LT((OutputOf(quantized, indices) - expected).norm().item<float>(),
            0.03 * expected.norm().item<float>());
  // Without the mapping, tables stay as they are.
  EXPECT_EQ(TypeAt(OrThrow(PrepareQat(model, {{"fc", DefaultQatQConfig()}})),
                   "table"),
            "torch.nn.modules.sparse.EmbeddingBag");
}

TEST(QatEmbeddingTest, RefusesOtherSchemesAndModules) {
  EXPECT_THAT(MessageOf(MakeQatEmbedding(Embedding(), kQatEmbedding,
                                         DefaultQatQConfig())),
              HasSubstr("per_channel_affine_float_qparams"));
  EXPECT_THAT(
      MessageOf(MakeQatEmbedding(Linear(at::ones({2, 2})), kQatEmbedding,
                                 DefaultEmbeddingQatQConfig())),
      HasSubstr("looks up no table"));
  EXPECT_THAT(MessageOf(MakeQatEmbedding(Relu(), kQatEmbedding,
                                         DefaultEmbeddingQatQConfig())),
              HasSubstr("no weight"));
}

TEST(QatEmbeddingTest, RefusesLookupsInOtherTables) {
  const std::string in_weight = "torch.embedding(self.weight, input)";
  const std::string in_pos = "torch.embedding(self.pos, input)";
  for (const std::string& sum :
       {in_weight + " + " + in_pos, in_pos + " + " + in_weight, in_pos}) {
    SCOPED_TRACE(sum);
    Module tables = NewModule("torch.nn.modules.sparse.Embedding");
    for (const char* name : {"weight", "pos"}) {
      tables.register_parameter(name, at::randn({10, 12}), /*is_buffer=*/false);
    }
    NS_EXPECT_OK(DefineMethods(
        tables, "def forward(self, input: Tensor) -> Tensor:\n    return " +
                    sum + "\n"));
    EXPECT_THAT(
        MessageOf(MakeQatEmbedding(tables, kQatEmbedding,
                                   DefaultEmbeddingQatQConfig())),
        HasSubstr("looks up in another table than its tensor 'weight'"));
  }
}

TEST(QatEmbeddingTest, EachLookupMayBeInTheTable) {
  const Module table = Table("torch.nn.modules.sparse.Embedding",
                             "def forward(self, input: Tensor) -> Tensor:\n"
                             "    return torch.embedding(self.weight, input) + "
                             "torch.embedding(self.weight, input)\n");
  Module trained = OrThrow(
      MakeQatEmbedding(table, kQatEmbedding, DefaultEmbeddingQatQConfig()));
  const at::Tensor indices = at::tensor({3, 1, 3}, at::kLong);
  EXPECT_TRUE(
      OutputOf(trained, indices)
          .allclose(2 * Rounded(table).index_select(0, indices), 0, 0.04));
}

}  // namespace
}  // namespace ns
