// What equalize-layers does for quantized models, and on random networks.
#include <ATen/ATen.h>
#include <torch/csrc/jit/ir/ir.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "gtest/gtest.h"
#include "ir/model/model_graph.h"
#include "passes/quantization/qconfig/default_qconfigs.h"
#include "passes/quantization/rescale/equalize_layers.h"
#include "tests/passes/quantization/rescale/scaled_nets.h"
#include "tests/testing/run_pass.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

// A convolution, a depthwise one and a linear layer. The ranges of channels of
// the first two are apart by 2^octaves, in opposite orders, so that all outputs
// are of a size.
ModelGraph SpreadNet(double octaves) {
  const at::Tensor factors = SpreadFactors(32, octaves, 1);
  return NetOf(
      {"c = torch.relu(torch.conv2d(x, self.w, self.b, [1, 1], [1, 1]))",
       "d = torch.relu(torch.conv2d(c, self.u, self.d, [1, 1], [1, 1], [1, 1], "
       "32))",
       "return torch.linear(torch.mean(d, [2, 3]), self.v, None)"},
      {{"w", ScaledAlong(Normal({32, 3, 3, 3}, 2), 0, factors)},
       {"b", 0.1 * Normal({32}, 3) * factors},
       {"u", ScaledAlong(Normal({32, 1, 3, 3}, 4), 0, 1 / factors)},
       {"d", 0.1 * Normal({32}, 5)},
       {"v", Normal({10, 32}, 6)}});
}

TEST(EqualizeLayersModelsTest, LiftsWeightsWithOneScaleByTenDecibels) {
  QConfigMapping mapping;
  mapping.SetGlobal(GetDefaultQConfig(Backend::kQnnpack));
  ModelGraph model = SpreadNet(8);
  const at::Tensor x = Normal({8, 3, 16, 16}, 7);
  const double before = SqnrQuantized(model, mapping, x);
  EXPECT_TRUE(RunPass(EqualizeLayers(), model).changed);
  const double after = SqnrQuantized(model, mapping, x);
  EXPECT_LT(before, 25);
  EXPECT_GT(after, before + 10) << before;
}

// One scale for each channel has nothing to gain.
TEST(EqualizeLayersModelsTest, GivesNothingToWeightsWithScalesOfChannels) {
  QConfigMapping mapping;
  mapping.SetGlobal(Int8PerChannelQConfig());
  ModelGraph model = SpreadNet(2);
  const at::Tensor x = Normal({8, 3, 16, 16}, 7);
  const double before = SqnrQuantized(model, mapping, x);
  EXPECT_TRUE(RunPass(EqualizeLayers(), model).changed);
  EXPECT_NEAR(SqnrQuantized(model, mapping, x), before, 1.5);
}

// Makes the source of a random network, and its weights.
class RandomNet {
 public:
  explicit RandomNet(uint64_t seed) : random_(seed), seed_(seed) {
    channels_ = 3;
    const int layers = Between(2, 6);
    for (int i = 0; i < layers; ++i) {
      AddLayer(i);
    }
    body_.push_back("return x");
  }

  ModelGraph Model() const { return NetOf(body_, attributes_); }

 private:
  int Between(int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(random_);
  }

  std::string AddTensor(at::IntArrayRef sizes) {
    const std::string name = absl::StrCat("t", attributes_.size());
    at::Tensor tensor = Normal(sizes, seed_ * 100 + attributes_.size());
    if (Between(0, 2) > 0) {
      tensor =
          ScaledAlong(tensor, 0, SpreadFactors(sizes[0], Between(0, 8), seed_));
    }
    if (Between(0, 9) == 0) {
      tensor[0].zero_();
    }
    attributes_.emplace_back(name, tensor);
    return "self." + name;
  }

  void AddLayer(int index) {
    const int outputs = 4 * Between(1, 3);
    if (is_flat_) {
      const std::string weight = AddTensor({outputs, features_});
      body_.push_back(absl::Substitute("x = torch.linear(x, $0, $1)", weight,
                                       AddTensor({outputs})));
      features_ = outputs;
    } else if (index > 0 && Between(0, 2) == 0) {
      const std::string weight = AddTensor({channels_, 1, 3, 3});
      body_.push_back(absl::Substitute(
          "x = torch.conv2d(x, $0, $1, [1, 1], [1, 1], [1, 1], $2)", weight,
          AddTensor({channels_}), channels_));
    } else {
      const std::string weight = AddTensor({outputs, channels_, 3, 3});
      body_.push_back(
          absl::Substitute("x = torch.conv2d(x, $0, $1, [1, 1], [1, 1])",
                           weight, AddTensor({outputs})));
      channels_ = outputs;
    }
    AddActivation();
  }

  void AddActivation() {
    constexpr const char* kAnywhere[] = {"x = torch.relu(x)",
                                         "x = torch.relu6(x)",
                                         "x = torch.gelu(x)",
                                         "x = torch.leaky_relu(x, 0.1)",
                                         "x = torch.sigmoid(x)",
                                         "x = x + torch.relu(x)",
                                         "x = torch.hardtanh(x, 0., 2.)",
                                         "x = torch.relu6(torch.relu6(x))"};
    body_.push_back(kAnywhere[Between(0, 7)]);
    if (is_flat_) {
      return;
    }
    switch (Between(0, 5)) {
      case 0:
        body_.push_back("x = torch.max_pool2d(x, [3, 3], [1, 1], [1, 1])");
        break;
      case 1:
        body_.push_back("x = torch.flatten(x, 1)");
        is_flat_ = true;
        features_ = channels_ * 16;
        break;
      case 2:
        body_.push_back("x = torch.mean(x, [2, 3])");
        is_flat_ = true;
        features_ = channels_;
        break;
      default:
        break;
    }
  }

  std::mt19937_64 random_;
  const uint64_t seed_;
  std::vector<std::string> body_;
  Attributes attributes_;
  int64_t channels_ = 3;
  bool is_flat_ = false;
  int64_t features_ = 0;
};

TEST(EqualizeLayersModelsTest, RandomNetworksComputeTheSame) {
  int changed = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(absl::StrCat("network ", seed));
    ModelGraph model = RandomNet(seed).Model();
    const ModelGraph before = OrThrow(model.Clone());
    if (OutputOf(before, Normal({2, 3, 4, 4}, seed)).norm().item<float>() ==
        0) {
      continue;  // Its relus have closed.
    }
    changed += RunPass(EqualizeLayers(), model).changed ? 1 : 0;
    ExpectSameOutputs(before, model, Normal({2, 3, 4, 4}, seed));
    EXPECT_FALSE(RunPass(EqualizeLayers(), model).changed) << "when run again";
    if (HasFailure()) {
      return;
    }
  }
  EXPECT_GT(changed, 40);
}

}  // namespace
}  // namespace ns
