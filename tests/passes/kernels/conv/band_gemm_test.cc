#include "passes/kernels/conv/band_gemm.h"

#include <algorithm>
#include <cstring>

#include "gtest/gtest.h"
#include "passes/kernels/isa.h"
#include "tests/passes/kernels/conv/random_conv.h"
#include "tests/passes/kernels/random_shapes.h"

namespace ns::kernels {
namespace {

void ExpectReferenceInAllIsas(const ConvCase& conv) {
  const ExactBytes expected = ReferenceOutputs(conv);
  const BandWeights weights(conv.shape, conv.weights.data());
  for (const Isa isa : SupportedIsas()) {
    SCOPED_TRACE(std::string(IsaName(isa)) + ", " + conv.Describe());
    const ScopedIsa scoped(isa);
    // The address sanitizer sees what is written past its end.
    ExactBytes out(expected.size(), 0);
    ConvByBands(conv.input.data(), conv.batch, conv.size, weights, conv.Plan(),
                ConvOutput(conv.shape, conv.size), out.data(), Serial);
    EXPECT_EQ(std::memcmp(out.data(), expected.data(), expected.size()), 0);
  }
}

// All shapes that have bands, including outputs for which Conv would not use
// them, such as rows narrower than a band.
TEST(BandGemmTest, EqualsReferenceForRandomShapes) {
  const int64_t shapes = RandomShapes();
  int64_t compared = 0;
  for (int64_t seed = 0; seed < shapes && !HasFailure(); ++seed) {
    const auto conv = RandomConv(seed);
    if (BandWeights::Takes(conv->shape)) {
      SCOPED_TRACE(seed);
      // In place: the spec points there.
      std::fill(conv->weight_zero_points.begin(),
                conv->weight_zero_points.end(), 0);
      conv->mode = SaturationMode::kExact;
      ExpectReferenceInAllIsas(*conv);
      ++compared;
    }
  }
  EXPECT_GE(compared, shapes / 10);
}

}  // namespace
}  // namespace ns::kernels
