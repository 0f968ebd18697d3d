// Says how many random shapes the tests of kernels try.
#ifndef TESTS_PASSES_KERNELS_RANDOM_SHAPES_H_
#define TESTS_PASSES_KERNELS_RANDOM_SHAPES_H_

#include <cstdint>
#include <cstdlib>
#include <stdexcept>

namespace ns::kernels {

// Returns how many random shapes a test computes with each kernel of each
// instruction set, to compare it with its reference: 10,000, or the number in
// the environment variable NS_TEST_SHAPES, for longer runs than those of
// continuous integration. Throws for what is no number above 0.
inline int64_t RandomShapes() {
  const char* const asked = std::getenv("NS_TEST_SHAPES");
  const int64_t shapes = asked == nullptr ? 10000 : std::atoll(asked);
  if (shapes <= 0) {
    throw std::invalid_argument("NS_TEST_SHAPES is no number above 0");
  }
  return shapes;
}

}  // namespace ns::kernels

#endif  // TESTS_PASSES_KERNELS_RANDOM_SHAPES_H_
