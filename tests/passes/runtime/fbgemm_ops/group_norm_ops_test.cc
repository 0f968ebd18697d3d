#include <ATen/Functions.h>

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/passes/runtime/fbgemm_ops/against_libtorch.h"

namespace ns {
namespace {

using Ints = std::vector<int64_t>;
constexpr char kGroup[] = "ns::fbgemm_group_norm";
constexpr char kInstance[] = "ns::fbgemm_instance_norm";

// What rounds otherwise moves ties.
constexpr double kShare = 0.01;

// All of their codes, or all but `share`.
void ExpectTheirs(const at::Tensor& x, int64_t groups,
                  const c10::IValue& weight, const c10::IValue& bias,
                  double share) {
  const Arguments group = {x, groups, weight, bias, 1e-5, 0.03, int64_t{120}};
  ExpectNearCodes(Output(kGroup, group), Output("quantized::group_norm", group),
                  share);
  const Arguments instance = {x, weight, bias, 1e-5, 0.03, int64_t{120}};
  ExpectNearCodes(Output(kInstance, instance),
                  Output("quantized::instance_norm", instance), share);
}

TEST(GroupNormOpsTest, GivesLibTorchsCodesInAllLayouts) {
  const c10::IValue none;
  for (const Ints& sizes : {Ints{2, 6, 5}, Ints{1, 12, 64}, Ints{3, 6, 7, 9},
                            Ints{2, 48, 30, 20}, Ints{2, 6, 3, 4, 5}}) {
    const Ints channels = {sizes[1]};
    for (const int64_t zero_point : {0, 64, 255}) {
      for (const auto& [name, x] :
           Layouts(RandomCodes(sizes, 0.05, zero_point))) {
        SCOPED_TRACE(name);
        // Theirs rounds otherwise there.
        const double share = name == "channels-last" ? kShare : 0;
        for (const int64_t groups : {1, 2, 3, 6}) {
          ExpectTheirs(x, groups, at::rand(channels), at::randn(channels),
                       share);
          ExpectTheirs(x, groups, none, none, share);
          ExpectTheirs(x, groups, at::rand(channels), none, share);
        }
      }
    }
  }
}

// Also of images of one position, of which LibTorch leaves some out.
TEST(GroupNormOpsTest, TakesRowsAsTheFloatOpsDo) {
  at::manual_seed(2);
  const at::Tensor weight = at::rand({12});
  const at::Tensor bias = at::randn({12});
  for (const Ints& sizes : {Ints{7, 12}, Ints{7, 12, 1, 1}}) {
    for (const auto& [name, x] : Layouts(RandomCodes(sizes))) {
      SCOPED_TRACE(name);
      const at::Tensor real = x.dequantize();
      const auto expect = [&](const std::string& op, const Arguments& arguments,
                              const at::Tensor& y) {
        const at::Tensor ours = Output(op, arguments);
        ExpectNearCodes(
            ours.contiguous(),
            at::quantize_per_tensor(y, 0.03, 120, at::kQUInt8).contiguous(),
            kShare);
      };
      expect(kGroup, {x, int64_t{3}, weight, bias, 1e-5, 0.03, int64_t{120}},
             at::group_norm(real, 3, weight, bias, 1e-5));
      expect(kInstance, {x, weight, bias, 1e-5, 0.03, int64_t{120}},
             at::instance_norm(real, weight, bias, {}, {}, true, 0.1, 1e-5,
                               false));
    }
  }
}

TEST(GroupNormOpsTest, TakesTensorsWithoutElements) {
  const c10::IValue none;
  for (const Ints& sizes : {Ints{0, 4, 3, 3}, Ints{2, 4, 0, 3}, Ints{0, 4}}) {
    const at::Tensor x = RandomCodes(sizes);
    EXPECT_EQ(Output(kGroup, {x, int64_t{2}, none, none, 1e-5, 0.1, int64_t{0}})
                  .sizes(),
              sizes);
    EXPECT_EQ(Output(kInstance, {x, none, none, 1e-5, 0.1, int64_t{0}}).sizes(),
              sizes);
  }
}

TEST(GroupNormOpsTest, RefusesOtherInputs) {
  const c10::IValue none;
  const at::Tensor q = RandomCodes({2, 4, 3});
  const auto expect_refused = [&](const at::Tensor& x, int64_t groups,
                                  const c10::IValue& weight,
                                  const c10::IValue& bias, double scale,
                                  int64_t zero_point, const std::string& why) {
    ExpectRefused(kGroup, {x, groups, weight, bias, 1e-5, scale, zero_point},
                  why);
    if (groups > 0 && x.defined() && x.dim() > 1 && x.size(1) % groups == 0) {
      ExpectRefused(kInstance, {x, weight, bias, 1e-5, scale, zero_point}, why);
    }
  };
  for (const at::Tensor& bad :
       {at::ones({2, 4, 3}), RandomWeight({2, 4, 3}), at::Tensor()}) {
    expect_refused(bad, 2, none, none, 0.1, 0, "takes quint8 tensors");
  }
  expect_refused(RandomCodes({4}), 1, none, none, 0.1, 0,
                 "takes two dimensions or more");
  ExpectRefused(kInstance,
                {RandomCodes({4}), none, none, 1e-5, 0.1, int64_t{0}},
                "takes two dimensions or more");
  for (const int64_t groups : {0, -2, 3, 8}) {
    expect_refused(q, groups, none, none, 0.1, 0, "4 channels are not");
  }
  ExpectRefused(kInstance,
                {RandomCodes({2, 0, 3}), none, none, 1e-5, 0.1, int64_t{0}},
                "has no channels");
  expect_refused(q, 2, at::ones({3}), none, 0.1, 0, "must be 4 floats");
  expect_refused(q, 2, none, at::ones({5}), 0.1, 0, "must be 4 floats");
  expect_refused(q, 2, none, none, 0.0, 0, "positive and finite");
  expect_refused(q, 2, none, none, 0.1, 256, "must be 0 to 255");
}

}  // namespace
}  // namespace ns
