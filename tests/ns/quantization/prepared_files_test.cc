// Prepared models that are saved, calibrated on in another process, and merged.
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/quantization/model/quantize_model.h"
#include "passes/quantization/observe/prepared_model.h"
#include "passes/quantization/qconfig/default_qconfigs.h"
#include "passes/runtime/observers/observer.h"
#include "tests/ns/quantization/quantizing.h"
#include "tests/testing/float_model.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"
#include "tests/testing/temporary_file.h"

namespace ns {
namespace {

// With a shared observer, a clamp, a fixed range, arms, and a layer that stays
// in float.
const std::vector<std::string> kBody = {
    absl::StrCat("y = torch.relu6(", ConvOf("x"), ")"),
    "if x.size(0) > 2:",
    absl::StrCat("  y = torch.max_pool2d(", ConvOf("y"), ", [2, 2])"),
    "else:",
    "  y = torch.cat([y, y * self.b[0]], 1).chunk(2, 1)[0]",
    absl::StrCat("z = ", LinearOf("y.mean([2, 3])")),
    "return torch.sigmoid(z) * torch.exp(z)"};

// Always the same.
std::vector<at::Tensor> Images() {
  at::manual_seed(4);
  std::vector<at::Tensor> images;
  for (int i = 0; i < 6; ++i) {
    images.push_back(at::randn({1 + i % 4, 3, 8, 8}) * (1 + i));
  }
  return images;
}

QuantizeOptions With(ObserverKind kind) {
  QuantizeOptions options;
  options.observer = kind;
  return options;
}

const ObserverKind kKinds[] = {
    ObserverKind::kMinMax,     ObserverKind::kMovingAverageMinMax,
    ObserverKind::kHistogram,  ObserverKind::kMse,
    ObserverKind::kPercentile, ObserverKind::kEntropy};

ModelGraph Prepared(const QuantizeOptions& options,
                    const std::vector<at::Tensor>& images = {}) {
  ModelGraph prepared = OrThrow(PrepareModel(FloatModel(kBody), options));
  if (!images.empty()) {
    OrThrow([&]() -> absl::StatusOr<int> {
      const absl::Status status = Calibrate(prepared, BatchesOf(images));
      return status.ok() ? absl::StatusOr<int>(0) : status;
    }());
  }
  return prepared;
}

ModelGraph SavedAndLoaded(const ModelGraph& model) {
  const std::string path = TemporaryPath("prepared.pt");
  NS_EXPECT_OK(model.Save(path));
  // Freezing would remove the observers.
  ModelGraphOptions options;
  options.as_it_is = true;
  return OrThrow(ModelGraph::FromFile(path, options));
}

std::string Report(const QuantizationReport& report) {
  std::string text;
  for (const LayerQuantization& layer : report.layers) {
    absl::StrAppend(&text, layer.name, " ", layer.qconfig, " ", layer.rule);
    for (const ValueQuantization& input : layer.inputs) {
      absl::StrAppend(&text, " ", input.scale, ",", input.zero_point);
    }
    absl::StrAppend(&text, " ", layer.output->scale, ",",
                    layer.output->zero_point, "\n");
  }
  for (const FloatLayer& layer : report.stayed_float) {
    absl::StrAppend(&text, layer.name, ": ", layer.reason, "\n");
  }
  return text;
}

// Fails the test unless both convert to the same.
void ExpectConvertAlike(const ModelGraph& a, const ModelGraph& b,
                        const QuantizeOptions& options) {
  QuantizedModel converted_a = OrThrow(ConvertModel(a, options));
  QuantizedModel converted_b = OrThrow(ConvertModel(b, options));
  EXPECT_EQ(Report(converted_a.report), Report(converted_b.report));
  for (const at::Tensor& x : Images()) {
    EXPECT_TRUE(
        Output(converted_a.model, x).equal(Output(converted_b.model, x)));
  }
}

// Fails the test unless all observers have seen the same, to the bit.
void ExpectSameObservers(const ModelGraph& a, const ModelGraph& b) {
  const std::map<std::string, ObserverPtr> of_model_a =
      AttachedObservers(a.module());
  EXPECT_GT(of_model_a.size(), 5);
  for (const auto& [observer, of_a] : of_model_a) {
    const ObserverPtr of_b = AttachedObserver(b.module(), observer);
    ASSERT_TRUE(of_b) << observer;
    EXPECT_EQ(of_a->seen().least_rank, of_b->seen().least_rank);
    EXPECT_EQ(of_a->seen().values, of_b->seen().values);
    const ObserverState state = of_b->State();
    for (const auto& [name, tensor] : of_a->State()) {
      EXPECT_TRUE(tensor.equal(state.at(name))) << name;
    }
  }
}

TEST(PreparedFilesTest, LoadedModelComputesTheSame) {
  ModelGraph prepared = Prepared({});
  ModelGraph loaded = SavedAndLoaded(prepared);
  for (const at::Tensor& x : Images()) {
    EXPECT_TRUE(Output(loaded, x).equal(Output(prepared, x)));
  }
  ExpectSameObservers(loaded, prepared);
}

TEST(PreparedFilesTest, SavingBetweenBatchesChangesNothing) {
  const std::vector<at::Tensor> images = Images();
  for (const ObserverKind kind : kKinds) {
    const QuantizeOptions options = With(kind);
    ModelGraph saved = Prepared(options);
    for (const at::Tensor& image : images) {
      saved = SavedAndLoaded(saved);
      NS_ASSERT_OK(Calibrate(saved, BatchesOf({image})));
    }
    saved = SavedAndLoaded(saved);
    const ModelGraph whole = Prepared(options, images);
    ExpectSameObservers(saved, whole);
    ExpectConvertAlike(saved, whole, options);
  }
}

TEST(PreparedFilesTest, SavesFakeQuantizationsToo) {
  for (const bool compat : {false, true}) {
    QuantizeOptions options =
        Everywhere(OrThrow(GetDefaultQatQConfig(Backend::kFbgemm)));
    options.compat = compat;
    const std::vector<at::Tensor> images = Images();
    ModelGraph saved = SavedAndLoaded(Prepared(options, {images[0]}));
    NS_ASSERT_OK(Calibrate(saved, BatchesOf({images[1]})));
    ExpectConvertAlike(SavedAndLoaded(saved),
                       Prepared(options, {images[0], images[1]}), options);
  }
}

TEST(PreparedFilesTest, SavesScriptedObservers) {
  const torch::jit::Module observer =
      MakeModule("Largest", R"(
def forward(self, x: Tensor) -> Tensor:
  self.largest.copy_(torch.max(self.largest, x.abs().max()))
  return x

def calculate_qparams(self) -> Tuple[Tensor, Tensor]:
  return self.largest / 127, torch.zeros([1], dtype=3) + 128
)",
                 {{"largest", at::zeros({1})}, {"dtype", int64_t{13}}});
  const std::string path = TemporaryPath("observer.pt");
  observer.save(path);
  QConfig qconfig = Int8PerTensorQConfig();
  qconfig.activation = SpecOf(ObserverKind::kScripted);
  qconfig.activation.path = path;
  const QuantizeOptions options = Everywhere(qconfig);
  ModelGraph saved = SavedAndLoaded(
      OrThrow(PrepareModel(FloatModel({"return x + x"}), options)));
  const at::Tensor x = at::tensor({-12.7F, 1.0F}).reshape({1, 2});
  NS_ASSERT_OK(Calibrate(saved, BatchesOf({x})));
  QuantizedModel quantized =
      OrThrow(ConvertModel(SavedAndLoaded(saved), options));
  ASSERT_EQ(quantized.report.layers.size(), 1);
  EXPECT_FLOAT_EQ(quantized.report.layers[0].inputs[0].scale, 0.1);
  EXPECT_EQ(quantized.report.layers[0].inputs[0].zero_point, 128);
  EXPECT_FLOAT_EQ(quantized.report.layers[0].output->scale, 0.2);
  EXPECT_TRUE(Output(quantized.model, x).allclose(x + x, 0, 0.11));
  ExpectNeedsLibTorchOnly(quantized.model);
}

TEST(PreparedFilesTest, ConvertedModelLoadsAndComputesTheSame) {
  QuantizedModel quantized = OrThrow(ConvertModel(Prepared({}, Images()), {}));
  const std::string path = TemporaryPath("quantized.pt");
  NS_ASSERT_OK(quantized.model.Save(path));
  ModelGraph loaded = OrThrow(ModelGraph::FromFile(path));
  ExpectNeedsLibTorchOnly(loaded);
  for (const at::Tensor& x : Images()) {
    EXPECT_TRUE(Output(loaded, x).equal(Output(quantized.model, x)));
  }
}

TEST(PreparedFilesTest, MergedHalvesAreTheWholeToTheBit) {
  const std::vector<at::Tensor> images = Images();
  const std::vector<at::Tensor> first(images.begin(), images.begin() + 2);
  const std::vector<at::Tensor> second(images.begin() + 2, images.end());
  for (const ObserverKind kind :
       {ObserverKind::kMinMax, ObserverKind::kMse, ObserverKind::kPercentile,
        ObserverKind::kEntropy}) {
    const QuantizeOptions options = With(kind);
    ModelGraph merged = Prepared(options, first);
    NS_ASSERT_OK(
        MergePrepared(merged, SavedAndLoaded(Prepared(options, second))));
    const ModelGraph whole = Prepared(options, images);
    ExpectSameObservers(merged, whole);
    ExpectConvertAlike(merged, whole, options);
    // The files are the same, byte for byte.
    const std::string path = TemporaryPath("model.pt");
    NS_ASSERT_OK(merged.Save(path));
    const std::string of_merged = ReadFile(path);
    NS_ASSERT_OK(whole.Save(path));
    EXPECT_TRUE(ReadFile(path) == of_merged) << ObserverKindName(kind);
  }
}

TEST(PreparedFilesTest, MergingWhatSawNothingChangesNothing) {
  const QuantizeOptions options;
  ModelGraph merged = Prepared(options, Images());
  NS_ASSERT_OK(MergePrepared(merged, Prepared(options)));
  ExpectSameObservers(merged, Prepared(options, Images()));
  ModelGraph late = Prepared(options);
  NS_ASSERT_OK(MergePrepared(late, merged));
  ExpectSameObservers(late, merged);
}

TEST(PreparedFilesTest, ModelsPreparedOtherwiseDoNotMerge) {
  const std::string differ =
      "the models were not prepared alike; merge what one model with one "
      "qconfig mapping was prepared to";
  ModelGraph prepared = Prepared({}, Images());
  QuantizeOptions kept;
  kept.keep = {"sigmoid"};
  EXPECT_EQ(MergePrepared(prepared, Prepared(kept)).message(), differ);
  EXPECT_EQ(
      MergePrepared(prepared, Prepared(With(ObserverKind::kMinMax))).message(),
      differ);
  // The last layers have other observers.
  QuantizeOptions last;
  last.mapping = DefaultMapping({}).SetObjectType("linear", DefaultQConfig());
  EXPECT_EQ(MergePrepared(prepared, Prepared(last, Images())).message(),
            differ);
  EXPECT_EQ(MergePrepared(prepared, OrThrow(PrepareModel(
                                        FloatModel({"return x + x"}), {})))
                .message(),
            differ);
  EXPECT_EQ(MergePrepared(prepared, FloatModel(kBody)).message(),
            "the model was not prepared; insert-observers has not run on it");
  // Nothing has changed.
  ExpectSameObservers(prepared, Prepared({}, Images()));
}

}  // namespace
}  // namespace ns
