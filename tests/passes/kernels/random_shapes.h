// How far tests look that hold kernels against their references.
#ifndef TESTS_PASSES_KERNELS_RANDOM_SHAPES_H_
#define TESTS_PASSES_KERNELS_RANDOM_SHAPES_H_

#include <cstdint>
#include <cstdlib>

namespace ns::kernels {

// Of each kernel and instruction set: 10,000 random shapes, or as many as
// NS_TEST_SHAPES says, for looking further than continuous integration does.
inline int64_t RandomShapes() {
  const char* const asked = std::getenv("NS_TEST_SHAPES");
  return asked == nullptr ? 10000 : std::atoll(asked);
}

}  // namespace ns::kernels

#endif  // TESTS_PASSES_KERNELS_RANDOM_SHAPES_H_
