#include "passes/runtime/onednn_faults.h"

#include <ATen/Context.h>
#include <ATen/Functions.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/InferenceMode.h>
#include <torch/version.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "gtest/gtest.h"

namespace ns {
namespace {

// Puts marks behind what it allocates, and counts what wrote to them.
class MarkingAllocator final : public c10::Allocator {
 public:
#if TORCH_VERSION_MAJOR < 2
  c10::DataPtr allocate(size_t size) const override { return Allocate(size); }
#else
  c10::DataPtr allocate(size_t size) override { return Allocate(size); }
  void copy_data(void* to, const void* from, size_t size) const override {
    default_copy_data(to, from, size);
  }
#endif
  c10::DeleterFnPtr raw_deleter() const override { return &Free; }

  static int& overruns() {
    static int overruns = 0;
    return overruns;
  }

 private:
  static constexpr size_t kHead = 64;
  static constexpr size_t kMarks = 1 << 14;
  static constexpr uint8_t kMark = 0xA5;

  static c10::DataPtr Allocate(size_t size) {
    const size_t padded = (size + kHead - 1) / kHead * kHead;
    auto* const start =
        static_cast<uint8_t*>(std::aligned_alloc(kHead, padded + 2 * kMarks));
    std::memcpy(start, &size, sizeof(size));
    std::fill_n(start + kHead + size, kMarks, kMark);
    return {start + kHead, start + kHead, &Free, c10::Device(c10::kCPU)};
  }

  static void Free(void* data) {
    if (data == nullptr) {
      return;
    }
    auto* const bytes = static_cast<uint8_t*>(data);
    size_t size = 0;
    std::memcpy(&size, bytes - kHead, sizeof(size));
    const bool is_intact =
        std::all_of(bytes + size, bytes + size + kMarks,
                    [](uint8_t byte) { return byte == kMark; });
    overruns() += is_intact ? 0 : 1;
    std::free(bytes - kHead);
  }
};

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

TEST(OneDnnFaultsTest, Convolutions1x1StayInsideTheirOutput) {
  AvoidOneDnnFaults();
  static MarkingAllocator allocator;
  constexpr uint8_t kPriority = 10;
  c10::SetCPUAllocator(&allocator, kPriority);
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
    EXPECT_EQ(MarkingAllocator::overruns(), 0) << size[0] << " x " << size[1];
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
