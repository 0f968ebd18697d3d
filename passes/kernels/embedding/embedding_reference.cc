#include <cmath>
#include <cstring>

#include "passes/kernels/embedding/embedding.h"
#include "passes/kernels/embedding/half.h"

namespace ns::kernels {
namespace {

float ValueAt(const EmbeddingTable& table, const uint8_t* row, int64_t column) {
  if (table.bits == 8) {
    return row[column];
  }
  const uint8_t two = row[column / 2];
  return static_cast<float>(column % 2 == 0 ? two & 15 : two >> 4);
}

template <typename Index>
std::optional<EmbeddingError> FirstError(const EmbeddingTable& table,
                                         const EmbeddingBags<Index>& bags) {
  Index last = 0;
  for (int64_t i = 0; i < bags.offset_count; ++i) {
    if (bags.offsets[i] < last || bags.offsets[i] > bags.index_count) {
      return EmbeddingError{EmbeddingError::Kind::kOffset, i};
    }
    last = bags.offsets[i];
  }
  const int64_t begin = bags.offset_count > 0 ? bags.offsets[0] : 0;
  const int64_t end = bags.include_last_offset ? last : bags.index_count;
  for (int64_t i = begin; i < end && bags.offset_count > 0; ++i) {
    if (bags.indices[i] < 0 || bags.indices[i] >= table.rows) {
      return EmbeddingError{EmbeddingError::Kind::kIndex, i};
    }
  }
  return std::nullopt;
}

}  // namespace

template <typename Index>
std::optional<EmbeddingError> EmbeddingBagReference(
    const EmbeddingTable& table, const EmbeddingBags<Index>& bags, float* out) {
  if (const auto error = FirstError(table, bags)) {
    return error;
  }
  const int64_t row_bytes = EmbeddingRowBytes(table.bits, table.columns);
  for (int64_t bag = 0; bag < BagCount(bags); ++bag, out += table.columns) {
    for (int64_t column = 0; column < table.columns; ++column) {
      out[column] = 0;
    }
    const int64_t end =
        bag + 1 < bags.offset_count ? bags.offsets[bag + 1] : bags.index_count;
    for (int64_t i = bags.offsets[bag]; i < end; ++i) {
      const uint8_t* row = table.data + bags.indices[i] * row_bytes;
      float scale = 0;
      float bias = 0;
      if (table.bits == 8) {
        std::memcpy(&scale, row + table.columns, sizeof(scale));
        std::memcpy(&bias, row + table.columns + 4, sizeof(bias));
      } else {
        scale = HalfToFloat(row + row_bytes - 4);
        bias = HalfToFloat(row + row_bytes - 2);
      }
      const float weight = bags.weights == nullptr ? 1.0f : bags.weights[i];
      const float weighted_scale = weight * scale;
      const float weighted_bias = weight * bias;
      for (int64_t column = 0; column < table.columns; ++column) {
        out[column] = std::fma(weighted_scale, ValueAt(table, row, column),
                               out[column] + weighted_bias);
      }
    }
  }
  return std::nullopt;
}

template std::optional<EmbeddingError> EmbeddingBagReference(
    const EmbeddingTable&, const EmbeddingBags<int32_t>&, float*);
template std::optional<EmbeddingError> EmbeddingBagReference(
    const EmbeddingTable&, const EmbeddingBags<int64_t>&, float*);

}  // namespace ns::kernels
