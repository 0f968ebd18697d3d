// Which op of ours takes the place of which quantized one, or why none does.
#ifndef PASSES_LOWERING_LOWERING_TABLE_H_
#define PASSES_LOWERING_LOWERING_TABLE_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "passes/lowering/lowering_forms.h"

namespace ns {

struct LoweringRow {
  // Qualified name, "quantized::conv2d_relu". In-place forms have no row.
  absl::string_view op;
  // "ns::fbgemm_conv2d_relu"; empty when nothing of ours takes its place.
  absl::string_view lowered_op;
  // How the arguments are taken over; null when nothing takes its place.
  LoweringForm form = nullptr;
  // Why nothing does.
  absl::string_view reason = "";
};

// All rows, sorted by op.
absl::Span<const LoweringRow> LoweringTable();

// The row, one with a form, of `op` or, for an in-place op, of its out-of-place
// form. Error: a refusal (ir/refusal.h) where nothing takes its place.
absl::StatusOr<LoweringRow> FindLowering(absl::string_view op);

}  // namespace ns

#endif  // PASSES_LOWERING_LOWERING_TABLE_H_
