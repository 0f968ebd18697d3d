#include "ns/reference/reference_comparer.h"

#include <ATen/ATen.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/model/model_graph.h"
#include "ns/batches/batch.h"
#include "ns/batches/write_torch_save.h"
#include "ns/reference/reference_files.h"
#include "ns/result/comparison_result.h"
#include "ns/saved/activation_files.h"
#include "ns/suite/compare_options.h"
#include "passes/matching/graph_matcher.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"
#include "tests/testing/temporary_file.h"

namespace ns {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr char kSigmoid[] =
    "def forward(self, x: Tensor) -> Tensor:\n"
    "    return torch.sigmoid(x)\n";

constexpr char kTanhAndLoop[] =
    "def forward(self, x: Tensor, n: int) -> Tensor:\n"
    "    x = torch.tanh(x)\n"
    "    for i in range(n):\n"
    "        x = torch.sigmoid(x)\n"
    "    return x\n";

class ReferenceComparerTest : public testing::Test {
 protected:
  ReferenceComparerTest() {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }

  // Saves the values of all calls of a layer.
  void Save(const std::string& layer,
            const std::vector<at::Tensor>& values) const {
    c10::impl::GenericList list(c10::AnyType::get());
    for (const at::Tensor& value : values) {
      list.push_back(value);
    }
    OrThrow(WriteTorchSave(absl::StrCat(folder_, "/", layer, ".pt"), list));
  }

  absl::StatusOr<ReferenceComparer> Create(const std::string& source,
                                           const Attributes& attributes = {}) {
    const ModelGraph model = OrThrow(
        ModelGraph::FromModule(MakeModule("Model", source, attributes)));
    ModelGraph copy = OrThrow(model.Clone());
    const MatchResult matches = OrThrow(MatchSubgraphs(model, copy));
    for (const SubgraphMatch& match : matches.matches) {
      result_.layers.emplace_back().name = match.name;
    }
    return ReferenceComparer::Create(std::move(copy), matches,
                                     OrThrow(ReferenceFiles::Open(folder_)),
                                     options_);
  }

  static absl::Status Run(ReferenceComparer& comparer,
                          std::vector<c10::IValue> arguments,
                          int64_t index = 0) {
    return comparer.Run({std::move(arguments), {}}, index);
  }

  const LayerComparison& Layer(const std::string& name) const {
    for (const LayerComparison& layer : result_.layers) {
      if (layer.name == name) {
        return layer;
      }
    }
    throw std::out_of_range(name);
  }

  const std::string folder_ = TemporaryPath("reference");
  CompareOptions options_;
  ComparisonResult result_;
};

// The reference is the signal: twice the model's value leaves an error of half.
TEST_F(ReferenceComparerTest, SavedValuesAreTheFloatSide) {
  const at::Tensor x = at::randn({2, 3});
  const at::Tensor y = x.sigmoid();
  Save("sigmoid", {y * 2});
  ReferenceComparer comparer = OrThrow(Create(kSigmoid));
  EXPECT_EQ(comparer.schema().arguments().size(), 2);
  NS_ASSERT_OK(Run(comparer, {x}));
  comparer.AddFigures(result_);
  NS_ASSERT_OK(comparer.AddReasons(result_));
  EXPECT_THAT(result_.warnings, IsEmpty());
  const ActivationComparison& figures = *Layer("sigmoid").activation;
  EXPECT_NEAR(figures.error.sqnr_db, 20 * std::log10(2), 1e-4);
  EXPECT_NEAR(figures.error.normalized_l2, 0.5, 1e-6);
  EXPECT_NEAR(figures.error.max_abs_error, y.max().item<double>(), 1e-6);
  EXPECT_THAT(figures.shape, ElementsAre(2, 3));
  EXPECT_EQ(figures.elements, 6);
}

TEST_F(ReferenceComparerTest, NumbersEmptyTensorsAndNanAreValues) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Save("sigmoid",
       {at::scalar_tensor(0.5), at::empty({0, 3}), at::scalar_tensor(nan)});
  ReferenceComparer comparer = OrThrow(Create(kSigmoid));
  NS_ASSERT_OK(Run(comparer, {at::scalar_tensor(0.0)}, 0));
  NS_ASSERT_OK(Run(comparer, {at::empty({0, 3})}, 1));
  comparer.AddFigures(result_);
  EXPECT_EQ(Layer("sigmoid").activation->elements, 1);
  EXPECT_EQ(Layer("sigmoid").activation->error.max_abs_error, 0);
  NS_ASSERT_OK(Run(comparer, {at::scalar_tensor(0.0)}, 2));
  comparer.AddFigures(result_);
  EXPECT_THAT(Layer("sigmoid").activation->batch_sqnr_db, SizeIs(3));
  EXPECT_EQ(Layer("sigmoid").activation->non_finite->float_nan, 1);
  EXPECT_EQ(Layer("sigmoid").activation->non_finite->quantized_nan, 0);
}

