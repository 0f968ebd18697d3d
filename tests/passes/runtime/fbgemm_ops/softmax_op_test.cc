#include <ATen/Functions.h>

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tests/passes/runtime/fbgemm_ops/against_libtorch.h"

namespace ns {
namespace {

using Ints = std::vector<int64_t>;
constexpr char kOurs[] = "ns::fbgemm_softmax";
constexpr char kTheirs[] = "quantized::softmax";

void ExpectTheirs(const at::Tensor& x, int64_t dim, double scale = 1.0 / 256,
                  int64_t zero_point = 0) {
  const Arguments arguments = {x, dim, scale, zero_point};
  // Exponentials that are rounded in another way move ties.
  ExpectNearCodes(Output(kOurs, arguments), Output(kTheirs, arguments), 0.01);
}

TEST(SoftmaxOpTest, GivesLibTorchsCodesInAllLayoutsOverAllDimensions) {
  for (const Ints& sizes : {Ints{8}, Ints{3, 64}, Ints{2, 3, 5, 77}, Ints{4, 1},
                            Ints{1, 1, 3}, Ints{2, 3, 4}}) {
    for (const double scale : {0.01, 0.05, 0.8}) {
      for (const auto& [name, x] : Layouts(RandomCodes(sizes, scale))) {
        SCOPED_TRACE(name);
        const auto dimensions = static_cast<int64_t>(sizes.size());
        for (int64_t dim = -dimensions; dim < dimensions; ++dim) {
          ExpectTheirs(x, dim);
          ExpectTheirs(x, dim, 0.013, 40);
        }
      }
    }
  }
}

TEST(SoftmaxOpTest, TakesNumbersAndTensorsWithoutElements) {
  const at::Tensor number = RandomCodes({});
  ExpectTheirs(number, 0);
  ExpectTheirs(number, -1);
  for (const Ints& sizes : {Ints{0, 5}, Ints{3, 0}}) {
    EXPECT_EQ(Output(kOurs, {RandomCodes(sizes), -1, 0.1, 0}).sizes(),
              at::IntArrayRef(sizes));
  }
}

TEST(SoftmaxOpTest, RefusesOtherInputs) {
  const at::Tensor q = RandomCodes({3, 5});
  for (const at::Tensor& bad :
       {at::ones({3, 5}), RandomWeight({3, 5}), at::Tensor()}) {
    ExpectRefused(kOurs, {bad, -1, 0.1, 0}, "takes quint8 tensors");
  }
  ExpectRefused(kOurs, {q, 2, 0.1, 0}, "Dimension out of range");
  ExpectRefused(kOurs, {q, -3, 0.1, 0}, "Dimension out of range");
  ExpectRefused(kOurs, {q, -1, 0.0, 0}, "positive and finite");
  ExpectRefused(kOurs, {q, -1, 0.1, 256}, "must be 0 to 255");
}

}  // namespace
}  // namespace ns
