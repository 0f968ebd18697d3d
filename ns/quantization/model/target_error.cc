#include "ns/quantization/model/target_error.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "ir/base/status.h"
#include "ns/batches/batch.h"
#include "ns/batches/run_batches.h"
#include "ns/quantization/model/copy_for_target.h"
#include "ns/result/comparison_result.h"
#include "ns/suite/pooled_comparison.h"

namespace ns {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

absl::StatusOr<NamedTensors> OutputsFor(absl::string_view name,
                                        ModelGraph& model, const Batch& batch,
                                        int64_t index) {
  NS_ASSIGN_OR_RETURN(const c10::IValue outputs,
                      RunBatch(name, model, batch, index));
  return FloatOutputs(outputs);
}

int64_t BytesOf(const NamedTensors& tensors) {
  int64_t bytes = 0;
  for (const auto& [place, tensor] : tensors) {
    bytes += tensor.numel() * static_cast<int64_t>(tensor.element_size());
  }
  return bytes;
}

// Whether an output of the float model has values, all of which are finite.
bool SaysSomething(const at::Tensor& x) {
  return x.numel() > 0 && at::isfinite(x).all().item<bool>();
}

// The errors of outputs, by their places.
class PooledOutputs {
 public:
  void AddBatch(const NamedTensors& of_float,
                const NamedTensors& of_quantized) {
    for (const auto& [place, x, y] : PairByPlace(of_float, of_quantized)) {
      if (x.defined() && y.defined() && SaysSomething(x)) {
        pooled_.emplace(place, place).first->second.AddBatch({x}, {y});
      }
    }
  }

  // An output that cannot be compared, or has nan, is worse than any other.
  double WorstDb() const {
    double worst = kInfinity;
    for (const auto& [place, comparison] : pooled_) {
      const std::optional<ActivationComparison> figures = comparison.Result();
      const bool is_known = figures && !std::isnan(figures->error.sqnr_db);
      worst = std::min(worst, is_known ? figures->error.sqnr_db : -kInfinity);
    }
    return worst;
  }

 private:
  std::map<std::string, PooledComparison> pooled_;
};

}  // namespace

absl::StatusOr<double> TargetError::WorstDb(const ModelGraph& quantized,
                                            const QuantizeOptions& options) {
  NS_ASSIGN_OR_RETURN(ModelGraph copy, CopyForTarget(quantized, options));
  std::optional<ModelGraph> float_copy;
  const bool is_known = !kept_.empty();
  if (!is_known) {
    // It may keep state in its attributes.
    NS_ASSIGN_OR_RETURN(float_copy, float_model_->Clone());
  }
  std::vector<NamedTensors> kept;
  int64_t bytes = 0;
  PooledOutputs pooled;
  for (size_t i = 0; i < batches_->size(); ++i) {
    const auto index = static_cast<int64_t>(i);
    const Batch& batch = (*batches_)[i];
    NamedTensors of_float;
    if (is_known) {
      of_float = kept_[i];
    } else {
      NS_ASSIGN_OR_RETURN(of_float,
                          OutputsFor("float", *float_copy, batch, index));
      bytes += BytesOf(of_float);
      if (bytes <= most_bytes_) {
        kept.push_back(CopiesOf(of_float));
      } else {
        kept.clear();
      }
    }
    NS_ASSIGN_OR_RETURN(const NamedTensors of_quantized,
                        OutputsFor("quantized", copy, batch, index));
    pooled.AddBatch(of_float, of_quantized);
  }
  if (kept.size() == batches_->size()) {
    kept_ = std::move(kept);
  }
  return pooled.WorstDb();
}

}  // namespace ns
