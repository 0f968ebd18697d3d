// Holds comparisons that run both models in step against loggers, which keep
// every value: paired_check FLOAT QUANTIZED INPUTS.
#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "ir/model/model_graph.h"
#include "ns/batches/batch_reader.h"
#include "ns/batches/batches.h"
#include "ns/compare/engines.h"
#include "ns/suite/compare_models.h"
#include "ns/suite/numeric_suite.h"
#include "ns/suite/pooled_comparison.h"
#include "passes/extraction/extract_logger_info.h"
#include "passes/instrument/logger_info.h"

namespace ns {
namespace {

// Between figures of the same values, and of float values whose convolutions
// were fused.
constexpr double kExactDb = 1e-4;
constexpr double kFusedDb = 1e-4;
// What fusing changes is below this, and shows in errors as small as it.
constexpr double kFusedFloorDb = 90;

using Figures = std::map<std::string, double>;

absl::Status RunBatch(ModelGraph& model, Batch batch) {
  NS_RETURN_IF_ERROR(FitBatch(
      model.module().get_method(model.method()).function().getSchema(), batch));
  return model.Run(batch.arguments, batch.keywords).status();
}

// SQNR by layer, of what the loggers of "float" and "quantized" have kept.
Figures FiguresOfLoggers(const Results& results) {
  Figures figures;
  for (const auto& [layer, by_type] : results.layers()) {
    const ResultsByModel& outputs = by_type.at(kNodeOutputResult);
    const std::vector<at::Tensor>& x = outputs.at("float")[0].values;
    const std::vector<at::Tensor>& y = outputs.at("quantized")[0].values;
    PairStatistics sums;
    for (size_t i = 0; i < x.size() && i < y.size(); ++i) {
      sums.Merge(ComparePair(x[i], y[i]));
    }
    if (!x.empty() && !y.empty()) {
      figures[layer] = sums.SqnrDb();
    }
  }
  return figures;
}

absl::StatusOr<Figures> LoggedActivations(const ModelGraph& a,
                                          const ModelGraph& b,
                                          const std::vector<Batch>& batches) {
  NS_ASSIGN_OR_RETURN(LoggedModels logged,
                      AddLoggers("float", a, "quantized", b));
  for (const Batch& batch : batches) {
    NS_RETURN_IF_ERROR(RunBatch(logged.a, batch));
    NS_RETURN_IF_ERROR(RunBatch(logged.b, batch));
  }
  NS_ASSIGN_OR_RETURN(
      const Results results,
      ExtractLoggerInfo({logged.a.module(), logged.b.module()}));
  return FiguresOfLoggers(results);
}

absl::StatusOr<Figures> LoggedShadows(const ModelGraph& a, const ModelGraph& b,
                                      const std::vector<Batch>& batches) {
  NS_ASSIGN_OR_RETURN(ShadowModel shadow,
                      AddShadowLoggers("float", a, "quantized", b));
  for (const Batch& batch : batches) {
    NS_RETURN_IF_ERROR(RunBatch(shadow.model, batch));
  }
  NS_ASSIGN_OR_RETURN(const Results results,
                      ExtractShadowLoggerInfo(shadow.model.module()));
  return FiguresOfLoggers(results);
}

bool Agree(double figure, double expected, double tolerance) {
  return figure == expected || (std::isnan(figure) && std::isnan(expected)) ||
         std::fabs(figure - expected) <= tolerance;
}

// How many layers differ; prints them.
int Differences(const char* kind, const Figures& expected,
                const ComparisonResult& result, bool exact) {
  int differences = 0;
  size_t compared = 0;
  for (const LayerComparison& layer : result.layers) {
    const auto& activation =
        std::string(kind) == "activation" ? layer.activation : layer.shadow;
    const auto found = expected.find(layer.name);
    if (!activation || found == expected.end()) {
      continue;
    }
    ++compared;
    const double figure = activation->error.sqnr_db;
    const bool is_floor =
        !exact && found->second > kFusedFloorDb && figure > kFusedFloorDb;
    if (!is_floor &&
        !Agree(figure, found->second, exact ? kExactDb : kFusedDb)) {
      ++differences;
      std::printf("%s %s%s: %.6f dB, loggers %.6f dB\n", layer.name.c_str(),
                  kind, exact ? " (exact)" : "", figure, found->second);
    }
  }
  std::printf("%zu layers, %s%s\n", compared, kind, exact ? ", exact" : "");
  if (compared < expected.size()) {
    std::printf("loggers saw %zu layers\n", expected.size());
    ++differences;
  }
  return differences;
}

absl::Status Check(const std::string& float_path,
                   const std::string& quantized_path,
                   const std::string& inputs) {
  NS_ASSIGN_OR_RETURN(const ModelGraph a, ModelGraph::FromFile(float_path));
  NS_ASSIGN_OR_RETURN(const ModelGraph b, ModelGraph::FromFile(quantized_path));
  NS_ASSIGN_OR_RETURN(const BatchReader reader, BatchReader::Open({inputs}));
  NS_ASSIGN_OR_RETURN(const std::vector<Batch> batches, reader.ReadAll());
  NS_ASSIGN_OR_RETURN(const Figures activations,
                      LoggedActivations(a, b, batches));
  NS_ASSIGN_OR_RETURN(const Figures shadows, LoggedShadows(a, b, batches));
  int differences = 0;
  for (const bool exact : {true, false}) {
    CompareOptions options;
    options.weights = false;
    options.activations = true;
    options.shadows = true;
    options.exact = exact;
    NS_ASSIGN_OR_RETURN(const ComparisonResult result,
                        CompareModels(a, b, reader, options));
    differences += Differences("activation", activations, result, exact);
    differences += Differences("shadow", shadows, result, exact);
  }
  return differences == 0 ? absl::OkStatus()
                          : absl::FailedPreconditionError(
                                absl::StrCat(differences, " differences"));
}

int Main(int argc, char** argv) {
  if (argc != 4) {
    std::fputs("usage: paired_check FLOAT QUANTIZED INPUTS\n", stderr);
    return 2;
  }
  const absl::Status status =
      WithEngine("", [&] { return Check(argv[1], argv[2], argv[3]); });
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}

}  // namespace
}  // namespace ns

int main(int argc, char** argv) { return ns::Main(argc, argv); }
