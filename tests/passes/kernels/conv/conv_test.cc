#include "passes/kernels/conv/conv.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "passes/kernels/isa.h"
#include "tests/passes/kernels/conv/random_conv.h"
#include "tests/passes/kernels/random_shapes.h"

namespace ns::kernels {
namespace {

// Each range of uneven parts in a thread of its own.
void InThreads(int64_t count, int64_t /*grain*/, Tasks tasks) {
  std::vector<std::thread> threads;
  int64_t part = 1;
  for (int64_t begin = 0; begin < count;) {
    const int64_t end = std::min(begin + part, count);
    threads.emplace_back([&tasks, begin, end] { tasks(begin, end); });
    begin = end;
    part = part * 2 + 1;
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

// What Conv writes. Guards before and behind must stay.
void ExpectOutputs(const ConvCase& conv, const PackedConv& packed,
                   const ExactBytes& expected, Parallel parallel) {
  constexpr int64_t kGuard = 64;
  const int64_t begin = kGuard + conv.out_offset;
  ExactBytes out(begin + expected.size() + kGuard, 0);
  std::memset(out.data(), 0xA5, out.size());
  const std::vector<uint8_t> guard(begin, 0xA5);
  Conv(conv.input.data(), conv.batch, conv.size, packed, conv.Plan(),
       out.data() + begin, parallel);
  EXPECT_EQ(std::memcmp(out.data() + begin, expected.data(), expected.size()),
            0);
  EXPECT_EQ(std::memcmp(out.data(), guard.data(), begin), 0)
      << "written before the outputs";
  EXPECT_EQ(
      std::memcmp(out.data() + begin + expected.size(), guard.data(), kGuard),
      0)
      << "written behind the outputs";
}

void ExpectReferenceInAllIsas(const ConvCase& conv, Parallel parallel) {
  const ExactBytes expected = ReferenceOutputs(conv);
  const PackedConv packed(conv.shape, conv.weights.data(), conv.mode);
  for (const Isa isa : SupportedIsas()) {
    SCOPED_TRACE(std::string(IsaName(isa)) + ", " + conv.Describe());
    const ScopedIsa scoped(isa);
    ExpectOutputs(conv, packed, expected, parallel);
  }
}

TEST(ConvTest, EqualsReferenceForRandomShapes) {
  const int64_t shapes = RandomShapes();
  for (int64_t seed = 0; seed < shapes && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    ExpectReferenceInAllIsas(*RandomConv(seed), Serial);
  }
}

TEST(ConvTest, EqualsReferenceInThreads) {
  for (int64_t seed = 0; seed < 200 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    ExpectReferenceInAllIsas(*RandomConv(1000000000 + seed), InThreads);
  }
}

// A case with random numbers and spec, of this shape.
std::unique_ptr<ConvCase> CaseOf(const ConvShape& shape, int64_t batch,
                                 const Dims& size, SaturationMode mode) {
  auto conv = std::make_unique<ConvCase>();
  conv->shape = shape;
  conv->batch = batch;
  conv->size = size;
  conv->mode = mode;
  uint32_t random = 1;
  const auto next = [&random] {
    random = random * 1664525 + 1013904223;
    return random >> 24;
  };
  conv->weights.resize(shape.in_channels * shape.out_channels / shape.groups *
                       shape.kernel[0] * shape.kernel[1] * shape.kernel[2]);
  for (int8_t& weight : conv->weights) {
    weight = static_cast<int8_t>(next());
  }
  conv->input =
      ExactBytes(batch * size[0] * size[1] * size[2] * shape.in_channels, 0);
  for (int64_t i = 0; i < conv->input.size(); ++i) {
    conv->input.data()[i] = static_cast<uint8_t>(next());
  }
  conv->weight_scales = {0.01f};
  conv->weight_zero_points = {0};
  conv->spec.weight_scales = conv->weight_scales;
  conv->spec.weight_zero_points = conv->weight_zero_points;
  conv->spec.activation_zero_point = 111;
  conv->spec.output_scale = 4;
  conv->spec.output_zero_point = 101;
  return conv;
}

// Layers that need more than one block of outputs, and more than one thread.
TEST(ConvTest, EqualsReferenceForLayersOfNetworks) {
  ConvShape first;
  first.in_channels = 3;
  first.out_channels = 32;
  first.kernel = {1, 7, 7};
  first.stride = {1, 2, 2};
  first.padding = {0, 3, 3};
  ConvShape middle;
  middle.in_channels = 64;
  middle.out_channels = 48;
  middle.kernel = {1, 3, 3};
  middle.padding = {0, 1, 1};
  ConvShape shortcut;
  shortcut.in_channels = 64;
  shortcut.out_channels = 80;
  shortcut.stride = {1, 2, 2};
  ConvShape up;
  up.in_channels = 32;
  up.out_channels = 24;
  up.kernel = {1, 4, 4};
  up.stride = {1, 2, 2};
  up.padding = {0, 1, 1};
  up.transposed = true;
  ConvShape deep;
  deep.in_channels = 128;
  deep.out_channels = 128;
  deep.kernel = {3, 3, 3};
  deep.padding = {1, 1, 1};
  ConvShape filter;
  filter.kernel = {1, 1, 602};
  filter.padding = {0, 0, 383};
  ConvShape mask;
  mask.in_channels = 16;
  mask.out_channels = 3;
  mask.kernel = {1, 3, 3};
  mask.padding = {0, 1, 1};
  for (const SaturationMode mode :
       {SaturationMode::kExact, SaturationMode::kFbgemmAvx2}) {
    ExpectReferenceInAllIsas(*CaseOf(first, 1, {1, 95, 95}, mode), InThreads);
    ExpectReferenceInAllIsas(*CaseOf(middle, 2, {1, 40, 40}, mode), InThreads);
    ExpectReferenceInAllIsas(*CaseOf(shortcut, 3, {1, 41, 41}, mode),
                             InThreads);
    ExpectReferenceInAllIsas(*CaseOf(up, 2, {1, 21, 33}, mode), InThreads);
    ExpectReferenceInAllIsas(*CaseOf(deep, 2, {3, 5, 5}, mode), InThreads);
    ExpectReferenceInAllIsas(*CaseOf(filter, 5, {1, 1, 219}, mode), InThreads);
    ExpectReferenceInAllIsas(*CaseOf(filter, 1, {1, 1, 3000}, mode), InThreads);
    ExpectReferenceInAllIsas(*CaseOf(mask, 2, {1, 90, 61}, mode), InThreads);
  }
}

TEST(ConvTest, WritesNothingForAnEmptyBatch) {
  ConvShape shape;
  shape.in_channels = 4;
  shape.out_channels = 4;
  shape.kernel = {1, 3, 3};
  const auto conv = CaseOf(shape, 0, {1, 5, 5}, SaturationMode::kExact);
  EXPECT_EQ(conv->Outputs(), 0);
  ExpectReferenceInAllIsas(*conv, Serial);
}

TEST(ConvTest, WritesNothingWhenTheKernelIsBigger) {
  ConvShape shape;
  shape.in_channels = 4;
  shape.out_channels = 4;
  shape.kernel = {1, 4, 4};
  const auto conv = CaseOf(shape, 2, {1, 3, 9}, SaturationMode::kExact);
  EXPECT_LE(conv->Outputs(), 0);
  const PackedConv packed(shape, conv->weights.data(), conv->mode);
  Conv(conv->input.data(), 2, conv->size, packed, conv->Plan(), nullptr,
       Serial);
}

TEST(ConvTest, SeesOnlyPaddingOfAnEmptyInput) {
  ConvShape shape;
  shape.in_channels = 4;
  shape.out_channels = 20;
  shape.kernel = {1, 3, 3};
  shape.padding = {0, 2, 2};
  const auto conv = CaseOf(shape, 2, {1, 0, 0}, SaturationMode::kExact);
  EXPECT_EQ(conv->Outputs(), 2 * 2 * 2 * 20);
  ExpectReferenceInAllIsas(*conv, Serial);
}

TEST(ConvTest, KnowsWhatItWasPackedFrom) {
  ConvShape shape;
  shape.in_channels = 4;
  shape.out_channels = 2;
  shape.groups = 2;
  shape.kernel = {1, 1, 2};
  shape.transposed = true;
  // [in][out / groups][kernel]
  const std::vector<int8_t> weights = {1, 2, 3, 4, 50, 60, 70, 80};
  PackedConv packed(shape, weights.data(), SaturationMode::kFbgemmVnni);
  PackedConv moved = std::move(packed);
  EXPECT_EQ(moved.k(), 4);
  EXPECT_EQ(std::vector<int32_t>(moved.column_sums().begin(),
                                 moved.column_sums().end()),
            std::vector<int32_t>({10, 260}));
  EXPECT_EQ(moved.saturation_mode(), SaturationMode::kFbgemmVnni);
  EXPECT_EQ(moved.shape().groups, 2);
}

}  // namespace
}  // namespace ns::kernels
