#include "ns/quantization/model/find_unbalanced_parts.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "ir/base/status.h"
#include "llvm/ADT/MapVector.h"
#include "ns/batches/batch.h"
#include "ns/quantization/model/calibrator.h"
#include "passes/ops/op_table.h"
#include "passes/quantization/convert/calibrated_value.h"
#include "passes/quantization/layers/float_subgraphs.h"
#include "passes/quantization/layers/int8_operands.h"
#include "passes/quantization/observe/prepared_model.h"
#include "passes/quantization/observe/strip_observers.h"
#include "passes/rewrite/tap_value.h"
#include "passes/runtime/observers/observer.h"
#include "passes/runtime/observers/values/exact_histogram.h"
#include "passes/runtime/observers/values/qparams.h"
#include "passes/runtime/observers/values/squared_error.h"

namespace ns {
namespace {

using ::torch::jit::Value;

constexpr int64_t kMostBatches = 8;
// See the header.
constexpr double kLostRatio = 16;
constexpr double kLostDb = 20;
constexpr double kOwnRangeRatio = 4;

// The values of one input of a concatenation.
struct Part {
  ExactHistogram histogram;
  double count = 0;
  double sum = 0;
  double squares = 0;

  void Add(const at::Tensor& x) {
    if (!x.is_floating_point() || x.is_sparse() || x.numel() == 0) {
      return;
    }
    at::Tensor values = FloatsOf(x);
    if (!values.isfinite().all().item<bool>()) {
      values = values.masked_select(values.isfinite());
    }
    histogram.Add(values.data_ptr<float>(), values.numel());
    const at::Tensor doubles = values.to(at::kDouble);
    count += static_cast<double>(values.numel());
    sum += doubles.sum().item<double>();
    squares += doubles.square().sum().item<double>();
  }

  const Interval& range() const { return histogram.range().finite; }

