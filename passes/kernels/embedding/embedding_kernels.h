// The innermost of embedding bags: consecutive bags of one table.
#ifndef PASSES_KERNELS_EMBEDDING_EMBEDDING_KERNELS_H_
#define PASSES_KERNELS_EMBEDDING_EMBEDDING_KERNELS_H_

#include <cstdint>

namespace ns::kernels {

// `count` bags, with positions in one array of indices: bag i is those from
// begins[i] up to begins[i + 1], the last up to `end`. Without begins, bag i is
// the index at position `begin` + i alone.
template <typename Index>
struct BagRange {
  const uint8_t* rows;
  int64_t row_count;
  int64_t row_bytes;
  int64_t columns;
  const Index* indices;
  const float* weights;  // for each position, or null
  const Index* begins;
  int64_t begin;
  int64_t end;
  int64_t count;
  float* out;
};

// Each gives the position of the first index outside the table, where it stops,
// or -1.
int64_t SumByteBagsAvx2(const BagRange<int32_t>& bags);
int64_t SumByteBagsAvx2(const BagRange<int64_t>& bags);
int64_t SumNibbleBagsAvx2(const BagRange<int32_t>& bags);
int64_t SumNibbleBagsAvx2(const BagRange<int64_t>& bags);
int64_t SumByteBagsAvx512(const BagRange<int32_t>& bags);
int64_t SumByteBagsAvx512(const BagRange<int64_t>& bags);
int64_t SumNibbleBagsAvx512(const BagRange<int32_t>& bags);
int64_t SumNibbleBagsAvx512(const BagRange<int64_t>& bags);

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_EMBEDDING_EMBEDDING_KERNELS_H_
