#include "passes/runtime/onednn_faults.h"

#include <ATen/Context.h>
#include <ATen/Functions.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>
#include <c10/core/InferenceMode.h>
#include <torch/version.h>

#include <cstdint>
#include <cstdlib>
#include <vector>

#include "gtest/gtest.h"
#include "passes/runtime/marking_allocator.h"

namespace ns {
namespace {

std::vector<c10::IValue> Call(const char* name, const char* overload,
                              std::vector<c10::IValue> arguments) {
  c10::Dispatcher::singleton()
      .findSchemaOrThrow(name, overload)
      .callBoxed(&arguments);
  return arguments;
}

// Whatever the processor: one that has no AMX never had the fault.
// Tests run in their order: here no op has read the variables yet.
TEST(OneDnnFaultsTest, LimitsOfTheUserStay) {
  const char* const kNew = "ONEDNN_MAX_CPU_ISA";
  const char* const kOld = "DNNL_MAX_CPU_ISA";
  unsetenv(kNew);
  setenv(kOld, "AVX2", 1);
  AvoidOneDnnFaults();
  EXPECT_EQ(std::getenv(kNew), nullptr);
  unsetenv(kOld);
  setenv(kNew, "SSE41", 1);
  AvoidOneDnnFaults();
  EXPECT_STREQ(std::getenv(kNew), "SSE41");
  unsetenv(kNew);
}

TEST(OneDnnFaultsTest, OnlyWhatWasSetIsTakenBack) {
  if (TORCH_VERSION_MAJOR > 1) {
    GTEST_SKIP() << "nothing is set for LibTorch 2";
  }
  const char* const kIsa = "ONEDNN_MAX_CPU_ISA";
  const char* const kCapacity = "LRU_CACHE_CAPACITY";
  // What the main of the tests has set.
  AllowOneDnnFaults();
  unsetenv(kCapacity);
  setenv(kIsa, "SSE41", 1);
  AvoidOneDnnFaults();
  EXPECT_STREQ(std::getenv(kCapacity), "1");
  AllowOneDnnFaults();
  EXPECT_EQ(std::getenv(kCapacity), nullptr);
  EXPECT_STREQ(std::getenv(kIsa), "SSE41");
  unsetenv(kIsa);
}

TEST(OneDnnFaultsTest, Convolutions1x1StayInsideTheirOutput) {
  AvoidOneDnnFaults();
  MarkTensorMemory();
  const c10::InferenceMode inference;
  at::globalContext().setQEngine(at::kONEDNN);
  constexpr int64_t kIn = 64;
  constexpr int64_t kOut = 32;
  const at::Tensor weight = at::quantize_per_tensor(
      at::randn({kOut, kIn, 1, 1}), 0.02, 0, at::kQInt8);
  using Ints = std::vector<int64_t>;
  const c10::IValue packed = Call("quantized::conv2d_prepack", "",
                                  {weight, at::randn({kOut}), Ints{1, 1},
                                   Ints{0, 0}, Ints{1, 1}, int64_t{1}})[0];
  for (const Ints& size : {Ints{3, 9}, Ints{6, 6}, Ints{4, 12}, Ints{5, 9}}) {
    const at::Tensor x =
        at::quantize_per_tensor(at::randn({2, kIn, size[0], size[1]})
                                    .contiguous(at::MemoryFormat::ChannelsLast),
                                0.03, 128, at::kQUInt8);
    Call("quantized::conv2d", "new", {x, packed, 0.1, int64_t{100}});
    EXPECT_EQ(OverwrittenMarks(), 0) << size[0] << " x " << size[1];
  }
}

// Quantized to 8 bits, values have half the scales and other zero points.
TEST(OneDnnFaultsTest, LayersWithTheSameRatioOfScalesAreToldApart) {
  AvoidOneDnnFaults();
  const c10::InferenceMode inference;
  at::globalContext().setQEngine(at::kONEDNN);
  at::manual_seed(1);
  using Ints = std::vector<int64_t>;
  const at::Tensor weight =
      at::quantize_per_tensor(at::randn({16, 16, 3, 3}), 0.03, 0, at::kQInt8);
  const c10::IValue packed = Call("quantized::conv2d_prepack", "",
                                  {weight, c10::IValue(), Ints{1, 1},
                                   Ints{0, 0}, Ints{1, 1}, int64_t{1}})[0];
  const at::Tensor x = at::randn({2, 16, 8, 8});
  for (const int64_t steps : {1, 2}) {
    const double scale = 0.05 / static_cast<double>(steps);
    const at::Tensor quantized =
        at::quantize_per_tensor(x, scale, 60 * steps, at::kQUInt8);
    const at::Tensor expected =
        at::conv2d(quantized.dequantize(), weight.dequantize());
    const at::Tensor actual =
        Call("quantized::conv2d", "new",
             {quantized, packed, 16 * scale, int64_t{62 * steps}})[0]
            .toTensor()
            .dequantize();
    EXPECT_LT(at::sub(actual, expected).norm().item<double>(),
              0.1 * expected.norm().item<double>())
        << steps;
  }
}

}  // namespace
}  // namespace ns
