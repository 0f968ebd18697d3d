#include "ns/repro/layer_input_recorder.h"

#include <ATen/Functions.h>

#include <cstdint>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/ns/repro/layer_repro_fixture.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

using LayerInputRecorderTest = LayerReproTest;

TEST_F(LayerInputRecorderTest, GivesWhatFlowsIntoTheLayer) {
  LayerInputRecorder recorder =
      OrThrow(LayerInputRecorder::Create(b_, Match("conv").b.subgraph));
  // Nothing is left of the batch before.
  for (int64_t i = 0; i < 2; ++i) {
    const at::Tensor x = at::randn({2, 3, 8, 8});
    const std::vector<at::Tensor> inputs =
        OrThrow(recorder.Record(BatchOf({x}), i));
    ASSERT_THAT(inputs, SizeIs(1));
    EXPECT_TRUE(inputs[0].is_quantized());
    EXPECT_TRUE(inputs[0].equal(QuantizedInput(x)));
  }
}

TEST_F(LayerInputRecorderTest, TheModelStays) {
  const at::Tensor x = at::randn({2, 3, 8, 8});
  const c10::IValue before = OrThrow(OrThrow(b_.Clone()).Run({x}));
  OrThrow(OrThrow(LayerInputRecorder::Create(b_, Match("conv").b.subgraph))
              .Record(BatchOf({x}), 0));
  EXPECT_TRUE(at::equal(OrThrow(b_.Run({x})).toTensor().dequantize(),
                        before.toTensor().dequantize()));
}

TEST_F(LayerInputRecorderTest, ABatchThatDoesNotFitIsNamed) {
  LayerInputRecorder recorder =
      OrThrow(LayerInputRecorder::Create(b_, Match("conv").b.subgraph));
  EXPECT_THAT(MessageOf(recorder.Record(BatchOf({}), 7)), HasSubstr("batch 7"));
}

}  // namespace
}  // namespace ns
