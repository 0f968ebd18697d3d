#include "passes/runtime/fbgemm_ops/repeated_operand.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "passes/runtime/fbgemm_ops/quantized_data.h"

namespace ns {
namespace {

// The dimensions of `x`, which is as Dense gives it, the outermost one in
// memory first.
std::vector<int64_t> MemoryOrder(const at::Tensor& x) {
  std::vector<int64_t> order(x.dim());
  std::iota(order.begin(), order.end(), 0);
  if (x.suggest_memory_format() != at::MemoryFormat::Contiguous) {
    std::rotate(order.begin() + 1, order.begin() + 2, order.end());
  }
  return order;
}

// Fills `rows` with copies of `row`.
void Repeat(const uint8_t* row, int64_t columns, std::vector<uint8_t>& rows) {
  if (columns == 1) {
    std::fill(rows.begin(), rows.end(), *row);
    return;
  }
  for (size_t i = 0; i < rows.size(); i += columns) {
    std::memcpy(rows.data() + i, row, columns);
  }
}

}  // namespace

std::optional<RepeatedOperand> Repeated(const at::Tensor& x,
                                        const at::Tensor& whole) {
  const int64_t missing = whole.dim() - x.dim();
  if (missing < 0) {
    return std::nullopt;
  }
  std::vector<int64_t> sizes(missing, 1);
  sizes.insert(sizes.end(), x.sizes().begin(), x.sizes().end());
  RepeatedOperand operand;
  const std::vector<int64_t> order = MemoryOrder(whole);
  for (const int64_t dimension : order) {
    const int64_t size = whole.size(dimension);
    const bool is_repeated = sizes[dimension] != size;
    if (is_repeated && operand.columns == 1) {
      operand.repeats *= size;
    } else if (is_repeated) {
      return std::nullopt;
    } else if (operand.repeats == 1) {
      operand.blocks *= size;
    } else {
      operand.columns *= size;
    }
  }
  operand.values = x.reshape(sizes).permute(order).contiguous();
  return operand;
}

void ForRepeated(
    const RepeatedOperand& operand, kernels::Parallel parallel,
    absl::FunctionRef<void(int64_t begin, int64_t count, const uint8_t* values)>
        piece) {
  // Pieces of some kilobytes: longer than it takes to begin one.
  constexpr int64_t kPiece = 4096;
  constexpr int64_t kGrain = 1 << 15;
  const int64_t columns = operand.columns;
  const int64_t repeats = operand.repeats;
  if (operand.values.numel() == 0 || repeats == 0) {
    return;
  }
  const int64_t rows =
      std::min(std::max<int64_t>(kPiece / columns, 1), repeats);
  const int64_t pieces = (repeats + rows - 1) / rows;
  const uint8_t* const data = QuantizedDataOf(operand.values);
  parallel(operand.blocks * pieces, 1 + kGrain / (rows * columns),
           [&](int64_t begin, int64_t end) {
             std::vector<uint8_t> repeated(rows * columns);
             for (int64_t i = begin; i < end; ++i) {
               const int64_t block = i / pieces;
               const int64_t first = i % pieces * rows;
               if (i == begin || first == 0) {
                 Repeat(data + block * columns, columns, repeated);
               }
               piece((block * repeats + first) * columns,
                     std::min(rows, repeats - first) * columns,
                     repeated.data());
             }
           });
}

}  // namespace ns
