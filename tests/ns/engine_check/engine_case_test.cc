#include "ns/engine_check/engine_case.h"

#include <ATen/Functions.h>

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using Kind = CaseTensor::Kind;

EngineCase LinearCase() {
  EngineCase made;
  made.op = "quantized::linear";
  made.tensors = {{"x", Kind::kQuint8, {50, 16}},
                  {"w", Kind::kQint8PerChannel, {8, 16}, 0.02},
                  {"b", Kind::kFloat, {8}}};
  made.pack = "torch.ops.quantized.linear_prepack(w, b)";
  made.call = {"y = torch.ops.quantized.linear(x, packed, 0.1, 64)"};
  made.reference = {
      "z = torch.ops.aten.linear(x.dequantize(), w.dequantize(), b)"};
  return made;
}

TEST(EngineCaseTest, TensorsAreTheSameEachTime) {
  const std::vector<at::Tensor> first = CaseTensors(LinearCase());
  at::randn({3});
  const std::vector<at::Tensor> second = CaseTensors(LinearCase());
  ASSERT_EQ(first.size(), 3);
  for (size_t i = 0; i < first.size(); ++i) {
    EXPECT_TRUE(at::equal(first[i], second[i])) << i;
  }
}

TEST(EngineCaseTest, SumsOfTwoProductsFitInto16Bits) {
  const std::vector<at::Tensor> tensors = CaseTensors(LinearCase());
  const int64_t activation =
      tensors[0].int_repr().to(at::kLong).max().item<int64_t>();
  const int64_t weight =
      tensors[1].int_repr().to(at::kLong).abs().max().item<int64_t>();
  EXPECT_GT(activation, 100);
  EXPECT_GT(weight, 60);
  EXPECT_LT(2 * activation * weight, 1 << 15);
}

TEST(EngineCaseTest, ChannelsAreLastInMemory) {
  EngineCase made;
  made.tensors = {{"x", Kind::kQuint8, {2, 3, 4, 5}, 0.03, 64, true}};
  EXPECT_TRUE(
      CaseTensors(made)[0].is_contiguous(at::MemoryFormat::ChannelsLast));
  EXPECT_THAT(CaseInPython(made, "onednn", 2, 3),
              HasSubstr("memory_format=torch.channels_last"));
}

TEST(EngineCaseTest, SizeIsTheNumberOfElements) {
  EXPECT_EQ(CaseSize(LinearCase()), 50 * 16 + 8 * 16 + 8);
}

TEST(EngineCaseTest, PythonHasAllLines) {
  const std::string text = CaseInPython(LinearCase(), "qnnpack", 2, 7);
  for (const char* line :
       {"torch.backends.quantized.engine = 'qnnpack'\n",
        "torch.set_num_threads(2)\n", "torch.randn(50, 16).clamp(-1.92, 1.92)",
        "b = torch.randn(8)\n",
        "packed = torch.ops.quantized.linear_prepack(w, b)\n",
        "for _ in range(7):\n"
        "  y = torch.ops.quantized.linear(x, packed, 0.1, 64)\n",
        "z = torch.ops.aten.linear(x.dequantize(), w.dequantize(), b)\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

}  // namespace
}  // namespace ns
