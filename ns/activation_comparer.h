// Runs two instrumented models batch by batch and pools what differs.
#ifndef NS_ACTIVATION_COMPARER_H_
#define NS_ACTIVATION_COMPARER_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/model_graph.h"
#include "ns/batches.h"
#include "ns/comparison_result.h"
#include "passes/matching/graph_matcher.h"
#include "passes/runtime/output_logger.h"
#include "passes/runtime/pair_statistics.h"

namespace ns {

// Adds loggers to the two models that it is given, which it does not own, and
// empties the loggers after every batch.
class ActivationComparer {
 public:
  // `matches` is of these two graphs. All three must outlive the comparer.
  static absl::StatusOr<ActivationComparer> Create(ModelGraph& float_model,
                                                   ModelGraph& quantized_model,
                                                   const MatchResult& matches);

  // Runs both models on `batch` and adds to the statistics.
  absl::Status Run(const Batch& batch);

  // The figures of match `index`, over all batches so far; absent when no batch
  // came by it in both models.
  std::optional<ActivationComparison> Result(size_t index) const;

  // One line for each match whose values could not be compared.
  std::vector<std::string> Warnings() const;

 private:
  struct Point {
    std::string name;
    bool in_loop = false;
    c10::intrusive_ptr<OutputLogger> float_logger;
    c10::intrusive_ptr<OutputLogger> quantized_logger;
    std::vector<int64_t> shape;
    PairStatistics pooled;
    std::vector<double> batch_sqnr_db;
    std::vector<PairStatistics> trips;
    std::string warning;
  };

  ActivationComparer(ModelGraph& float_model, ModelGraph& quantized_model)
      : float_model_(&float_model), quantized_model_(&quantized_model) {}

  static void Compare(Point& point);

  ModelGraph* float_model_;
  ModelGraph* quantized_model_;
  std::vector<Point> points_;
};

// The figures that follow from `statistics`.
ErrorFigures FiguresOf(const PairStatistics& statistics);

}  // namespace ns

#endif  // NS_ACTIVATION_COMPARER_H_
