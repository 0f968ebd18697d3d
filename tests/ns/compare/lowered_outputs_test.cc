#include "ns/compare/lowered_outputs.h"

#include <ATen/Functions.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/batches/batch.h"
#include "tests/testing/ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

// y = x * factor, and the index of its largest element.
ModelGraph Times(const std::string& factor) {
  return ModelOf(
      "graph(%x : Tensor):\n"
      "  %factor : float = prim::Constant[value=" +
      factor +
      "]()\n"
      "  %none : NoneType = prim::Constant()\n"
      "  %no : bool = prim::Constant[value=0]()\n"
      "  %y : Tensor = aten::mul(%x, %factor)\n"
      "  %i : Tensor = aten::argmax(%y, %none, %no)\n"
      "  %both : (Tensor, Tensor) = prim::TupleConstruct(%y, %i)\n"
      "  return (%both)");
}

BatchReader Batches(int count) {
  std::vector<Batch> batches(static_cast<size_t>(count));
  for (Batch& batch : batches) {
    batch.arguments = {at::ones({4})};
  }
  return BatchReader::FromBatches(batches);
}

TEST(LoweredOutputsTest, BothAreComparedWithTheFloatModel) {
  const std::vector<LoweredOutput> outputs = OrThrow(CompareLoweredOutputs(
      Times("1."), Times("1.1"), Times("0.99"), Batches(2)));
  ASSERT_THAT(outputs, SizeIs(1));  // Integers have no error.
  EXPECT_NEAR(outputs[0].quantized_db, 20, 1e-4);
  EXPECT_NEAR(outputs[0].lowered_db, 40, 1e-4);
  EXPECT_EQ(LoweredOutputsText(outputs),
            "  output[0]  20.0 -> 40.0 dB (+20.0)\n");
}

TEST(LoweredOutputsTest, WithoutAnErrorThereIsNoGain) {
  EXPECT_EQ(LoweredOutputsText({{"output", 20, INFINITY}}),
            "  output  20.0 -> exact\n");
}

TEST(LoweredOutputsTest, NothingToCompareIsAnError) {
  EXPECT_THAT(MessageOf(CompareLoweredOutputs(Times("1."), Times("1."),
                                              Times("1."), Batches(0))),
              HasSubstr("no batches"));
}

}  // namespace
}  // namespace ns
