#include "passes/quantization/convert/attention_weights.h"

#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "ir/base/refusal.h"
#include "ir/base/status.h"
#include "ir/graph/node_view.h"
#include "passes/ops/op_table.h"
#include "passes/quantization/convert/seen_histogram.h"
#include "passes/quantization/layers/int8_form.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

constexpr double kLeastDb = 35;

bool IsOfFamily(absl::string_view op, absl::string_view family) {
  const OpRow* row = FindOp(op);
  return row != nullptr && row->family == family;
}

// Returns the node that computes `value`, before ops that only move values.
const Node& SourceOf(const Value& value) {
  const Value* from = &value;
  while (IsObserverCall(*from->node()) || MovesValues(*from->node())) {
    from = from->node()->input(IsObserverCall(*from->node()) ? 1 : 0);
  }
  return *from->node();
}

// Also of a softmax that is written out as exponentials divided by their sum.
bool ComesFromSoftmax(const Value& value) {
  const Node& source = SourceOf(value);
  const absl::string_view op = OpName(source);
  return IsOfFamily(op, "softmax") ||
         (IsOfFamily(op, "div") &&
          IsOfFamily(OpName(SourceOf(*source.input(0))), "exp"));
}

// What rounding to multiples of `scale` leaves of the values that are not zero,
// in dB; nothing where there are none.
std::optional<double> RoundedDb(const SeenHistogram& seen, double scale) {
  double squares = 0;
  double count = -seen.zeros;
  for (size_t i = 0; i < seen.counts.size(); ++i) {
    const double lowest = seen.least + seen.width * static_cast<double>(i);
    const double middle = lowest + seen.width / 2;
    const bool has_zero = lowest <= 0 && lowest + seen.width > 0;
    squares += (seen.counts[i] - (has_zero ? seen.zeros : 0)) * middle * middle;
    count += seen.counts[i];
  }
  return count > 0 && squares > 0
             ? std::optional(10 *
                             std::log10(squares / (count * scale * scale / 12)))
             : std::nullopt;
}

}  // namespace

AttentionWeights::AttentionWeights(const std::vector<Node*>& calls,
                                   const std::vector<PreparedLayer>& layers,
                                   Find find)
    : find_(std::move(find)) {
  std::set<std::string> attributes;
  for (const Node* call : calls) {
    if (ComesFromSoftmax(*call->input(1))) {
      attributes.insert(call->input(0)->node()->s(c10::attr::name));
    }
  }
  for (const PreparedLayer& layer : layers) {
    if (IsOfFamily(layer.op, "matmul")) {
      std::copy_if(layer.inputs.begin(), layer.inputs.end(),
                   std::inserter(numbers_, numbers_.end()),
                   [&](int64_t number) {
                     return attributes.count(ObserverAttribute(number)) != 0;
                   });
    }
  }
}

absl::Status AttentionWeights::Check(const PreparedLayer& layer) const {
  std::vector<int64_t> values = layer.inputs;
  values.push_back(layer.output);
  for (const int64_t number : values) {
    const CalibratedValue* seen =
        numbers_.count(number) != 0 && layer.weight.empty() ? find_(number)
                                                            : nullptr;
    if (seen == nullptr || !seen->status.ok() ||
        seen->observer->config().compat) {
      continue;
    }
    const std::optional<double> db =
        RoundedDb(SeenHistogramOf(*seen->observer), seen->qparams.scale);
    if (db && *db < kLeastDb) {
      return Refusal(
          absl::StrFormat("the attention weights would have %.1f dB at steps "
                          "of %.2g, which the "
                          "largest of them need",
                          *db, seen->qparams.scale));
    }
  }
  return absl::OkStatus();
}

}  // namespace ns
