#include "ns/quantization/model/copy_for_target.h"

#include <ATen/ATen.h>

#include <string>
#include <tuple>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/quantization/model/quantize_model.h"
#include "ns/quantization/model/target_error.h"
#include "passes/lowering/lower_to_fbgemm.h"
#include "tests/ns/quantization/quantizing.h"
#include "tests/testing/float_model.h"
#include "tests/testing/ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::SizeIs;

class CopyForTargetTest : public ::testing::Test {
 protected:
  // With activations and weights of 8 bits, which saturate without VNNI.
  CopyForTargetTest() {
    at::manual_seed(3);
    x_ = at::rand({4, 3, 8, 8}) * 2 + 1;
    options_ = Everywhere(Int8PerTensorQConfig());
    options_.target = QuantizationTarget::kFbgemmAvx2;
  }

  double WorstDb(QuantizationTarget target, const ModelGraph& quantized) {
    options_.target = target;
    const ModelGraph model = FloatModel(body_);
    const std::vector<Batch> batches = BatchesOf({x_});
    return OrThrow(TargetError(model, batches).WorstDb(quantized, options_));
  }

  const std::vector<std::string> body_ = {
      "return torch.conv2d(x, torch.ones_like(self.w2), self.b)"};
  at::Tensor x_;
  QuantizeOptions options_;
};

TEST_F(CopyForTargetTest, ComputesWhatTheTargetDoesOnAnyProcessor) {
  const QuantizedModel quantized = Quantize(body_, {x_}, options_);
  const double exact =
      WorstDb(QuantizationTarget::kFbgemmVnni, quantized.model);
  EXPECT_GT(exact, 30);
  EXPECT_LT(WorstDb(QuantizationTarget::kFbgemmAvx2, quantized.model),
            exact - 10);
}

TEST_F(CopyForTargetTest, NsRoundsNoOutputThatIsOnlyDequantized) {
  const QuantizedModel quantized = Quantize(body_, {x_}, options_);
  options_.target = QuantizationTarget::kNs;
  ModelGraph copy = OrThrow(CopyForTarget(quantized.model, options_));
  EXPECT_THAT(NodesOf(copy.graph(), "ns::fbgemm_conv2d_float"), SizeIs(1));
  const at::Tensor output = OrThrow(copy.Run({x_})).toTensor();
  // More than quantized values have.
  EXPECT_GT(std::get<0>(at::_unique(output)).numel(), 256);
}

TEST_F(CopyForTargetTest, OtherBackendsAndModesRunAsTheyAre) {
  const QuantizedModel quantized = Quantize(body_, {x_}, options_);
  EXPECT_GT(CountLoweredOps(
                OrThrow(CopyForTarget(quantized.model, options_)).graph()),
            0);
  QuantizeOptions compat = options_;
  compat.compat = true;
  QuantizeOptions qnnpack = options_;
  qnnpack.backend = Backend::kQnnpack;
  qnnpack.target = QuantizationTarget::kExact;
  QuantizeOptions onednn = options_;
  onednn.backend = Backend::kOnednn;
  onednn.target = QuantizationTarget::kOneDnnAvx2;
  QuantizeOptions dynamic = options_;
  dynamic.mode = QuantizeMode::kDynamic;
  for (const QuantizeOptions& other : {compat, qnnpack, onednn, dynamic}) {
    EXPECT_EQ(
        CountLoweredOps(OrThrow(CopyForTarget(quantized.model, other)).graph()),
        0);
  }
}

}  // namespace
}  // namespace ns