  // How far the values vary around their mean, or around zero if they are all
  // equal, against the error of quantizing them with `qparams`.
  double SqnrDb(const QParams& qparams, const QuantGrid& grid) const {
    const double error = SquaredError(histogram).Of(qparams, grid) *
                         histogram.width() * histogram.width();
    const bool is_constant = range().min == range().max;
    const double variation =
        is_constant ? squares : std::max(squares - sum * sum / count, 0.0);
    return error > 0 ? 10 * std::log10(variation / error)
                     : std::numeric_limits<double>::infinity();
  }
};

// A concatenation or stack that is to run in int8.
struct Concatenation {
  std::string name;
  // Whether LibTorch's op takes inputs whose scales differ.
  bool requantizes = false;
  // The scale of its output.
  double scale = 0;
  QuantGrid grid;
  // In the order of the inputs.
  std::vector<Part> parts;
};

bool Concatenates(absl::string_view op) {
  const OpRow* row = FindOp(op);
  return row != nullptr && (row->family == "cat" || row->family == "stack");
}

std::vector<Concatenation> ConcatenationsOf(const ModelGraph& prepared,
                                            const PreparedModel& record) {
  std::vector<Concatenation> found;
  for (const PreparedLayer& layer : record.layers) {
    if (!Concatenates(layer.op)) {
      continue;
    }
    const ObserverPtr observer =
        AttachedObserver(prepared.module(), ObserverAttribute(layer.output));
    if (observer == nullptr || observer->config().compat) {
      continue;
    }
    const CalibratedValue output = AskObserver(observer);
    if (output.status.ok()) {
      Concatenation& concatenation = found.emplace_back();
      concatenation.name = layer.name;
      concatenation.requantizes = FindOp(layer.op)->family == "cat";
      concatenation.scale = output.qparams.scale;
      concatenation.grid = GridOf(observer->config());
    }
  }
  return found;
}

// Lets `model`, which has no observers, show the inputs of `concatenations` to
// their parts.
absl::Status TapParts(ModelGraph& model,
                      std::vector<Concatenation>& concatenations) {
  // In the order of the graph.
  llvm::MapVector<Value*, std::vector<Part*>> parts;
  for (const FloatSubgraph& subgraph :
       FindFloatSubgraphs(model.graph(), {}, FusingOps::kLibTorch)) {
    const auto found = std::find_if(
        concatenations.begin(), concatenations.end(),
        [&](const Concatenation& c) { return c.name == subgraph.name; });
    const auto operands = Int8OperandsOf(subgraph.subgraph);
    if (found == concatenations.end() || !operands) {
      continue;
    }
    found->parts.resize(operands->size());
    for (size_t i = 0; i < operands->size(); ++i) {
      parts[(*operands)[i].value].push_back(&found->parts[i]);
    }
  }
  for (const auto& [value, of_value] : parts) {
    NS_RETURN_IF_ERROR(
        TapValue(model, *value, [shown = of_value](const at::Tensor& x) {
          for (Part* part : shown) {
            part->Add(x);
          }
          return x;
        }));
  }
  return absl::OkStatus();
}

// Why an input of `concatenation` would be lost; nothing if none is.
std::optional<std::string> LostPart(const Concatenation& concatenation) {
  Interval all;
  for (const Part& part : concatenation.parts) {
    if (part.count > 0) {
      all = {std::min(all.min, part.range().min),
             std::max(all.max, part.range().max)};
    }
  }
  if (all.IsEmpty()) {
    return std::nullopt;
  }
  const QParams common = ChooseQParams(all.min, all.max, concatenation.grid);
  for (size_t i = 0; i < concatenation.parts.size(); ++i) {
    const Part& part = concatenation.parts[i];
    if (part.count == 0) {
      continue;
    }
    const QParams own =
        ChooseQParams(part.range().min, part.range().max, concatenation.grid);
    const double db = part.SqnrDb(common, concatenation.grid);
    if (common.scale >= kLostRatio * own.scale && db < kLostDb) {
      return absl::StrFormat(
          "the range of all its inputs needs steps of %.3g, at which input %d "
          "of %d, with values from %.3g to %.3g, would have %.1f dB",
          common.scale, i + 1, concatenation.parts.size(), part.range().min,
          part.range().max, std::max(db, -99.9));
    }
  }
  return std::nullopt;
}

bool NeedsOwnRanges(const Concatenation& concatenation) {
  return concatenation.requantizes &&
         std::any_of(
             concatenation.parts.begin(), concatenation.parts.end(),
             [&](const Part& part) {
               return part.count > 0 && part.range().min < part.range().max &&
                      concatenation.scale >=
                          kOwnRangeRatio * ChooseQParams(part.range().min,
                                                         part.range().max,
                                                         concatenation.grid)
                                               .scale;
             });
}

}  // namespace

absl::StatusOr<UnbalancedParts> FindUnbalancedParts(
    const ModelGraph& prepared, const BatchReader& batches) {
  NS_ASSIGN_OR_RETURN(const PreparedModel record,
                      AttachedPreparedModel(prepared.module()));
  std::vector<Concatenation> concatenations =
      ConcatenationsOf(prepared, record);
  if (concatenations.empty() || batches.size() == 0) {
    return UnbalancedParts();
  }
  NS_ASSIGN_OR_RETURN(ModelGraph model, prepared.Clone());
  NS_RETURN_IF_ERROR(StripObservers(model).status());
  NS_RETURN_IF_ERROR(TapParts(model, concatenations));
  NS_ASSIGN_OR_RETURN(Calibrator runner, Calibrator::Create(model));
  const int64_t first = std::max<int64_t>(0, batches.size() - kMostBatches);
  for (int64_t i = first; i < batches.size(); ++i) {
    NS_ASSIGN_OR_RETURN(const Batch batch, batches.Read(i));
    NS_RETURN_IF_ERROR(runner.Run(batch, i));
  }
  UnbalancedParts unbalanced;
  for (const Concatenation& concatenation : concatenations) {
    if (const auto reason = LostPart(concatenation)) {
      unbalanced.lost[concatenation.name] = *reason;
    } else if (NeedsOwnRanges(concatenation)) {
      unbalanced.own_ranges.insert(concatenation.name);
    }
  }
  return unbalanced;
}

}  // namespace ns
