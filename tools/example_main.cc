// How a model compiler links the passes: logs two models, runs them on the same
// inputs, and prints the SQNR of every layer's output.
//
//   example FLOAT.pt QUANTIZED.pt INPUTS.pt

#include <cstdio>

#include "ir/base/status.h"
#include "ns/batches/batches.h"
#include "ns/suite/comparisons.h"
#include "ns/suite/numeric_suite.h"
#include "passes/extraction/extract_logger_info.h"

namespace {

absl::Status Run(const char* float_path, const char* quantized_path,
                 const char* inputs_path) {
  NS_ASSIGN_OR_RETURN(auto a, ns::ModelGraph::FromFile(float_path));
  NS_ASSIGN_OR_RETURN(auto b, ns::ModelGraph::FromFile(quantized_path));
  NS_ASSIGN_OR_RETURN(auto batches, ns::LoadBatches(inputs_path));
  NS_ASSIGN_OR_RETURN(auto logged, ns::AddLoggers("float", a, "int8", b));
  for (const ns::Batch& batch : batches) {
    NS_RETURN_IF_ERROR(logged.a.Run(batch.arguments).status());
    NS_RETURN_IF_ERROR(logged.b.Run(batch.arguments).status());
  }
  NS_ASSIGN_OR_RETURN(auto results, ns::ExtractLoggerInfo({logged.a.module(),
                                                           logged.b.module()}));
  NS_RETURN_IF_ERROR(ns::ExtendLoggerResultsWithComparison(
      results, "float", "int8", ns::ComputeSqnr, "sqnr"));
  for (const auto& [layer, by_type] : results.layers()) {
    const auto& record = by_type.at(ns::kNodeOutputResult).at("int8").front();
    std::printf("%-24s %6.1f dB in the first batch\n", layer.c_str(),
                record.comparisons.at("sqnr").front());
  }
  return absl::OkStatus();
}

}  // namespace

int main(int argc, char** argv) {
  const absl::Status status =
      argc == 4 ? Run(argv[1], argv[2], argv[3])
                : absl::InvalidArgumentError("give three paths");
  std::fputs(status.ok() ? "" : status.ToString().c_str(), stderr);
  return status.ok() ? 0 : 1;
}
