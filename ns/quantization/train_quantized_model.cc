#include "ns/quantization/train_quantized_model.h"

#include <algorithm>
#include <utility>

#include "ir/status.h"
#include "ns/batches/batch.h"
#include "ns/quantization/calibrator.h"
#include "ns/quantization/quantized_engine.h"
#include "ns/training/trainable_graph.h"

namespace ns {
namespace {

constexpr int64_t kMostRangeBatches = 64;

// Says how many of all batches that run are done.
class Progress {
 public:
  Progress(const TrainingData& data, const TrainOptions& options)
      : options_(options) {
    // Calibration, training, and three models that are measured.
    total_ = data.trained * (1 + options.epochs) + 3 * data.measured();
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
                         int64_t count,
                         const std::function<void(int64_t done)>& progress) {
  NS_ASSIGN_OR_RETURN(Calibrator calibrator, Calibrator::Create(prepared));
  for (int64_t i = 0; i < count; ++i) {
    NS_ASSIGN_OR_RETURN(const Batch batch, batches.Read(i));
    NS_RETURN_IF_ERROR(calibrator.Run(batch, i));
    if (progress) {
      progress(i + 1);
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<TrainedQuantizedModel> TrainQuantizedModel(
    const ModelGraph& model, const TrainingData& data,
    const TrainQuantizedOptions& options) {
  const ScopedEngine engine(EngineOf(options.quantize.backend));
  TrainingReport training = ReportFor(data, options.train);
  Progress progress(data, options.train);
  NS_ASSIGN_OR_RETURN(
      const ModelGraph prepared,
      Annotated(options.name, PrepareModel(model, options.quantize)));
  NS_RETURN_IF_ERROR(CalibrateOn(prepared, data.batches, data.trained,
                                 progress.Phase(data.trained)));
  NS_ASSIGN_OR_RETURN(
      training.float_model,
      MeasureHeldOut("float", model, data, progress.Phase(data.measured())));
  NS_ASSIGN_OR_RETURN(
      const QuantizedModel calibrated,
      Annotated(options.name, ConvertModel(prepared, options.quantize)));
  NS_ASSIGN_OR_RETURN(training.calibrated,
                      MeasureHeldOut("quantized", calibrated.model, data,
                                     progress.Phase(data.measured())));

  NS_ASSIGN_OR_RETURN(
      TrainableGraph trainable,
      Annotated(options.name, TrainableGraph::Create(prepared)));
  const TrainedModel trained = {
      trainable.module(), trainable.method(),
      [&](int64_t epoch, bool begins) -> absl::Status {
        if (epoch == 0 || !begins) {
          return absl::OkStatus();
        }
        return trainable.RenewRanges([&](const ModelGraph& renewed) {
          return CalibrateOn(renewed, data.batches,
                             std::min(data.trained, kMostRangeBatches),
                             /*progress=*/nullptr);
        });
      },
      /*switch_training=*/nullptr};
  TrainOptions train = options.train;
  const auto steps = progress.Phase(data.trained * train.epochs);
  train.progress = [&](int64_t done, int64_t) { steps(done); };
  NS_ASSIGN_OR_RETURN(training.epochs, Train(trained, data, train));

  NS_ASSIGN_OR_RETURN(QuantizedModel quantized,
                      Annotated(options.name, ConvertModel(trainable.prepared(),
                                                           options.quantize)));
  NS_ASSIGN_OR_RETURN(training.quantized,
                      MeasureHeldOut("quantized", quantized.model, data,
                                     progress.Phase(data.measured())));
  return TrainedQuantizedModel{std::move(quantized.model),
                               std::move(quantized.report),
                               std::move(training)};
}

}  // namespace ns
