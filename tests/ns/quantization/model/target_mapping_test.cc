#include "ns/quantization/model/target_mapping.h"

#include <ATen/Functions.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/quantization/layers/float_subgraphs.h"
#include "passes/quantization/qconfig/qconfig.h"
#include "passes/runtime/observers/observer_options.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::torch::jit::Module;

// A convolution over 16 channels, with padding 1.
Module Conv(int64_t groups) {
  return MakeModule("torch.nn.modules.conv.Conv2d",
                    absl::StrCat("def forward(self, x: Tensor) -> Tensor:\n"
                                 "  return torch.conv2d(x, self.weight, None, "
                                 "[1, 1], [1, 1], [1, 1], ",
                                 groups, ")\n"),
                    {{"weight", at::randn({16, 16 / groups, 3, 3})}});
}

ModelGraph Model() {
  return OrThrow(ModelGraph::FromModule(
      MakeModel({{"plain", Conv(1)}, {"grouped", Conv(4)}, {"deep", Conv(16)}},
                {"x = self.grouped.forward(self.plain.forward(x))",
                 "return self.deep.forward(x)"})));
}

QuantizeOptions For(QuantizationTarget target) {
  QuantizeOptions options;
  options.target = target;
  return options;
}

// The names of the layers whose weights have 7 bits.
std::vector<std::string> NarrowedOf(const ModelGraph& model,
                                    const QuantizeOptions& options) {
  const QConfigMapping mapping = OrThrow(TargetMapping(model, options));
  std::vector<std::string> narrowed;
  for (const FloatSubgraph& layer : FindFloatSubgraphs(model.graph())) {
    const ObserverConfig weight = mapping.Choose(layer).qconfig->weight.config;
    if (weight == NarrowWeights(weight)) {
      narrowed.push_back(layer.name);
    }
  }
  return narrowed;
}

std::vector<std::string> Narrowed(const QuantizeOptions& options) {
  return NarrowedOf(Model(), options);
}

bool HasSevenBits(const QuantizeOptions& options) {
  return OrThrow(TargetMapping(Model(), options))
      .global()
      ->activation.config.reduce_range;
}

TEST(TargetMappingTest, OnAnyServerActivationsHaveSevenBits) {
  const QuantizeOptions options = For(QuantizationTarget::kFbgemmAvx2);
  EXPECT_TRUE(HasSevenBits(options));
  EXPECT_THAT(Narrowed(options), IsEmpty());
  EXPECT_EQ(OrThrow(TargetMapping(Model(), options)), DefaultMapping(options));
}

TEST(TargetMappingTest, WithVnniWeightsOfDepthwiseConvolutionsHave) {
  const QuantizeOptions options = For(QuantizationTarget::kFbgemmVnni);
  EXPECT_FALSE(HasSevenBits(options));
  EXPECT_THAT(Narrowed(options), ElementsAre("deep"));
}

// A sigmoid gives 8 bits, whatever the mapping says.
TEST(TargetMappingTest, OnAnyServerWeightsBehindFixedRangesHave) {
  const ModelGraph model = OrThrow(ModelGraph::FromModule(
      MakeModel({{"first", Conv(1)}, {"second", Conv(1)}},
                {"x = torch.sigmoid(self.first.forward(x))",
                 "return self.second.forward(x)"})));
  QuantizeOptions options = For(QuantizationTarget::kFbgemmAvx2);
  EXPECT_THAT(NarrowedOf(model, options), ElementsAre("second"));
  EXPECT_THAT(NarrowedOf(model, For(QuantizationTarget::kFbgemmVnni)),
              IsEmpty());
  options.keep = {"second"};
  EXPECT_THAT(NarrowedOf(model, options), IsEmpty());
}

TEST(TargetMappingTest, AMappingOfTheUsersIsTaken) {
  QuantizeOptions options = For(QuantizationTarget::kFbgemmVnni);
  options.mapping.emplace().SetGlobal(Int8PerTensorQConfig());
  EXPECT_EQ(OrThrow(TargetMapping(Model(), options)), *options.mapping);
}

TEST(TargetMappingTest, WhereNothingSaturatesNothingHas) {
  const QuantizeOptions options = For(QuantizationTarget::kExact);
  EXPECT_FALSE(HasSevenBits(options));
  EXPECT_THAT(Narrowed(options), IsEmpty());
}

TEST(TargetMappingTest, OneDnnWithoutVnniIsAnyServer) {
  QuantizeOptions options = For(QuantizationTarget::kOneDnnAvx2);
  options.backend = Backend::kOnednn;
  EXPECT_TRUE(HasSevenBits(options));
  EXPECT_THAT(Narrowed(options), IsEmpty());
}

TEST(TargetMappingTest, OtherBackendsStayAsTheyAre) {
  for (const Backend backend : {Backend::kOnednn, Backend::kQnnpack}) {
    QuantizeOptions options;
    options.backend = backend;
    EXPECT_EQ(TargetOf(options), QuantizationTarget::kExact);
    EXPECT_FALSE(HasSevenBits(options));
    EXPECT_EQ(OrThrow(TargetMapping(Model(), options)),
              DefaultMapping(options));
  }
}

TEST(TargetMappingTest, CompatIsPyTorchs) {
  QuantizeOptions options = For(QuantizationTarget::kFbgemmAvx2);
  options.compat = true;
  EXPECT_EQ(OrThrow(TargetMapping(Model(), options)),
            GetDefaultQConfigMapping(Backend::kFbgemm));
}

}  // namespace
}  // namespace ns