TEST_F(ReferenceComparerTest, EachOutputHasItsValue) {
  const at::Tensor input = at::randn({8, 3});
  const at::Tensor hidden = at::randn({8, 2});
  const at::Tensor x = at::randn({5, 1, 3});
  const at::Tensor start = at::zeros({1, 1, 2});
  const auto [y, h, c] = at::lstm(x, {start, start}, {input, hidden}, false, 1,
                                  0.0, false, false, false);
  ActivationFiles files = OrThrow(ActivationFiles::Create({folder_}));
  NS_ASSERT_OK(files.Save("lstm", 0, 0, {{"float", y}, {"float_h_n", h * 2}}));
  ReferenceComparer comparer =
      OrThrow(Create("def forward(self, x: Tensor) -> Tensor:\n"
                     "    y, h, c = torch.lstm(x, [self.s, self.s], [self.i, "
                     "self.h], False, 1, 0.0, False, False, False)\n"
                     "    return y\n",
                     {{"s", start}, {"i", input}, {"h", hidden}}));
  NS_ASSERT_OK(Run(comparer, {x}));
  comparer.AddFigures(result_);
  NS_ASSERT_OK(comparer.AddReasons(result_));
  const LayerComparison& layer = Layer("lstm");
  EXPECT_GT(layer.activation->error.sqnr_db, 100);
  // Nothing was saved of c_n, which is nobody's fault.
  ASSERT_THAT(layer.outputs, SizeIs(1));
  EXPECT_EQ(layer.outputs[0].name, "h_n");
  EXPECT_EQ(layer.outputs[0].index, 1);
  EXPECT_NEAR(layer.outputs[0].activation->error.sqnr_db, 20 * std::log10(2),
              1e-4);
  EXPECT_THAT(result_.warnings, IsEmpty());
}

TEST_F(ReferenceComparerTest, ALoopWithoutTripsDidNotRunItsLayers) {
  Save("tanh", {at::ones({2})});
  Save("sigmoid", {at::ones({2})});
  ReferenceComparer comparer = OrThrow(Create(kTanhAndLoop));
  NS_ASSERT_OK(Run(comparer, {at::randn({2}), int64_t{0}}));
  comparer.AddFigures(result_);
  NS_ASSERT_OK(comparer.AddReasons(result_));
  EXPECT_TRUE(Layer("tanh").activation.has_value());
  EXPECT_FALSE(Layer("sigmoid").activation.has_value());
  ASSERT_THAT(result_.not_referenced, SizeIs(1));
  EXPECT_EQ(result_.not_referenced[0].name, "sigmoid");
  EXPECT_EQ(result_.not_referenced[0].reason,
            "the quantized model did not run it");
}

TEST_F(ReferenceComparerTest, WithoutABatchNothingIsCompared) {
  Save("sigmoid", {at::ones({2})});
  const ReferenceComparer comparer = OrThrow(Create(kSigmoid));
  EXPECT_THAT(std::string(comparer.AddReasons(result_).message()),
              HasSubstr("no value can be compared; sigmoid: the quantized "
                        "model did not run it"));
}

TEST_F(ReferenceComparerTest, ModelsWithoutLayersAreAnError) {
  Save("sigmoid", {at::ones({2})});
  EXPECT_EQ(MessageOf(Create("def forward(self, x: Tensor) -> Tensor:\n"
                             "    return x\n")),
            folder_ + ": the models have no layer in common");
}

TEST_F(ReferenceComparerTest, ErrorsOfARunNameWhatFailed) {
  OrThrow(WriteTorchSave(absl::StrCat(folder_, "/tanh.pt"), at::ones({2, 2})));
  c10::impl::GenericList list(c10::AnyType::get());
  list.push_back("text");
  OrThrow(WriteTorchSave(absl::StrCat(folder_, "/sigmoid.pt"), list));
  ReferenceComparer comparer = OrThrow(Create(kTanhAndLoop));
  EXPECT_THAT(std::string(Run(comparer, {at::ones({2})}).message()),
              HasSubstr("the quantized model, method 'forward' takes 2"));
  EXPECT_THAT(
      std::string(Run(comparer, {at::ones({2, 2}), int64_t{1}}).message()),
      HasSubstr("sigmoid.pt: element 0: holds a str"));
}

TEST_F(ReferenceComparerTest, MetricsOfTheUserSeeTheReferenceFirst) {
  Save("sigmoid", {at::full({2}, 3.0), at::full({3}, 5.0)});
  options_.user_metrics = {
      {"ratio", [](const at::Tensor& x, const at::Tensor& y) {
         return x.numel() == 3 ? absl::StatusOr<double>(
                                     absl::InternalError("three is a crowd"))
                               : (x / y).mean().item<double>();
       }}};
  ReferenceComparer comparer = OrThrow(Create(kSigmoid));
  NS_ASSERT_OK(Run(comparer, {at::zeros({2})}));
  comparer.AddFigures(result_);
  const auto& figures = Layer("sigmoid").activation->user_figures;
  ASSERT_THAT(figures, SizeIs(1));
  EXPECT_EQ(figures[0].metric, "ratio");
  EXPECT_NEAR(figures[0].value, 6, 1e-6);
  EXPECT_THAT(std::string(Run(comparer, {at::zeros({3})}, 1).message()),
              AllOf(HasSubstr("ratio"), HasSubstr("activation of sigmoid"),
                    HasSubstr("three is a crowd")));
}

}  // namespace
}  // namespace ns
