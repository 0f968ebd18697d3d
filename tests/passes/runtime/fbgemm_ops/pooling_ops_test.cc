#include <ATen/Context.h>
#include <ATen/Functions.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/passes/runtime/fbgemm_ops/against_libtorch.h"

namespace ns {
namespace {

using Ints = std::vector<int64_t>;

// Averages of the last channels (of 8, of 16 with AVX512), and those of a
// layout that LibTorch reads in another way, round ties differently: see
// kernels/pooling/pooling.h.
constexpr double kTies = 0.02;

class PoolingOpsTest : public ::testing::Test {
 protected:
  PoolingOpsTest() {
    at::globalContext().setQEngine(at::kONEDNN);
    at::manual_seed(1);
  }
};

using Window = std::tuple<Ints, Ints, Ints, Ints, bool>;

TEST_F(PoolingOpsTest, MaxPool2dGivesLibTorchsCodes) {
  for (const Ints& sizes : {Ints{2, 5, 9, 8}, Ints{17, 9, 8}, Ints{1, 64, 7, 7},
                            Ints{2, 16, 6, 1}}) {
    for (const auto& [name, x] : Layouts(RandomCodes(sizes))) {
      SCOPED_TRACE(name);
      for (const auto& [kernel, stride, padding, dilation, ceil] :
           std::vector<Window>{{{2, 1}, {}, {0, 0}, {1, 1}, false},
                               {{3, 3}, {2, 2}, {1, 1}, {1, 1}, false},
                               {{3, 3}, {2, 2}, {1, 1}, {1, 1}, true},
                               {{3, 1}, {1, 3}, {1, 0}, {2, 1}, false},
                               {{3, 1}, {1, 3}, {1, 0}, {2, 1}, true}}) {
        ExpectSameCodes(
            Output("ns::fbgemm_max_pool2d",
                   {x, kernel, stride, padding, dilation, ceil}),
            at::max_pool2d(x, kernel, stride, padding, dilation, ceil));
      }
    }
  }
  const at::Tensor x = RandomCodes({2, 3, 6, 7});
  ExpectSameCodes(Output("ns::fbgemm_max_pool2d",
                         {x, Ints{2}, Ints{1}, Ints{1}, Ints{2}, false}),
                  at::max_pool2d(x, {2, 2}, {1, 1}, {1, 1}, {2, 2}, false));
}

TEST_F(PoolingOpsTest, MaxPool1dGivesLibTorchsCodes) {
  for (const Ints& sizes : {Ints{2, 5, 9}, Ints{17, 9}, Ints{3, 1, 8}}) {
    for (const auto& [name, x] : Layouts(RandomCodes(sizes))) {
      SCOPED_TRACE(name);
      for (const bool ceil : {false, true}) {
        ExpectSameCodes(Output("ns::fbgemm_max_pool1d",
                               {x, Ints{3}, Ints{2}, Ints{1}, Ints{2}, ceil}),
                        at::max_pool1d(x, {3}, {2}, {1}, {2}, ceil));
      }
    }
  }
}

TEST_F(PoolingOpsTest, AveragePool2dGivesLibTorchsCodes) {
  const std::vector<c10::optional<int64_t>> divisors = {c10::nullopt, 1, 7, -3};
  for (const Ints& sizes :
       {Ints{2, 5, 9, 8}, Ints{17, 9, 8}, Ints{1, 64, 7, 7}}) {
    for (const int64_t zero_point : {0, 64, 255}) {
      for (const auto& [name, x] :
           Layouts(RandomCodes(sizes, 0.05, zero_point))) {
        SCOPED_TRACE(name);
        for (const auto& [kernel, stride, padding, unused, ceil] :
             std::vector<Window>{{{2, 1}, {}, {0, 0}, {}, false},
                                 {{3, 3}, {2, 2}, {1, 1}, {}, false},
                                 {{3, 3}, {2, 2}, {1, 1}, {}, true},
                                 {{7, 7}, {1, 1}, {0, 0}, {}, false}}) {
          for (const bool pad : {false, true}) {
            for (const auto divisor : divisors) {
              ExpectNearCodes(
                  Output("ns::fbgemm_avg_pool2d",
                         {x, kernel, stride, padding, ceil, pad, divisor}),
                  at::avg_pool2d(x, kernel, stride, padding, ceil, pad,
                                 divisor),
                  kTies);
            }
          }
        }
      }
    }
  }
}

TEST_F(PoolingOpsTest, AveragePool2dGivesAllCodesOfPlainLayouts) {
  const at::Tensor x = RandomCodes({2, 32, 9, 9}, 0.1, 77);
  for (const int64_t kernel : {2, 3, 5}) {
    const Ints window = {kernel, kernel};
    for (const at::Tensor& laid :
         {x, x.contiguous(at::MemoryFormat::ChannelsLast), x[0].clone(),
          x[0].permute({1, 2, 0}).contiguous().permute({2, 0, 1})}) {
      ExpectSameCodes(
          Output("ns::fbgemm_avg_pool2d", {laid, window, Ints{1, 1}, Ints{0, 0},
                                           false, true, c10::IValue()}),
          at::avg_pool2d(laid, window, {1, 1}, {0, 0}, false, true));
    }
  }
}

TEST_F(PoolingOpsTest, AveragePool3dGivesLibTorchsCodes) {
  const c10::IValue none;
  // LibTorch takes no input without a batch.
  for (const Ints& sizes : {Ints{2, 5, 4, 6, 5}, Ints{1, 17, 4, 6, 5}}) {
    for (const auto& [name, x] : Layouts(RandomCodes(sizes))) {
      SCOPED_TRACE(name);
      for (const bool pad : {false, true}) {
        ExpectNearCodes(
            Output("ns::fbgemm_avg_pool3d", {x, Ints{3, 2, 2}, Ints{1, 2, 2},
                                             Ints{1, 1, 0}, true, pad, none}),
            at::avg_pool3d(x, {3, 2, 2}, {1, 2, 2}, {1, 1, 0}, true, pad),
            kTies);
      }
    }
  }
}

TEST_F(PoolingOpsTest, AveragePool1dGivesLibTorchsCodes) {
  for (const Ints& sizes : {Ints{2, 5, 9}, Ints{17, 9}}) {
    for (const auto& [name, x] : Layouts(RandomCodes(sizes))) {
      SCOPED_TRACE(name);
      for (const bool pad : {false, true}) {
        ExpectNearCodes(Output("ns::fbgemm_avg_pool1d",
                               {x, Ints{3}, Ints{2}, Ints{1}, true, pad}),
                        at::avg_pool1d(x, {3}, {2}, {1}, true, pad), kTies);
      }
    }
  }
}

TEST_F(PoolingOpsTest, AdaptiveAveragePoolsGiveLibTorchsCodes) {
  for (const Ints& sizes :
       {Ints{2, 5, 9, 8}, Ints{17, 9, 8}, Ints{1, 64, 7, 7}}) {
    for (const auto& [name, x] : Layouts(RandomCodes(sizes, 0.05, 200))) {
      SCOPED_TRACE(name);
      for (const Ints& out :
           {Ints{1, 1}, Ints{3, 5}, Ints{7, 9}, Ints{12, 2}}) {
        ExpectNearCodes(Output("ns::fbgemm_adaptive_avg_pool2d", {x, out}),
                        at::adaptive_avg_pool2d(x, out), kTies);
      }
    }
  }
  for (const Ints& sizes : {Ints{2, 5, 4, 6, 5}, Ints{17, 4, 6, 5}}) {
    for (const auto& [name, x] : Layouts(RandomCodes(sizes))) {
      SCOPED_TRACE(name);
      // LibTorch takes depth for channels here.
      const bool is_misread = sizes.size() == 4 && name == "channels-last";
      for (const Ints& out : {Ints{1, 1, 1}, Ints{2, 3, 5}, Ints{7, 1, 2}}) {
        ExpectNearCodes(
            Output("ns::fbgemm_adaptive_avg_pool3d", {x, out}),
            at::adaptive_avg_pool3d(is_misread ? x.contiguous() : x, out),
            kTies);
      }
    }
  }
  for (const Ints& sizes : {Ints{2, 5, 9}, Ints{17, 9}}) {
    for (const auto& [name, x] : Layouts(RandomCodes(sizes))) {
      SCOPED_TRACE(name);
      for (const int64_t out : {1, 4, 9, 11}) {
        ExpectNearCodes(
            Output("ns::fbgemm_adaptive_avg_pool1d", {x, Ints{out}}),
            at::adaptive_avg_pool1d(x, {out}), kTies);
      }
    }
  }
}

TEST_F(PoolingOpsTest, TakeEmptyBatches) {
  const at::Tensor x = RandomCodes({0, 3, 6, 6});
  EXPECT_EQ(Output("ns::fbgemm_max_pool2d",
                   {x, Ints{2}, Ints{}, Ints{0}, Ints{1}, false})
                .sizes(),
            at::IntArrayRef({0, 3, 3, 3}));
  EXPECT_EQ(Output("ns::fbgemm_adaptive_avg_pool2d", {x, Ints{2, 1}}).sizes(),
            at::IntArrayRef({0, 3, 2, 1}));
  EXPECT_EQ(Output("ns::fbgemm_avg_pool2d",
                   {x, Ints{2}, Ints{}, Ints{0}, false, true, c10::IValue()})
                .sizes(),
            at::IntArrayRef({0, 3, 3, 3}));
}

TEST_F(PoolingOpsTest, RefuseOtherInputs) {
  const at::Tensor per_channel = at::_make_per_channel_quantized_tensor(
      at::ones({1, 3, 6, 6}, at::kByte), at::ones({3}, at::kDouble),
      at::zeros({3}, at::kLong), 1);
  for (const at::Tensor& bad : {at::ones({1, 3, 6, 6}), per_channel,
                                RandomWeight({1, 3, 6, 6}), at::Tensor()}) {
    ExpectRefused("ns::fbgemm_max_pool2d",
                  {bad, Ints{2}, Ints{}, Ints{0}, Ints{1}, false}, "");
    ExpectRefused("ns::fbgemm_adaptive_avg_pool2d", {bad, Ints{2, 2}}, "");
  }
  const at::Tensor x = RandomCodes({1, 3, 6, 6});
  const auto refuse = [&](const Ints& kernel, const Ints& stride,
                          const Ints& padding, const Ints& dilation,
                          const std::string& why) {
    ExpectRefused("ns::fbgemm_max_pool2d",
                  {x, kernel, stride, padding, dilation, false}, why);
  };
  refuse({7}, {}, {0}, {1}, "too small for the kernel");
  refuse({0}, {}, {0}, {1}, "must be positive");
  refuse({2}, {0}, {0}, {1}, "must be positive");
  refuse({2}, {1}, {-1}, {1}, "must be positive");
  refuse({2}, {1}, {2}, {1}, "at most half of a kernel");
  refuse({2}, {1}, {0}, {0}, "must be positive");
  refuse({2, 2, 2}, {1}, {0}, {1}, "takes 2 numbers");
  for (const Ints& sizes : {Ints{6, 6}, Ints{}, Ints{1, 1, 3, 6, 6}}) {
    ExpectRefused(
        "ns::fbgemm_max_pool2d",
        {RandomCodes(sizes), Ints{2}, Ints{}, Ints{0}, Ints{1}, false},
        "takes 2 dimensions behind the channels");
  }
  ExpectRefused("ns::fbgemm_avg_pool2d",
                {x, Ints{2}, Ints{}, Ints{0}, false, true, int64_t{0}},
                "must not be zero");
  ExpectRefused("ns::fbgemm_adaptive_avg_pool2d", {x, Ints{-1, 2}}, "sizes");
  ExpectRefused("ns::fbgemm_adaptive_avg_pool2d",
                {RandomCodes({1, 3, 0, 6}), Ints{2, 2}}, "sizes");
}

}  // namespace
}  // namespace ns
