#include "passes/analysis/packed_weights.h"

#include <ATen/Functions.h>

#include <vector>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "tests/testing/engines.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using Ints = std::vector<int64_t>;

at::Tensor QuantizePerChannel(const at::Tensor& weight) {
  const int64_t channels = weight.size(0);
  return at::quantize_per_channel(weight, at::rand({channels}).add(0.1),
                                  at::zeros({channels}, at::kLong), 0,
                                  at::kQInt8);
}

at::Tensor QuantizeRows(const at::Tensor& weight, at::ScalarType dtype) {
  const int64_t rows = weight.size(0);
  return at::quantize_per_channel(weight, at::rand({rows}).add(0.1),
                                  at::rand({rows}), 0, dtype);
}

// What `unpack` read from `packed`, looked at after the object is gone: the
// address sanitizer tells if a part of it was the object's.
template <typename Unpack>
at::Tensor Outliving(c10::IValue packed, const Unpack& unpack) {
  const at::Tensor weight = OrThrow(unpack(packed));
  packed = c10::IValue();
  return weight.dequantize();
}

using PackedWeightsTest = EngineTest;

TEST_P(PackedWeightsTest, EmbeddingWeightOutlivesItsObject) {
  for (const at::ScalarType dtype : {at::kQUInt8, at::kQUInt4x2}) {
    const at::Tensor weight = QuantizeRows(at::rand({7, 12}), dtype);
    EXPECT_TRUE(Outliving(CallOp("quantized::embedding_bag_prepack", {weight}),
                          PackedEmbeddingWeight)
                    .equal(weight.dequantize()));
  }
}

TEST_P(PackedWeightsTest, EmbeddingWeightHasScalesOfItsOwn) {
  const c10::IValue packed =
      CallOp("quantized::embedding_bag_prepack",
             {QuantizeRows(at::rand({7, 12}), at::kQUInt8)});
  const at::Tensor first = OrThrow(PackedEmbeddingWeight(packed));
  const at::Tensor second = OrThrow(PackedEmbeddingWeight(packed));
  EXPECT_NE(first.q_per_channel_scales().data_ptr(),
            second.q_per_channel_scales().data_ptr());
  EXPECT_NE(first.q_per_channel_zero_points().data_ptr(),
            second.q_per_channel_zero_points().data_ptr());
}

TEST_P(PackedWeightsTest, LinearWeightOutlivesItsObject) {
  const at::Tensor weight = QuantizePerChannel(at::randn({6, 8}));
  EXPECT_TRUE(Outliving(CallOp("quantized::linear_prepack",
                               {weight, c10::IValue(at::randn({6}))}),
                        PackedLinearWeight)
                  .equal(weight.dequantize()));
}

TEST_P(PackedWeightsTest, ConvWeightOutlivesItsObject) {
  const at::Tensor weight = QuantizePerChannel(at::randn({6, 3, 3, 3}));
  EXPECT_TRUE(Outliving(CallOp("quantized::conv2d_prepack",
                               {weight, c10::IValue(at::randn({6})), Ints{1, 1},
                                Ints{0, 0}, Ints{1, 1}, int64_t{1}}),
                        [](const c10::IValue& packed) {
                          return PackedConvWeight(packed, /*is_1d=*/false);
                        })
                  .equal(weight.dequantize()));
}

TEST_P(PackedWeightsTest, ObjectsOfAnotherClassAreAnError) {
  const c10::IValue linear =
      CallOp("quantized::linear_prepack",
             {QuantizePerChannel(at::randn({6, 8})), c10::IValue()});
  for (const c10::IValue& packed : {linear, c10::IValue(1), c10::IValue()}) {
    for (const absl::Status& status :
         {PackedConvWeight(packed, /*is_1d=*/false).status(),
          PackedEmbeddingWeight(packed).status(),
          PackedCellWeights(packed).status()}) {
      EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
      EXPECT_FALSE(status.message().empty());
    }
  }
  EXPECT_FALSE(PackedLinearWeight(c10::IValue(1)).ok());
}

NS_INSTANTIATE_ON_ENGINES(PackedWeightsTest);

}  // namespace
}  // namespace ns
