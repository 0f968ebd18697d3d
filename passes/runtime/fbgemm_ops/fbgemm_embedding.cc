#include "passes/runtime/fbgemm_ops/fbgemm_embedding.h"

#include <ATen/Functions.h>
#include <c10/util/Half.h>

#include <cstring>
#include <optional>
#include <utility>

#include "passes/runtime/fbgemm_ops/quantized_data.h"
#include "passes/runtime/fbgemm_ops/torch_parallel.h"

namespace ns {
namespace {

constexpr char kLayer[] = "FbgemmEmbedding";

int BitsOf(const at::Tensor& weight) {
  return weight.scalar_type() == at::kQUInt4x2 ? 4 : 8;
}

void CheckWeight(const at::Tensor& weight) {
  TORCH_CHECK(weight.defined() && weight.is_quantized() && weight.dim() == 2 &&
                  (weight.scalar_type() == at::kQUInt8 ||
                   weight.scalar_type() == at::kQUInt4x2) &&
                  weight.qscheme() == at::kPerChannelAffineFloatQParams &&
                  weight.q_per_channel_axis() == 0,
              kLayer,
              ": the weight must be a quint8 or quint4x2 matrix with a float "
              "scale and zero point for each row");
}

// The quantized values of a row, `bits` each; tensors pack them without regard
// to rows.
void CopyValues(const uint8_t* quantized, int bits, int64_t row,
                int64_t columns, uint8_t* out) {
  if (bits == 8) {
    std::memcpy(out, quantized + row * columns, columns);
    return;
  }
  for (int64_t column = 0; column < columns; ++column) {
    const int64_t place = row * columns + column;
    const int value = quantized[place / 2] >> (place % 2 * 4) & 15;
    out[column / 2] |= static_cast<uint8_t>(value << (column % 2 * 4));
  }
}

template <typename Number>
void Append(float scale, float bias, uint8_t* end_of_values) {
  const Number numbers[] = {static_cast<Number>(scale),
                            static_cast<Number>(bias)};
  std::memcpy(end_of_values, numbers, sizeof(numbers));
}

// fbgemm's fused rows.
std::vector<uint8_t> FusedRows(const at::Tensor& weight) {
  CheckWeight(weight);
  const int bits = BitsOf(weight);
  const int64_t columns = weight.size(1);
  const int64_t row_bytes = kernels::EmbeddingRowBytes(bits, columns);
  const int64_t value_bytes = (columns * bits + 7) / 8;
  const at::Tensor dense = weight.contiguous();
  const at::Tensor scales =
      weight.q_per_channel_scales().to(at::kFloat).contiguous();
  const at::Tensor zero_points =
      weight.q_per_channel_zero_points().to(at::kFloat).contiguous();
  std::vector<uint8_t> rows(weight.size(0) * row_bytes);
  for (int64_t row = 0; row < weight.size(0); ++row) {
    uint8_t* out = rows.data() + row * row_bytes;
    CopyValues(static_cast<const uint8_t*>(dense.data_ptr()), bits, row,
               columns, out);
    const float scale = scales.data_ptr<float>()[row];
    const float bias = zero_points.data_ptr<float>()[row] * scale * -1;
    if (bits == 8) {
      Append<float>(scale, bias, out + value_bytes);
    } else {
      Append<c10::Half>(scale, bias, out + value_bytes);
    }
  }
  return rows;
}

int64_t At(const at::Tensor& values, int64_t position) {
  return values.flatten().select(0, position).item<int64_t>();
}

// `error` is about `indices` or `offsets`, as the kernel got them.
void Check(const std::optional<kernels::EmbeddingError>& error,
           const kernels::EmbeddingTable& table, const at::Tensor& indices,
           const at::Tensor& offsets) {
  if (!error) {
    return;
  }
  const int64_t position = error->position;
  if (error->kind == kernels::EmbeddingError::Kind::kIndex) {
    TORCH_CHECK(false, kLayer, ": index ", At(indices, position),
                " at position ", position, " is no row of the table of ",
                table.rows, " rows");
  }
  TORCH_CHECK(false, kLayer, ": offset ", At(offsets, position),
              " at position ", position, " is out of order or beyond the ",
              indices.numel(), " indices");
}

void CheckIndices(const at::Tensor& indices) {
  TORCH_CHECK(
      indices.scalar_type() == at::kLong || indices.scalar_type() == at::kInt,
      kLayer, ": indices must be int32 or int64, and are ",
      indices.scalar_type());
}

// Dense indices and offsets, whatever shape they came in.
EmbeddingBagInput Flattened(const EmbeddingBagInput& input) {
  EmbeddingBagInput flat = input;
  CheckIndices(input.indices);
  const bool is_matrix = input.indices.dim() == 2;
  TORCH_CHECK(is_matrix ? !input.offsets.defined()
                        : input.indices.dim() == 1 && input.offsets.defined() &&
                              input.offsets.dim() == 1,
              kLayer,
              ": takes a matrix of indices, or a vector of them with offsets");
  flat.indices = input.indices.contiguous().flatten();
  if (is_matrix) {
    flat.offsets =
        at::mul(at::arange(input.indices.size(0),
                           at::TensorOptions(flat.indices.scalar_type())),
                input.indices.size(1));
  } else {
    TORCH_CHECK(input.offsets.scalar_type() == at::kLong ||
                    input.offsets.scalar_type() == at::kInt,
                kLayer, ": offsets must be int32 or int64, and are ",
                input.offsets.scalar_type());
    // Kernels take both in one dtype. The wider one keeps offsets as they are.
    const at::ScalarType dtype = c10::promoteTypes(input.indices.scalar_type(),
                                                   input.offsets.scalar_type());
    flat.indices = flat.indices.to(dtype);
    flat.offsets = input.offsets.to(dtype).contiguous();
  }
  if (input.weights.defined()) {
    TORCH_CHECK(input.weights.scalar_type() == at::kFloat &&
                    input.weights.numel() == flat.indices.numel(),
                kLayer, ": needs one float weight for each index");
    flat.weights = input.weights.contiguous();
  }
  return flat;
}

template <typename Index>
at::Tensor SumBags(const kernels::EmbeddingTable& table,
                   const EmbeddingBagInput& input) {
  kernels::EmbeddingBags<Index> bags;
  bags.indices = input.indices.data_ptr<Index>();
  bags.index_count = input.indices.numel();
  bags.offsets = input.offsets.data_ptr<Index>();
  bags.offset_count = input.offsets.numel();
  bags.include_last_offset = input.include_last_offset;
  bags.weights =
      input.weights.defined() ? input.weights.data_ptr<float>() : nullptr;
  at::Tensor out =
      at::empty({kernels::BagCount(bags), table.columns}, at::kFloat);
  Check(
      kernels::EmbeddingBag(table, bags, out.data_ptr<float>(), TorchParallel),
      table, input.indices, input.offsets);
  return out;
}

}  // namespace

FbgemmEmbedding::FbgemmEmbedding(at::Tensor weight)
    : weight_(std::move(weight)), rows_(FusedRows(weight_)) {}

kernels::EmbeddingTable FbgemmEmbedding::Table() const {
  return {rows_.data(), weight_.size(0), weight_.size(1), BitsOf(weight_)};
}

at::Tensor FbgemmEmbedding::Embedding(const at::Tensor& indices) const {
  CheckIndices(indices);
  const at::Tensor dense = indices.contiguous();
  std::vector<int64_t> sizes = indices.sizes().vec();
  sizes.push_back(weight_.size(1));
  at::Tensor out = at::empty(sizes, at::kFloat);
  float* values = out.data_ptr<float>();
  Check(indices.scalar_type() == at::kLong
            ? kernels::Embedding(Table(), dense.data_ptr<int64_t>(),
                                 dense.numel(), values, TorchParallel)
            : kernels::Embedding(Table(), dense.data_ptr<int32_t>(),
                                 dense.numel(), values, TorchParallel),
        Table(), dense, /*offsets=*/at::Tensor());
  return out;
}

at::Tensor FbgemmEmbedding::Bag(const EmbeddingBagInput& input) const {
  const EmbeddingBagInput flat = Flattened(input);
  return flat.indices.scalar_type() == at::kLong
             ? SumBags<int64_t>(Table(), flat)
             : SumBags<int32_t>(Table(), flat);
}

}  // namespace ns
