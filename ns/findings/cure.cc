#include "ns/findings/cure.h"

#include <iterator>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "ns/findings/calibration.h"
#include "ns/findings/causes.h"
#include "ns/findings/data_shift.h"
#include "ns/findings/error_causes.h"
#include "ns/findings/value_flow.h"
#include "ns/result/shell_word.h"

namespace ns {
namespace {

std::string InputsWord(const std::vector<std::string>& paths) {
  return paths.empty() ? "INPUTS.pt" : ShellWord(absl::StrJoin(paths, ","));
}

bool IsDynamic(const ComparisonResult& result) {
  const auto runs_in = [&](RunsIn what) {
    return absl::c_any_of(result.layers, [&](const LayerComparison& layer) {
      return layer.runs_in == what;
    });
  };
  return runs_in(RunsIn::kInt8Weights) && !runs_in(RunsIn::kInt8);
}

// `flag` with `value`, behind a space; empty for the default.
std::string Flag(absl::string_view flag, const std::string& value,
                 absl::string_view default_value = "") {
  return value == default_value
             ? ""
             : absl::StrCat(" --", flag, "=", ShellWord(value));
}

// How the user had the models loaded, as flags of a command that calls the
// engine `engine_flag`.
std::string LoadFlags(const LoadOptions& load, absl::string_view engine_flag) {
  return absl::StrCat(Flag("method", load.method, "forward"),
                      Flag("leaf", absl::StrJoin(load.leaves, ",")),
                      Flag(engine_flag, load.engine));
}

// The command that quantizes the float model anew on `inputs`, with `more`
// flags.
std::string QuantizeOn(const ComparisonResult& result,
                       const std::vector<std::string>& inputs,
                       absl::string_view more = "") {
  return absl::StrCat("ns quantize --float=", ShellWord(result.float_path),
                      " --inputs=", InputsWord(inputs), " --out=mended.pt",
                      IsDynamic(result) ? " --mode=dynamic" : "",
                      LoadFlags(result.load, "backend"), more);
}

std::string Quantize(const ComparisonResult& result,
                     absl::string_view more = "") {
  return QuantizeOn(result, result.input_paths, more);
}

// The command that keeps `layers` in float; empty where none of them is a layer
// of the float model, as an input is none.
std::string Keep(const ComparisonResult& result,
                 const std::vector<size_t>& layers) {
  std::vector<std::string> names;
  for (const size_t layer : layers) {
    const std::string& name = result.layers[layer].float_layer;
    if (!name.empty() && !absl::c_linear_search(names, name)) {
      names.push_back(name);
    }
  }
  return names.empty()
             ? ""
             : Quantize(result, Flag("keep", absl::StrJoin(names, ",")));
}

bool AreAll(const ComparisonResult& result, const std::vector<size_t>& layers,
            absl::string_view family) {
  return !layers.empty() && absl::c_all_of(layers, [&](size_t layer) {
    return absl::StartsWith(result.layers[layer].family, family);
  });
}

// What rounds the value next stays in float, too: it would lose the same
// channels.
Cure KeepWithReaders(const ComparisonResult& result, size_t index) {
  const std::vector<size_t> readers = ReadersOf(result, index);
  std::vector<size_t> kept = {index};
  absl::c_copy(readers, std::back_inserter(kept));
  for (const size_t reader : readers) {
    if (result.layers[reader].weights.empty()) {
      // An activation hands the channels on.
      absl::c_copy(ReadersOf(result, reader), std::back_inserter(kept));
    }
  }
  return {readers.empty() ? "keep it in float"
                          : "keep it and what reads it in float",
          Keep(result, kept)};
}

Cure CureOfOutliers(const ComparisonResult& result, size_t index) {
  const std::vector<size_t> readers = ReadersOf(result, index);
  const std::string& family = result.layers[index].family;
  if ((family == "layer_norm" || family == "linear") &&
      AreAll(result, readers, "linear")) {
    return {
        "move the large channels into the weights of the layers that read "
        "them",
        Quantize(result, " --smooth")};
  }
  if (absl::StartsWith(family, "conv") && AreAll(result, readers, "conv")) {
    return {"move factors between layers, so that their channels are alike",
            Quantize(result, " --equalize")};
  }
  return KeepWithReaders(result, index);
}

// Where the weight is another one, no rounding of it helps.
Cure CureOfWeight(const ComparisonResult& result,
                  const LayerComparison& layer) {
  return LowestWeightDb(layer).value_or(0) < kOtherWeightDb
             ? Cure{"it is another weight: quantize the float model again",
                    Quantize(result)}
             : Cure{
                   "round the weight as its outputs need it, with a scale for "
                   "each channel",
                   Quantize(result, " --adaround=1000")};
}

}  // namespace

std::optional<Cure> CureOf(const ComparisonResult& result,
                           const Verdict& verdict) {
  if (verdict.cause == ErrorCause::kReducedRange) {
    return Cure{"give 8 bits to each activation whose sums cannot saturate",
                Quantize(result)};
  }
  if (verdict.cause == ErrorCause::kAxisOrder) {
    return Cure{"quantize the float model again, which keeps its axes",
                Quantize(result)};
  }
  if (verdict.cause == ErrorCause::kRescaled) {
    return Cure{"compare with what ns quantize --out-float writes", ""};
  }
  if (verdict.cause == ErrorCause::kTrainingMode) {
    return Cure{"call model.eval() before torch.jit.save", ""};
  }
  if (!verdict.layer) {
    return std::nullopt;
  }
  const LayerComparison& layer = result.layers[*verdict.layer];
  switch (verdict.cause) {
    case ErrorCause::kNonFinite:
    case ErrorCause::kRounding:
      return Cure{"keep it in float", Keep(result, {*verdict.layer})};
    case ErrorCause::kBias:
    case ErrorCause::kSwapped:
      return Cure{"quantize the float model again", Quantize(result)};
    case ErrorCause::kWeight:
      return CureOfWeight(result, layer);
    case ErrorCause::kClipping:
    case ErrorCause::kRange:
      if (verdict.cause == ErrorCause::kRange && HasRangeOfInput(layer)) {
        return Cure{"its range is that of its input: keep it in float",
                    Keep(result, {*verdict.layer})};
      }
      if (layer.qparams && IsFixedScale(*layer.qparams)) {
        return Cure{"its range is fixed: keep it in float",
                    Keep(result, {*verdict.layer})};
      }
      return Cure{"choose its range again, on these batches", Quantize(result)};
    case ErrorCause::kKernel:
      return Cure{
          "replace the kernels",
          absl::StrCat("ns lower --in=", ShellWord(result.quantized_path),
                       " --out=lowered.pt",
                       Flag("method", result.load.method, "forward"),
                       Flag("engine", result.load.engine))};
    case ErrorCause::kSaturation:
      return Cure{"leave sums room, with 7 bits where they need it",
                  Quantize(result, " --target=fbgemm-avx2")};
    case ErrorCause::kNeverCalibrated:
      return Cure{"calibrate it on these batches", Quantize(result)};
    case ErrorCause::kUnbalancedInputs:
      return Cure{"keep the concatenation in float, as ns quantize does",
                  Quantize(result)};
    case ErrorCause::kOutlierChannel:
      return CureOfOutliers(result, *verdict.layer);
    case ErrorCause::kCoarseSquares:
      return Cure{"keep the product in float, as ns quantize does",
                  Quantize(result)};
    case ErrorCause::kDeadChannels:
      return KeepWithReaders(result, *verdict.layer);
    case ErrorCause::kSharedScale:
      return Cure{"give each place a scale of its own, as ns quantize does",
                  Quantize(result)};
    case ErrorCause::kSharedWeight:
      return Cure{"give each call a weight of its own, as ns quantize does",
                  Quantize(result)};
    case ErrorCause::kInputMismatch:
      return Cure{
          "normalize the inputs as for calibration; if these are right, run ns "
          "quantize on them",
          ""};
    case ErrorCause::kRecurrentState:
      return IsDynamic(result)
                 ? Cure{"keep it in float", Keep(result, {*verdict.layer})}
                 : Cure{"leave the state in float, and quantize weights alone",
                        Quantize(result, " --mode=dynamic")};
    case ErrorCause::kUnpaired:
      return Cure{"compare with the float model that was quantized", ""};
    case ErrorCause::kUnexplained:
      return Cure{
          "see what the layer does by itself",
          absl::StrCat("ns repro --float=", ShellWord(result.float_path),
                       " --quantized=", ShellWord(result.quantized_path),
                       " --inputs=", InputsWord(result.input_paths),
                       " --layer=", ShellWord(layer.name), " --out=repro",
                       LoadFlags(result.load, "engine"))};
    case ErrorCause::kAxisOrder:
    case ErrorCause::kNone:
    case ErrorCause::kReducedRange:
    case ErrorCause::kRescaled:
    case ErrorCause::kTrainingMode:
      break;
  }
  return std::nullopt;
}

std::optional<Cure> CureOfDataShift(const ComparisonResult& result) {
  constexpr double kLeastLossDb = 3;
  const std::vector<DataShift> shifts = DataShifts(result);
  if (shifts.empty() || SecondDataLossDb(result) < kLeastLossDb) {
    return std::nullopt;
  }
  const std::vector<std::string>& second = result.second_data->input_paths;
  if (absl::c_none_of(shifts,
                      [](const DataShift& shift) { return shift.IsWider(); })) {
    return Cure{"calibrate on the second data set, whose values are smaller",
                QuantizeOn(result, second)};
  }
  std::vector<std::string> both = result.input_paths;
  absl::c_copy(second, std::back_inserter(both));
  return Cure{"calibrate on both data sets", QuantizeOn(result, both)};
}

}  // namespace ns
