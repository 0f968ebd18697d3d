#include <ATen/Functions.h>

#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/passes/runtime/fbgemm_ops/against_libtorch.h"

namespace ns {
namespace {

using Ints = std::vector<int64_t>;
constexpr char kOurs[] = "ns::fbgemm_layer_norm";
constexpr char kTheirs[] = "quantized::layer_norm";

void ExpectTheirs(const at::Tensor& x, const Ints& shape,
                  const c10::IValue& weight, const c10::IValue& bias,
                  double eps = 1e-5) {
  const Arguments arguments = {x, shape, weight, bias, eps, 0.03, int64_t{120}};
  // The order of sums moves ties.
  ExpectNearCodes(Output(kOurs, arguments), Output(kTheirs, arguments), 0.01);
}

TEST(LayerNormOpsTest, GivesLibTorchsCodesInAllLayouts) {
  const c10::IValue none;
  for (const Ints& sizes :
       {Ints{8}, Ints{3, 64}, Ints{2, 3, 5, 77}, Ints{4, 1}, Ints{5, 130}}) {
    for (const int64_t zero_point : {0, 64, 255}) {
      for (const auto& [name, x] :
           Layouts(RandomCodes(sizes, 0.05, zero_point))) {
        SCOPED_TRACE(name);
        for (size_t count = 1; count <= sizes.size() && count < 3; ++count) {
          const Ints shape(sizes.end() - count, sizes.end());
          ExpectTheirs(x, shape, at::rand(shape), at::randn(shape));
          ExpectTheirs(x, shape, none, none);
          ExpectTheirs(x, shape, at::rand(shape), none);
        }
      }
    }
  }
}

TEST(LayerNormOpsTest, GivesLibTorchsCodesOfRowsThatAreAllOne) {
  const at::Tensor x = at::_make_per_tensor_quantized_tensor(
      at::full({3, 40}, 9, at::kByte), 0.05, 64);
  ExpectTheirs(x, {40}, at::rand({40}), at::randn({40}));
}

TEST(LayerNormOpsTest, TakesTensorsWithoutElements) {
  const c10::IValue none;
  EXPECT_EQ(
      Output(kOurs, {RandomCodes({0, 5}), Ints{5}, none, none, 1e-5, 0.1, 0})
          .sizes(),
      at::IntArrayRef({0, 5}));
  EXPECT_EQ(
      Output(kOurs, {RandomCodes({3, 0}), Ints{0}, none, none, 1e-5, 0.1, 0})
          .sizes(),
      at::IntArrayRef({3, 0}));
}

TEST(LayerNormOpsTest, TakesTransposedWeights) {
  const at::Tensor x = RandomCodes({2, 6, 7});
  const at::Tensor weight = at::rand({7, 6}).t();
  ExpectTheirs(x, {6, 7}, weight, at::randn({6, 7}));
}

TEST(LayerNormOpsTest, RefusesOtherInputs) {
  const c10::IValue none;
  const at::Tensor q = RandomCodes({3, 5});
  const at::Tensor per_channel = at::_make_per_channel_quantized_tensor(
      at::ones({3, 5}, at::kByte), at::ones({5}, at::kDouble),
      at::zeros({5}, at::kLong), 1);
  for (const at::Tensor& bad :
       {at::ones({3, 5}), RandomWeight({3, 5}), per_channel, at::Tensor()}) {
    ExpectRefused(kOurs, {bad, Ints{5}, none, none, 1e-5, 0.1, 0},
                  "takes quint8 tensors");
  }
  for (const Ints& shape : {Ints{}, Ints{4}, Ints{5, 3}, Ints{1, 3, 5}}) {
    ExpectRefused(kOurs, {q, shape, none, none, 1e-5, 0.1, 0}, "normalizes");
  }
  ExpectRefused(kOurs, {q, Ints{5}, at::ones({4}), none, 1e-5, 0.1, 0},
                "must be 5 floats");
  ExpectRefused(kOurs, {q, Ints{5}, none, at::ones({6}), 1e-5, 0.1, 0},
                "must be 5 floats");
  ExpectRefused(kOurs,
                {q, Ints{5}, at::ones({5}, at::kDouble), none, 1e-5, 0.1, 0},
                "must be 5 floats");
  ExpectRefused(kOurs, {q, Ints{5}, none, none, 1e-5, 0.0, 0},
                "positive and finite");
  ExpectRefused(kOurs, {q, Ints{5}, none, none, 1e-5, 0.1, 256},
                "must be 0 to 255");
}

}  // namespace
}  // namespace ns
