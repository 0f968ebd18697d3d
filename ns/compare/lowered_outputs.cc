#include "ns/compare/lowered_outputs.h"

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "ns/batches/batch.h"
#include "ns/batches/run_batches.h"
#include "ns/findings/figure_text.h"
#include "ns/findings/outputs_of_model.h"
#include "ns/result/printable.h"
#include "ns/suite/model_outputs.h"

namespace ns {

absl::StatusOr<std::vector<LoweredOutput>> CompareLoweredOutputs(
    const ModelGraph& float_model, const ModelGraph& quantized,
    const ModelGraph& lowered, const BatchReader& batches) {
  if (batches.size() == 0) {
    return absl::InvalidArgumentError("there are no batches");
  }
  NS_ASSIGN_OR_RETURN(ModelGraph a, float_model.Clone());
  NS_ASSIGN_OR_RETURN(ModelGraph b, quantized.Clone());
  NS_ASSIGN_OR_RETURN(ModelGraph c, lowered.Clone());
  ModelOutputs of_quantized;
  ModelOutputs of_lowered;
  for (int64_t i = 0; i < batches.size(); ++i) {
    NS_ASSIGN_OR_RETURN(const Batch batch, batches.Read(i));
    NS_ASSIGN_OR_RETURN(const c10::IValue x, RunBatch("float", a, batch, i));
    NS_ASSIGN_OR_RETURN(const c10::IValue y,
                        RunBatch("quantized", b, batch, i));
    NS_ASSIGN_OR_RETURN(const c10::IValue z, RunBatch("lowered", c, batch, i));
    of_quantized.Add(x, y);
    of_lowered.Add(x, z);
  }
  std::vector<LoweredOutput> outputs;
  const std::vector<ModuleOutputComparison> after = of_lowered.Figures();
  for (const ModuleOutputComparison& before : of_quantized.Figures()) {
    if (const auto* output = FindOutput(after, before.name)) {
      outputs.push_back({before.name, before.figures.error.sqnr_db,
                         output->figures.error.sqnr_db});
    }
  }
  if (outputs.empty()) {
    return absl::InvalidArgumentError(
        "the models return no tensor of floats that can be compared");
  }
  return outputs;
}

std::string LoweredOutputsText(const std::vector<LoweredOutput>& outputs) {
  std::string text;
  for (const LoweredOutput& output : outputs) {
    absl::StrAppend(&text, "  ", Printable(output.name), "  ",
                    GainText(output.quantized_db, output.lowered_db), "\n");
  }
  return text;
}

}  // namespace ns
