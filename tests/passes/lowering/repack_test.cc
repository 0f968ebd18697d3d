#include "passes/lowering/repack.h"

#include <ATen/Functions.h>

#include <vector>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "passes/analysis/packed_weights.h"
#include "passes/runtime/fbgemm_ops/fbgemm_linear.h"
#include "tests/testing/engines.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

class RepackerTest : public EngineTest {
 protected:
  c10::IValue PackedLinear() const {
    return CallOp("quantized::linear_prepack", {weight_, c10::IValue()});
  }

  const at::Tensor weight_ = QuantizeWeight(at::randn({4, 8}));
  Repacker repacker_{kernels::SaturationMode::kExact};
};

TEST_P(RepackerTest, KeepsTheWeight) {
  const c10::IValue layer = OrThrow(repacker_.Linear(PackedLinear()));
  ASSERT_TRUE(HoldsLayer<FbgemmLinear>(layer));
  EXPECT_TRUE(OrThrow(PackedLinearWeight(layer))
                  .dequantize()
                  .equal(weight_.dequantize()));
}

TEST_P(RepackerTest, RepacksAnObjectOnce) {
  const c10::IValue packed = PackedLinear();
  const c10::IValue layer = OrThrow(repacker_.Linear(packed));
  EXPECT_TRUE(OrThrow(repacker_.Linear(packed)).is(layer));
  EXPECT_FALSE(OrThrow(repacker_.Linear(PackedLinear())).is(layer));
}

TEST_P(RepackerTest, ObjectsOfAnotherClassAreAnError) {
  const c10::IValue linear = PackedLinear();
  for (const c10::IValue& packed : {linear, c10::IValue(1), c10::IValue()}) {
    EXPECT_EQ(repacker_.Conv(packed, /*is_1d=*/false).status().code(),
              absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(repacker_.Embedding(packed).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
  EXPECT_EQ(MessageOf(repacker_.Linear(c10::IValue(1))), "it is no object");
}

TEST_P(RepackerTest, AnObjectThatCouldNotBeRepackedMayBeTriedAgain) {
  const c10::IValue packed = PackedLinear();
  EXPECT_FALSE(repacker_.Conv(packed, /*is_1d=*/false).ok());
  NS_EXPECT_OK(repacker_.Linear(packed).status());
}

NS_INSTANTIATE_ON_ENGINES(RepackerTest);

}  // namespace
}  // namespace ns
