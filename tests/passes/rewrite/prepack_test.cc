#include "passes/rewrite/prepack.h"

#include <ATen/ATen.h>

#include <vector>

#include "gtest/gtest.h"
#include "passes/analysis/packed_layers.h"
#include "passes/analysis/packed_weights.h"
#include "tests/testing/engines.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

at::Tensor Int8(at::IntArrayRef shape) {
  return at::quantize_per_tensor(at::randn(shape), 0.05, 0, at::kQInt8);
}

at::Tensor Table(c10::ScalarType type, int64_t width = 8) {
  return at::quantize_per_channel(at::rand({4, width}), at::full(4, 0.05),
                                  at::full(4, 1.5), 0, type);
}

class PrepackTest : public EngineTest {};
NS_INSTANTIATE_ON_ENGINES(PrepackTest);

TEST_P(PrepackTest, LinearHasWeightAndBias) {
  const at::Tensor weight = Int8({3, 4});
  const at::Tensor bias = at::randn({3});
  const LinearLayer layer =
      OrThrow(UnpackLinear(OrThrow(PrepackLinear(weight, bias))));
  EXPECT_TRUE(layer.weight.equal(weight.dequantize()));
  EXPECT_TRUE(layer.bias.equal(bias));
  EXPECT_TRUE(
      OrThrow(PackedLinearWeight(OrThrow(PrepackLinear(weight, at::Tensor()))))
          .int_repr()
          .equal(weight.int_repr()));
}

TEST_P(PrepackTest, CellHasBothWeights) {
  const RecurrentCell cell = {Int8({8, 3}), Int8({8, 2}), at::randn({8}),
                              at::randn({8})};
  const std::vector<at::Tensor> weights =
      OrThrow(PackedCellWeights(OrThrow(PrepackCell(cell, true))));
  ASSERT_EQ(weights.size(), 2);
  EXPECT_TRUE(weights[0].dequantize().equal(cell.w_ih.dequantize()));
  EXPECT_TRUE(weights[1].dequantize().equal(cell.w_hh.dequantize()));
}

TEST_P(PrepackTest, TableHasItsRows) {
  for (const auto type : {at::kQUInt8, at::kQUInt4x2}) {
    const at::Tensor table = Table(type);
    EXPECT_TRUE(OrThrow(PackedEmbeddingWeight(OrThrow(PrepackEmbedding(table))))
                    .dequantize()
                    .allclose(table.dequantize(), 1e-2, 1e-2));
  }
}

TEST_P(PrepackTest, RefusesWeightsOfOtherKinds) {
  EXPECT_EQ(MessageOf(PrepackLinear(
                at::quantize_per_tensor(at::ones({3, 4}), 1, 0, at::kQUInt8),
                at::Tensor())),
            "its weight has quantized values of type QUInt8; quantized layers "
            "take QInt8");
  EXPECT_EQ(
      MessageOf(PrepackLinear(
          at::quantize_per_channel(at::ones({3, 4}), at::ones({4}),
                                   at::zeros({4}, at::kLong), 1, at::kQInt8),
          at::Tensor())),
      "its weight has a scale for each slice of dimension 1; quantized "
      "layers take dimension 0");
  EXPECT_EQ(MessageOf(PrepackLinear(
                at::quantize_per_channel(at::ones({3, 4}), at::ones({3}),
                                         at::zeros({3}), 0, at::kQInt8),
                at::Tensor())),
            "its weight is quantized with float zero points");
  EXPECT_EQ(MessageOf(PrepackLinear(Int8({3, 4}), at::ones({3}, at::kDouble))),
            "its bias is of type Double; quantized layers take Float");
  EXPECT_EQ(MessageOf(PrepackLinear(Int8({3, 4, 2}), at::Tensor()))
                .rfind("its weight cannot be packed: ", 0),
            0);
}

TEST_P(PrepackTest, RefusesTablesOfOtherKinds) {
  EXPECT_EQ(MessageOf(PrepackEmbedding(Int8({4, 8}))),
            "its weight has quantized values of type QInt8; quantized "
            "embeddings take QUInt8 and QUInt4x2");
  EXPECT_EQ(MessageOf(PrepackEmbedding(
                at::quantize_per_tensor(at::ones({4, 8}), 1, 0, at::kQUInt8))),
            "its weight does not have a scale and a float zero point for each "
            "row");
  EXPECT_EQ(MessageOf(PrepackEmbedding(Table(at::kQUInt4x2, 7))),
            "its rows have 7 elements; rows of 4 bits need an even number");
  NS_EXPECT_OK(PrepackEmbedding(Table(at::kQUInt8, 7)).status());
}

}  // namespace
}  // namespace ns
