#include "ns/quantization/model/calibrator.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/quantization/model/quantize_model.h"
#include "passes/quantization/observe/prepared_model.h"
#include "passes/quantization/qconfig/default_qconfigs.h"
#include "tests/ns/quantization/quantizing.h"
#include "tests/testing/float_model.h"
#include "tests/testing/modules.h"
#include "tests/testing/short_ir.h"
#include "tests/testing/status.h"
#include "tests/testing/temporary_file.h"

namespace ns {
namespace {

using ::testing::HasSubstr;

// Convolutions, a view of what one gives, and one inside of an arm.
ModelGraph ConvNet() {
  return FloatModel(
      {absl::StrCat("y = torch.relu(", ConvOf("x"), ")"),
       "if int(x.size(0)) > 1:", absl::StrCat("  y = ", ConvOf("y")),
       absl::StrCat("z = torch.relu(", ConvOf("y"), ")"),
       "return z.view([-1, 3, 4]).transpose(1, 2)"});
}

std::vector<Batch> Images() {
  at::manual_seed(3);
  std::vector<at::Tensor> images;
  for (int i = 0; i < 3; ++i) {
    images.push_back(at::randn({i + 1, 3, 6, 10}));
  }
  return BatchesOf(images);
}

ModelGraph Prepared(bool compat) {
  QuantizeOptions options;
  options.observer = ObserverKind::kMinMax;
  options.compat = compat;
  return OrThrow(PrepareModel(ConvNet(), options));
}

// What each observer of `model` has seen, by the name of its attribute.
std::map<std::string, ObserverState> SeenBy(const ModelGraph& model) {
  std::map<std::string, ObserverState> seen;
  for (const auto& [name, observer] : AttachedObservers(model.module())) {
    seen[name] = observer->State();
  }
  return seen;
}

// The largest difference between what two sets of observers have seen, as a
// part of the largest value.
double Difference(const std::map<std::string, ObserverState>& a,
                  const std::map<std::string, ObserverState>& b) {
  double difference = 0;
  double largest = 0;
  for (const auto& [name, state] : a) {
    for (const auto& [part, tensor] : state) {
      const at::Tensor& other = b.at(name).at(part);
      EXPECT_EQ(tensor.sizes(), other.sizes()) << name << " " << part;
      if (tensor.numel() > 0) {
        difference =
            std::max(difference, (tensor - other).abs().max().item<double>());
        largest = std::max(largest, tensor.abs().max().item<double>());
      }
    }
  }
  EXPECT_GT(largest, 0);
  return difference / largest;
}

TEST(CalibratorTest, ObserversSeeWhatTheModelComputes) {
  for (const bool compat : {false, true}) {
    const ModelGraph calibrated = Prepared(compat);
    ModelGraph ran = Prepared(compat);
    const std::string before = ShortIr(calibrated.graph());
    Calibrator calibrator = OrThrow(Calibrator::Create(calibrated));
    int64_t index = 0;
    for (const Batch& batch : Images()) {
      NS_ASSERT_OK(calibrator.Run(batch, index++));
      OrThrow(ran.Run(batch.arguments));
    }
    EXPECT_LE(Difference(SeenBy(ran), SeenBy(calibrated)), compat ? 0 : 1e-4);
    EXPECT_EQ(ShortIr(calibrated.graph()), before);
  }
}

// It belongs to the prepared model, however it keeps what it has seen.
TEST(CalibratorTest, ScriptedObserversMaySetTheirAttributes) {
  const torch::jit::Module observer =
      MakeModule("Largest", R"(
def forward(self, x: Tensor) -> Tensor:
  self.largest = torch.max(self.largest, x.abs().max())
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
  const ModelGraph prepared =
      OrThrow(PrepareModel(FloatModel({"return x + x"}), options));
  Calibrator calibrator = OrThrow(Calibrator::Create(prepared));
  NS_ASSERT_OK(calibrator.Run(BatchesOf({at::full({1, 2}, 12.7F)})[0], 0));
  const QuantizedModel quantized = OrThrow(ConvertModel(prepared, options));
  ASSERT_EQ(quantized.report.layers.size(), 1);
  EXPECT_FLOAT_EQ(quantized.report.layers[0].inputs[0].scale, 0.1);
}

TEST(CalibratorTest, NamesTheBatchThatFails) {
  const ModelGraph prepared = Prepared(/*compat=*/false);
  Calibrator calibrator = OrThrow(Calibrator::Create(prepared));
  const absl::Status status =
      calibrator.Run(BatchesOf({at::rand({1, 4, 6, 10})})[0], 7);
  EXPECT_THAT(
      std::string(status.message()),
      AllOf(HasSubstr("batch 7: the float model, "), HasSubstr("channels")));
}

}  // namespace
}  // namespace ns
