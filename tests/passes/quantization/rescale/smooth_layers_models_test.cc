// What smooth-layers does on random networks.
#include <ATen/ATen.h>
#include <torch/csrc/jit/ir/ir.h>

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "gtest/gtest.h"
#include "ir/graph/pass_context.h"
#include "ir/model/model_graph.h"
#include "passes/quantization/qconfig/qconfig.h"
#include "passes/quantization/rescale/channel_samples.h"
#include "passes/quantization/rescale/smooth_layers.h"
#include "tests/passes/quantization/rescale/scaled_nets.h"
#include "tests/testing/modules.h"
#include "tests/testing/run_pass.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

constexpr int64_t kWidth = 8;

// Makes the source of a random network of layer norms and linear layers, and
// its weights, on x: [rows, tokens, kWidth].
class RandomNet {
 public:
  explicit RandomNet(uint64_t seed) : random_(seed), seed_(seed) {
    const int steps = Between(2, 8);
    for (int i = 0; i < steps; ++i) {
      AddStep();
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
    if (Between(0, 1) == 0) {
      const int64_t last = tensor.dim() - 1;
      tensor = ScaledAlong(tensor, last,
                           SpreadFactors(sizes[last], Between(0, 8), seed_));
    }
    if (Between(0, 9) == 0) {
      tensor.select(-1, 0).zero_();
    }
    attributes_.emplace_back(name, tensor);
    return "self." + name;
  }

  // A call of a layer on `x`, an expression.
  std::string LinearOf(const std::string& x) {
    const std::string weight = AddTensor({kWidth, kWidth});
    return absl::Substitute("torch.linear($0, $1, $2)", x, weight,
                            Between(0, 2) == 0 ? "None" : AddTensor({kWidth}));
  }

  std::string NormOf(const std::string& x) {
    if (Between(0, 3) == 0) {
      return absl::Substitute("torch.layer_norm($0, [8])", x);
    }
    const std::string weight = AddTensor({kWidth});
    return absl::Substitute("torch.layer_norm($0, [8], $1, $2)", x, weight,
                            Between(0, 2) == 0 ? "None" : AddTensor({kWidth}));
  }

  void AddStep() {
    body_.push_back("y = " + (Between(0, 3) > 0 ? NormOf("x") : LinearOf("x")));
    constexpr const char* kBetween[] = {"torch.relu(y)", "torch.gelu(y)",
                                        "y.view([-1, 2, 8])",
                                        "torch.dropout(y, 0.1, False)"};
    if (Between(0, 1) == 0) {
      body_.push_back(absl::StrCat("y = ", kBetween[Between(0, 3)]));
    }
    switch (Between(0, 4)) {
      case 0:  // A residual sum reads it, too.
        body_.push_back(absl::StrCat("x = y + ", LinearOf("y")));
        break;
      case 1:
        body_.push_back(
            absl::StrCat("x = ", LinearOf("y"), " * ", LinearOf("y")));
        break;
      case 2:
        body_.push_back("x = y");
        body_.push_back("if x.size(0) > 1:");
        body_.push_back(absl::StrCat("  x = ", LinearOf("y")));
        break;
      default:
        body_.push_back(absl::StrCat("x = ", LinearOf("y")));
        break;
    }
  }

  std::mt19937_64 random_;
  const uint64_t seed_;
  std::vector<std::string> body_;
  Attributes attributes_;
};

TEST(SmoothLayersModelsTest, RandomNetworksComputeTheSame) {
  int changed = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(absl::StrCat("network ", seed));
    ModelGraph model = RandomNet(seed).Model();
    const ModelGraph before = OrThrow(model.Clone());
    SmoothLayers::Options options;
    options.exponent = 0.25 * (seed % 5);
    const SmoothLayers pass(options);
    changed += RunPass(pass, model).changed ? 1 : 0;
    ExpectSameOutputs(before, model, Normal({3, 2, kWidth}, seed));
    EXPECT_FALSE(RunPass(pass, model).changed) << "when run again";
    if (HasFailure()) {
      return;
    }
  }
  EXPECT_GT(changed, 30);
}

// With the exponents that samples choose, from linear to linear too.
TEST(SmoothLayersModelsTest, RandomNetworksWithSamplesComputeTheSame) {
  int changed = 0;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(absl::StrCat("network ", seed));
    ModelGraph model = RandomNet(seed).Model();
    const ModelGraph before = OrThrow(model.Clone());
    const at::Tensor x = Normal({3, 2, kWidth}, seed);
    ChannelSampler sampler = OrThrow(ChannelSampler::Create(model));
    NS_ASSERT_OK(sampler.Run({x}));
    SmoothLayers::Options options;
    options.inputs = sampler.samples().inputs;
    options.mapping.SetGlobal(Int8PerTensorQConfig());
    PassContext context;
    const SmoothingReport report =
        OrThrow(SmoothLayers(options).Smooth(model, context));
    for (const SmoothedLayers& tried : report.tried) {
      if (tried.is_smoothed) {
        EXPECT_GE(tried.with_db, tried.without_db + options.least_gain_db);
        ++changed;
      }
    }
    ExpectSameOutputs(before, model, x);
    if (HasFailure()) {
      return;
    }
  }
  EXPECT_GT(changed, 30);
}

}  // namespace
}  // namespace ns
