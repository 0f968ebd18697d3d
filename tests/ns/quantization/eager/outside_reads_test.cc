#include "ns/quantization/eager/outside_reads.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/api/module.h>

#include <string>

#include "gtest/gtest.h"
#include "tests/testing/hooks.h"
#include "tests/testing/modules.h"

namespace ns {
namespace {

using ::torch::jit::Module;

TEST(OutsideReadsTest, NamesTheParameterAndItsReader) {
  const Module block = MakeModel(
      {{"used", Linear(at::ones({2, 2}))},
       {"called", Linear(at::ones({2, 2}))}},
      {"if self.called.training:", "  x = torch.linear(x, self.used.weight)",
       "return self.called.forward(self.used.forward(x))"});
  const Module model =
      MakeModel({{"block", block}}, {"return self.block.forward(x)"});
  const auto reads = TensorsReadOutside(model);
  ASSERT_EQ(reads.size(), 1);
  EXPECT_EQ(reads.begin()->first, "block.used");
  EXPECT_EQ(reads.begin()->second.tensor, "weight");
  EXPECT_EQ(reads.begin()->second.reader, "block");
}

TEST(OutsideReadsTest, HooksReadToo) {
  const Module block = MakeModel({{"fc", Linear(at::ones({2, 2}))}},
                                 {"return self.fc.forward(x)"});
  Module model =
      MakeModel({{"block", block}}, {"return self.block.forward(x)"});
  AddHook(
      "def add(self, input: Tuple[Tensor], output: Tensor) -> Tensor:\n"
      "  return output + self.fc.weight\n",
      "block", model);
  const auto reads = TensorsReadOutside(model);
  ASSERT_EQ(reads.size(), 1);
  EXPECT_EQ(reads.begin()->first, "block.fc");
  EXPECT_EQ(reads.begin()->second.reader, "block");
}

}  // namespace
}  // namespace ns
