#include "passes/kernels/conv/conv_phase.h"

#include <set>
#include <tuple>
#include <vector>

#include "gtest/gtest.h"
#include "tests/passes/kernels/conv/random_conv.h"

namespace ns::kernels {
namespace {

// Output, kernel position and input of one dimension.
using Meeting = std::tuple<int64_t, int64_t, int64_t>;

std::set<Meeting> MeetingsOfDefinition(const ConvShape& shape, int i,
                                       int64_t size, int64_t outputs) {
  std::set<Meeting> meetings;
  for (int64_t o = 0; o < outputs; ++o) {
    for (int64_t tap = 0; tap < shape.kernel[i]; ++tap) {
      for (int64_t p = 0; p < size; ++p) {
        const int64_t small = shape.transposed ? p : o;
        const int64_t big = shape.transposed ? o : p;
        if (small * shape.stride[i] + tap * shape.dilation[i] ==
            big + shape.padding[i]) {
          meetings.insert({o, tap, p});
        }
      }
    }
  }
  return meetings;
}

void AddMeetings(const PhaseAxis& axis, int64_t size, int64_t outputs,
                 std::set<Meeting>& meetings) {
  for (int64_t o = 0; o < axis.Outputs(outputs); ++o) {
    for (int64_t t = 0; t < axis.taps; ++t) {
      const int64_t p = axis.first + o * axis.stride + t * axis.step;
      EXPECT_GE(p, axis.Least(o));
      EXPECT_LT(p, axis.Least(o) + axis.Span());
      if (p >= 0 && p % axis.spread == 0 && p / axis.spread < size) {
        meetings.insert({axis.out_first + o * axis.out_step,
                         axis.kernel_first + t * axis.kernel_step,
                         p / axis.spread});
      }
    }
  }
}

TEST(ConvPhaseTest, MeetsWhatTheDefinitionMeets) {
  for (uint64_t seed = 0; seed < 2000 && !HasFailure(); ++seed) {
    const auto conv = RandomConv(seed);
    SCOPED_TRACE(conv->Describe());
    const Dims outputs = ConvOutput(conv->shape, conv->size);
    for (const bool one_phase : {false, true}) {
      const auto phases = ConvPhases(conv->shape, one_phase);
      for (int i = 0; i < 3; ++i) {
        std::set<Meeting> meetings;
        for (const ConvPhase& phase : phases) {
          AddMeetings(phase[i], conv->size[i], outputs[i], meetings);
        }
        EXPECT_EQ(meetings, MeetingsOfDefinition(conv->shape, i, conv->size[i],
                                                 outputs[i]));
      }
    }
  }
}

TEST(ConvPhaseTest, WritesEachOutputOnce) {
  for (uint64_t seed = 0; seed < 500; ++seed) {
    const auto conv = RandomConv(seed);
    SCOPED_TRACE(conv->Describe());
    const Dims outputs = ConvOutput(conv->shape, conv->size);
    std::vector<int> writes(outputs[0] * outputs[1] * outputs[2]);
    for (const ConvPhase& phase : ConvPhases(conv->shape, false)) {
      for (int64_t d = 0; d < phase[0].Outputs(outputs[0]); ++d) {
        for (int64_t h = 0; h < phase[1].Outputs(outputs[1]); ++h) {
          for (int64_t w = 0; w < phase[2].Outputs(outputs[2]); ++w) {
            ++writes[((phase[0].out_first + d * phase[0].out_step) *
                          outputs[1] +
                      phase[1].out_first + h * phase[1].out_step) *
                         outputs[2] +
                     phase[2].out_first + w * phase[2].out_step];
          }
        }
      }
    }
    EXPECT_EQ(writes, std::vector<int>(writes.size(), 1));
  }
}

TEST(ConvPhaseTest, SplitsTransposedConvolutionsByStride) {
  ConvShape shape;
  shape.transposed = true;
  shape.kernel = {1, 2, 1};
  shape.stride = {1, 2, 2};
  const auto phases = ConvPhases(shape, false);
  ASSERT_EQ(phases.size(), 4u);
  EXPECT_EQ(Taps(phases[0]), 1);
  // An odd column meets no input.
  EXPECT_EQ(Taps(phases[1]), 0);
  EXPECT_FALSE(WritesAllOutputs(phases[0]));
  const auto one = ConvPhases(shape, true);
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(Taps(one[0]), 2);
  EXPECT_TRUE(WritesAllOutputs(one[0]));
}

TEST(ConvPhaseTest, KnowsWhenTapsLeaveTheInput) {
  ConvShape shape;
  shape.kernel = {1, 1, 3};
  EXPECT_TRUE(ConvPhases(shape, false)[0][2].StaysInside(5, 7));
  EXPECT_FALSE(ConvPhases(shape, false)[0][2].StaysInside(5, 6));
  shape.padding[2] = 1;
  EXPECT_FALSE(ConvPhases(shape, false)[0][2].StaysInside(7, 7));
}

}  // namespace
}  // namespace ns::kernels
