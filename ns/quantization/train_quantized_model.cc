#include "ns/quantization/train_quantized_model.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "ir/base/status.h"
#include "ns/batches/run_batches.h"
#include "ns/quantization/accurate/quantize_accurately.h"
#include "ns/quantization/model/calibrator.h"
#include "ns/quantization/model/quantized_engine.h"
#include "ns/training/trainable_graph.h"
#include "ns/training/training_text.h"

namespace ns {
namespace {

constexpr size_t kMostRangeBatches = 64;

// Says how many of all batches that run are done.
class Progress {
 public:
  // `to_choose` batches run to find how the model is quantized.
  Progress(const TrainingData& data, const TrainOptions& options,
           int64_t to_choose)
      : options_(options) {
    // Calibration, training, and three models that are measured.
    total_ =
        data.trained * (1 + options.epochs) + 3 * data.measured() + to_choose;
  }

  // What is called with the number of batches of one phase that are done; the
  // phase has `batches`.
  std::function<void(int64_t done)> Phase(int64_t batches) {
    const int64_t before = before_;
    before_ += batches;
    return [this, before](int64_t done) {
      if (options_.progress) {
        options_.progress(before + done, total_);
      }
    };
  }

 private:
  const TrainOptions& options_;
  int64_t before_ = 0;
  int64_t total_ = 0;
};

absl::Status CalibrateOn(const ModelGraph& prepared, const BatchReader& batches,
                         const std::vector<int64_t>& chosen,
                         const std::function<void(int64_t done)>& progress) {
  NS_ASSIGN_OR_RETURN(Calibrator calibrator, Calibrator::Create(prepared));
  return calibrator.Run(batches, chosen, progress);
}

// Prepares `model` and calibrates it on the batches to train on, the first time
// with `progress`. Notes in `quantize` what that finds.
absl::StatusOr<ModelGraph> Prepared(
    const ModelGraph& model, const TrainingData& data, const std::string& name,
    QuantizeOptions& quantize, std::function<void(int64_t done)> progress) {
  absl::Status calibrated;
  absl::StatusOr<ModelGraph> prepared = PrepareCalibrated(
      model, data.batches, quantize, [&](const ModelGraph& observed) {
        calibrated = CalibrateOn(observed, data.batches,
                                 FirstBatches(data.trained), progress);
        progress = nullptr;
        return calibrated;
      });
  // Errors of calibration name the batch.
  NS_RETURN_IF_ERROR(calibrated);
  return Annotated(name, std::move(prepared));
}

}  // namespace

absl::StatusOr<TrainedQuantizedModel> TrainQuantizedModel(
    const ModelGraph& model, const TrainingData& data,
    const TrainQuantizedOptions& options) {
  NS_RETURN_IF_ERROR(CheckTraining(data, options.train));
  const ScopedEngine engine(EngineOf(options.quantize.backend));
  TrainingReport training = ReportFor(data, options.train);
  QuantizeOptions quantize = options.quantize;
  quantize.progress = nullptr;
  const int64_t to_choose = BatchesToMeasure(quantize, data.batches);
  Progress progress(data, options.train, to_choose);
  NS_ASSIGN_OR_RETURN(ModelGraph prepared,
                      Prepared(model, data, options.name, quantize,
                               progress.Phase(data.trained)));
  NS_ASSIGN_OR_RETURN(
      training.float_model,
      MeasureHeldOut("float", model, data, progress.Phase(data.measured())));
  NS_ASSIGN_OR_RETURN(
      QuantizedModel calibrated,
      Annotated(options.name,
                ConvertKeepingWhatHelps(model, prepared, data.batches, quantize,
                                        progress.Phase(to_choose))));
  NS_ASSIGN_OR_RETURN(training.calibrated,
                      MeasureHeldOut("quantized", calibrated.model, data,
                                     progress.Phase(data.measured())));
  if (calibrated.mapping) {
    quantize.mapping = *calibrated.mapping;
    NS_ASSIGN_OR_RETURN(prepared, Prepared(model, data, options.name, quantize,
                                           /*progress=*/nullptr));
  }

  NS_ASSIGN_OR_RETURN(
      TrainableGraph trainable,
      Annotated(options.name, TrainableGraph::Create(prepared)));
  TrainedModel trained;
  trained.module = trainable.module();
  trained.method = trainable.method();
  trained.parameters = trainable.parameters();
  trained.before_epoch = [&](const EpochStart& start) -> absl::Status {
    if (start.epoch == 0 || !start.begins) {
      return absl::OkStatus();
    }
    std::vector<int64_t> first = start.order;
    first.resize(std::min(first.size(), kMostRangeBatches));
    return trainable.RenewRanges([&](const ModelGraph& renewed) {
      return CalibrateOn(renewed, data.batches, first, /*progress=*/nullptr);
    });
  };
  TrainOptions train = options.train;
  const auto steps = progress.Phase(data.trained * train.epochs);
  train.progress = [&](int64_t done, int64_t) { steps(done); };
  NS_ASSIGN_OR_RETURN(training.epochs, Train(trained, data, train));

  NS_ASSIGN_OR_RETURN(
      QuantizedModel quantized,
      Annotated(options.name, ConvertModel(trainable.prepared(), quantize)));
  NS_ASSIGN_OR_RETURN(training.quantized,
                      MeasureHeldOut("quantized", quantized.model, data,
                                     progress.Phase(data.measured())));
  training.keeps_calibrated = !TrainingHelps(training);
  QuantizedModel& better = training.keeps_calibrated ? calibrated : quantized;
  return TrainedQuantizedModel{std::move(better.model),
                               std::move(better.report), std::move(training)};
}

}  // namespace ns
