#include <ATen/Context.h>
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "passes/runtime/fbgemm_ops/fbgemm_embedding.h"
#include "tests/passes/runtime/fbgemm_ops/against_libtorch.h"

namespace ns {
namespace {

at::Tensor Weight(int64_t rows, int64_t columns, at::ScalarType dtype) {
  const double most = dtype == at::kQUInt8 ? 255 : 15;
  const at::Tensor floats = at::randn({rows, columns});
  const at::Tensor scales =
      ((floats.amax(1) - floats.amin(1)) / most + 1e-3).to(at::kFloat);
  const at::Tensor zero_points = (-floats.amin(1) / scales).to(at::kFloat);
  return at::quantize_per_channel(floats, scales, zero_points, 0, dtype);
}

c10::IValue Table(const at::Tensor& weight) {
  return c10::make_intrusive<FbgemmEmbedding>(weight);
}

// 4-bit rows keep scale and bias in half precision.
void ExpectNear(const at::Tensor& ours, const at::Tensor& theirs,
                at::ScalarType dtype) {
  ASSERT_EQ(ours.sizes(), theirs.sizes());
  const double tolerance = dtype == at::kQUInt8 ? 1e-5 : 2e-2;
  EXPECT_TRUE(at::allclose(ours, theirs, tolerance, tolerance));
}

class EmbeddingOpsTest : public ::testing::TestWithParam<at::ScalarType> {
 protected:
  EmbeddingOpsTest() {
    at::globalContext().setQEngine(at::kONEDNN);
    at::manual_seed(1);
  }
  std::string bits() const {
    return GetParam() == at::kQUInt8 ? "byte" : "4bit";
  }
  c10::IValue Theirs(const at::Tensor& weight) const {
    return PackedBy("quantized::embedding_bag_prepack", {weight});
  }
};
INSTANTIATE_TEST_SUITE_P(, EmbeddingOpsTest,
                         ::testing::Values(at::kQUInt8, at::kQUInt4x2));

TEST_P(EmbeddingOpsTest, LookUpAsLibTorch) {
  for (const int64_t columns : {2, 8, 64, 130}) {
    const at::Tensor weight = Weight(20, columns, GetParam());
    for (const at::ScalarType dtype : {at::kInt, at::kLong}) {
      for (const int64_t count : {0, 1, 33}) {
        const at::Tensor indices = at::randint(0, 20, {count}, dtype);
        const at::Tensor ours =
            Output("ns::fbgemm_embedding", {Table(weight), indices});
        if (count > 0) {
          ExpectNear(ours,
                     Output("quantized::embedding_" + bits(),
                            {Theirs(weight), indices, false}),
                     at::kQUInt8);
        }
        EXPECT_EQ(ours.sizes(), at::IntArrayRef({count, columns}));
      }
    }
  }
}

TEST_P(EmbeddingOpsTest, LookUpWhatIsQuantizedWithOddColumns) {
  for (const int64_t columns : {1, 3, 7, 65}) {
    const at::Tensor weight = Weight(9, columns, GetParam());
    const at::Tensor indices = at::randint(0, 9, {4, 5}, at::kLong);
    const at::Tensor ours =
        Output("ns::fbgemm_embedding", {Table(weight), indices});
    ExpectNear(ours,
               weight.dequantize()
                   .index_select(0, indices.flatten())
                   .view({4, 5, columns}),
               GetParam());
  }
}

TEST_P(EmbeddingOpsTest, SumBagsAsLibTorch) {
  const c10::IValue none;
  for (const int64_t columns : {2, 64}) {
    const at::Tensor weight = Weight(20, columns, GetParam());
    for (const at::ScalarType dtype : {at::kInt, at::kLong}) {
      const at::Tensor indices = at::randint(0, 20, {12}, dtype);
      for (const bool last : {false, true}) {
        const at::Tensor offsets =
            (last ? at::tensor({0, 3, 3, 7, 12}) : at::tensor({0, 3, 3, 7}))
                .to(dtype);
        for (const c10::IValue& weights : {none, c10::IValue(at::rand({12}))}) {
          ExpectNear(Output("ns::fbgemm_embedding_bag",
                            {Table(weight), indices, offsets, weights, last}),
                     Output("quantized::embedding_bag_" + bits(),
                            {Theirs(weight), indices, offsets, false,
                             int64_t{0}, false, weights, none, last}),
                     at::kQUInt8);
        }
      }
    }
  }
}

TEST_P(EmbeddingOpsTest, SumRowsOfMatricesAsLibTorch) {
  const c10::IValue none;
  const at::Tensor weight = Weight(20, 16, GetParam());
  for (const at::ScalarType dtype : {at::kInt, at::kLong}) {
    const at::Tensor indices = at::randint(0, 20, {5, 7}, dtype);
    for (const bool last : {false, true}) {
      ExpectNear(Output("ns::fbgemm_embedding_bag",
                        {Table(weight), indices, none, none, last}),
                 Output("quantized::embedding_bag_" + bits(),
                        {Theirs(weight), indices, none, false, int64_t{0},
                         false, none, none, last}),
                 at::kQUInt8);
    }
  }
}

TEST_P(EmbeddingOpsTest, TakeIndicesWithGaps) {
  const at::Tensor weight = Weight(20, 16, GetParam());
  const at::Tensor wide = at::randint(0, 20, {5, 8}, at::kLong);
  const at::Tensor indices = wide.slice(1, 0, 8, 2);
  EXPECT_TRUE(Output("ns::fbgemm_embedding", {Table(weight), indices})
                  .equal(Output("ns::fbgemm_embedding",
                                {Table(weight), indices.contiguous()})));
  EXPECT_TRUE(
      Output("ns::fbgemm_embedding_bag",
             {Table(weight), indices.t(), c10::IValue(), c10::IValue(), false})
          .equal(Output("ns::fbgemm_embedding_bag",
                        {Table(weight), indices.t().contiguous(), c10::IValue(),
                         c10::IValue(), false})));
}

TEST_P(EmbeddingOpsTest, TakeNoBags) {
  const c10::IValue none;
  const c10::IValue table = Table(Weight(20, 16, GetParam()));
  const at::Tensor empty = at::empty({0}, at::kLong);
  EXPECT_EQ(
      Output("ns::fbgemm_embedding_bag", {table, empty, empty, none, false})
          .sizes(),
      at::IntArrayRef({0, 16}));
  EXPECT_TRUE(Output("ns::fbgemm_embedding_bag",
                     {table, empty, at::zeros({2}, at::kLong), none, false})
                  .equal(at::zeros({2, 16})));
  EXPECT_TRUE(Output("ns::fbgemm_embedding_bag",
                     {table, at::empty({3, 0}, at::kLong), none, none, false})
                  .equal(at::zeros({3, 16})));
}

TEST_P(EmbeddingOpsTest, RefuseOtherInputs) {
  const c10::IValue none;
  const c10::IValue table = Table(Weight(20, 16, GetParam()));
  const auto longs = [](at::ArrayRef<int64_t> values) {
    return at::tensor(values, at::kLong);
  };
  for (const int64_t index : {int64_t{-1}, int64_t{20}, int64_t{1} << 40}) {
    const std::string why = "index " + std::to_string(index) +
                            " at position 1 is no row of the table of 20 rows";
    ExpectRefused("ns::fbgemm_embedding", {table, longs({0, index})}, why);
    ExpectRefused("ns::fbgemm_embedding",
                  {table, longs({0, index}).reshape({2, 1})}, why);
    ExpectRefused("ns::fbgemm_embedding_bag",
                  {table, longs({0, index}), longs({0}), none, false}, why);
  }
  for (const at::Tensor& bad :
       {at::ones({2}), at::ones({2}, at::kShort), at::Tensor()}) {
    ExpectRefused("ns::fbgemm_embedding", {table, bad}, "int32 or int64");
    ExpectRefused("ns::fbgemm_embedding_bag",
                  {table, bad, longs({0}), none, false}, "int32 or int64");
  }
  const at::Tensor indices = longs({1, 2, 3});
  const auto refuse = [&](const c10::IValue& offsets,
                          const c10::IValue& weights, const std::string& why) {
    ExpectRefused("ns::fbgemm_embedding_bag",
                  {table, indices, offsets, weights, false}, why);
  };
  refuse(longs({0, 4}), none,
         "offset 4 at position 1 is out of order or beyond the 3 indices");
  refuse(longs({-1, 2}), none, "offset -1 at position 0 ");
  refuse(longs({0, 2, 1}), none, "offset 1 at position 2 ");
  refuse(none, none, "a vector of them with offsets");
  refuse(at::zeros({1, 1}, at::kLong), none, "a vector of them with offsets");
  refuse(at::zeros({1}), none, "offsets must be int32 or int64");
  refuse(longs({0}), at::ones({2}), "one float weight");
  refuse(longs({0}), at::ones({3}, at::kDouble), "one float weight");
  ExpectRefused("ns::fbgemm_embedding_bag",
                {table, at::zeros({2, 2}, at::kLong), longs({0}), none, false},
                "a matrix of indices");
}

TEST_P(EmbeddingOpsTest, TakeIndicesAndOffsetsOfDifferentDtypes) {
  const c10::IValue none;
  const c10::IValue table = Table(Weight(20, 16, GetParam()));
  const at::Tensor indices = at::tensor({3, 19, 0, 7}, at::kLong);
  const at::Tensor offsets = at::tensor({0, 1, 1}, at::kLong);
  const at::Tensor expected = Output("ns::fbgemm_embedding_bag",
                                     {table, indices, offsets, none, false});
  EXPECT_TRUE(Output("ns::fbgemm_embedding_bag",
                     {table, indices.to(at::kInt), offsets, none, false})
                  .equal(expected));
  EXPECT_TRUE(Output("ns::fbgemm_embedding_bag",
                     {table, indices, offsets.to(at::kInt), none, false})
                  .equal(expected));
  // 2^32 + 1 is 1 in 32 bits.
  ExpectRefused("ns::fbgemm_embedding_bag",
                {table, indices.to(at::kInt),
                 at::tensor({int64_t{0}, (int64_t{1} << 32) + 1}, at::kLong),
                 none, false},
                "offset 4294967297 at position 1 ");
}

TEST_P(EmbeddingOpsTest, GiveTheSameRowsWhenLoaded) {
  for (const int64_t columns : {16, 7}) {
    const c10::IValue table = Table(Weight(20, columns, GetParam()));
    const at::Tensor indices = at::arange(20, at::kLong);
    EXPECT_TRUE(Output("ns::fbgemm_embedding", {Reloaded(table), indices})
                    .equal(Output("ns::fbgemm_embedding", {table, indices})));
  }
}

TEST_P(EmbeddingOpsTest, RefuseDamagedState) {
  const char* why = "must be a quint8 or quint4x2 matrix";
  for (const at::Tensor& bad :
       {at::ones({3, 4}), RandomCodes({3, 4}), RandomWeight({3, 4}),
        RandomWeightPerChannel({3, 4}), at::Tensor()}) {
    ExpectStateRefused("FbgemmEmbedding", bad, why);
  }
}

}  // namespace
}  // namespace ns
