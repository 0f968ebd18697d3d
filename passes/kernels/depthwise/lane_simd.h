// Reads inputs and writes outputs for kernels of lanes, once for all
// instruction sets.
//
// Each function is a template over a class `V` of an instruction set, which
// holds its vectors and what they can do (passes/kernels/simd). `V` is local to
// the file that includes this, and so is what is made of these templates: files
// are compiled with different flags, and none may take the code of another. So
// there is nothing but templates here.
//
// A vector that has less than four lanes works on a block in parts.
#ifndef PASSES_KERNELS_DEPTHWISE_LANE_SIMD_H_
#define PASSES_KERNELS_DEPTHWISE_LANE_SIMD_H_

#include <cstdint>
#include <cstring>

#include "passes/kernels/depthwise/lane_inline.h"
#include "passes/kernels/depthwise/lane_strip.h"
#include "passes/kernels/simd/requantize.h"

namespace ns::kernels {

// Says where the channels of a block are.
enum class LaneLayout {
  kContiguous,  // side by side
  kLanes,       // 16 of each lane
  kPartial,     // fewer
};

// Loads the inputs of the column at byte `at`, of rows[lane].
template <typename V, LaneLayout kLayout>
NS_LANE_INLINE typename V::Ints LoadLanes(const LaneStrip& strip,
                                          const LaneRow* rows, int part,
                                          int64_t at) {
  if (kLayout == LaneLayout::kContiguous) {
    return V::Load(rows[0].base + (at & rows[0].mask) + part * V::kBytes);
  }
  const uint8_t* from[V::kLanes];
  for (int i = 0; i < V::kLanes; ++i) {
    const LaneRow& row = rows[part * V::kLanes + i];
    from[i] = row.base + (at & row.mask);
  }
  return kLayout == LaneLayout::kLanes
             ? V::LoadLanes(from)
             : V::LoadLanes(from, strip.lane_channels);
}

// Stores one chunk of a column of outputs of four bytes each.
template <typename V>
void StoreWords(const LaneStrip& strip, const LaneRow* rows, int part,
                int64_t column, int chunk, typename V::Ints words) {
  const int64_t at = column * strip.output_pixel;
  alignas(64) uint8_t bytes[V::kBytes];
  V::Store(bytes, words);
  const int left = (strip.lane_channels - chunk * 4) * 4;
  for (int i = 0; i < V::kLanes && left > 0; ++i) {
    const int lane = part * V::kLanes + i;
    const LaneRow& row = rows[strip.contiguous ? 0 : lane];
    const int64_t in_pixel = chunk * 16 + (strip.contiguous ? lane * 64 : 0);
    memcpy(row.base + ((at + in_pixel) & row.mask), bytes + i * 16,
           left < 16 ? left : 16);
  }
}

// Columns [begin, end) of inputs.
struct ColumnRange {
  int64_t begin;
  int64_t end;
};

// The columns of [first, last) that are inside the input. Others are padding:
// those before `begin`, and those from `end` on.
template <typename V>
ColumnRange ColumnsInside(const LaneStrip& strip, int64_t first, int64_t last) {
  ColumnRange inside = {first > 0 ? first : 0,
                        last < strip.input_width ? last : strip.input_width};
  inside.begin = inside.begin < last ? inside.begin : last;
  inside.end = inside.end > inside.begin ? inside.end : inside.begin;
  return inside;
}

// The bytes of a, b, c and d side by side, in the order of chunks.
template <typename V>
NS_LANE_INLINE void InterleaveFour(typename V::Ints a, typename V::Ints b,
                                   typename V::Ints c, typename V::Ints d,
                                   typename V::Ints (&chunks)[4]) {
  const typename V::Ints low_ab = V::UnpackLowBytes(a, b);
  const typename V::Ints high_ab = V::UnpackHighBytes(a, b);
  const typename V::Ints low_cd = V::UnpackLowBytes(c, d);
  const typename V::Ints high_cd = V::UnpackHighBytes(c, d);
  chunks[0] = V::UnpackLowShorts(low_ab, low_cd);
  chunks[1] = V::UnpackHighShorts(low_ab, low_cd);
  chunks[2] = V::UnpackLowShorts(high_ab, high_cd);
  chunks[3] = V::UnpackHighShorts(high_ab, high_cd);
}

// Turns sums of the four chunks, with `start` added, into outputs as OutputPlan
// says. It copies what it needs: stores of bytes may change anything else, as
// compilers see it.
template <typename V>
class LaneOutput {
 public:
  using Ints = typename V::Ints;
  using Floats = typename V::Floats;

  NS_LANE_INLINE LaneOutput(const LaneStrip& strip, int part)
      : strip_(strip),
        part_(part),
        is_quantized_(strip.type == OutputType::kU8 ||
                      strip.type == OutputType::kS8),
        contiguous_(strip.contiguous),
        lane_channels_(strip.lane_channels),
        pixel_(strip.output_pixel),
        rows_(strip.output),
        start_(strip.start + part * V::kBytes / 4),
        addend_(strip.addend + part * V::kBytes / 4),
        multiplier_(strip.multiplier + part * V::kBytes / 4),
        factor_(V::SetFloats(strip.addend_factor)),
        bytes_(strip.bytes) {}

  Ints Start(int chunk) const { return V::Load(start_ + chunk * 16); }

  // sum - row_sum * zero point of the weights
  Ints Correct(int chunk, Ints sum, Ints row_sum) const {
    const Ints zero_points =
        V::Load(strip_.weight_zero_points + chunk * 16 + part_ * V::kBytes / 4);
    return V::Subtract(sum, V::Multiply(row_sum, zero_points));
  }

  // Writes outputs of any type, in any layout.
  NS_LANE_INLINE void Write(int row, int64_t column,
                            const Ints (&sums)[4]) const {
    if (!is_quantized_) {
      WriteWords(strip_, part_, row, column, 0, sums[0]);
      WriteWords(strip_, part_, row, column, 1, sums[1]);
      WriteWords(strip_, part_, row, column, 2, sums[2]);
      WriteWords(strip_, part_, row, column, 3, sums[3]);
      return;
    }
    const Ints quantized = Bytes(sums);
    const LaneRow* rows = rows_ + row * 4;
    const int64_t at = column * pixel_;
    if (contiguous_) {
      Store<LaneLayout::kContiguous>(rows, at, quantized);
    } else if (lane_channels_ == 16) {
      Store<LaneLayout::kLanes>(rows, at, quantized);
    } else {
      Store<LaneLayout::kPartial>(rows, at, quantized);
    }
  }

  // Writes outputs of kU8 or kS8.
  template <LaneLayout kLayout>
  NS_LANE_INLINE void WriteBytes(int row, int64_t column,
                                 const Ints (&sums)[4]) const {
    Store<kLayout>(rows_ + row * 4, column * pixel_, Bytes(sums));
  }

 private:
  NS_LANE_INLINE Ints Rounded(int chunk, Ints sum) const {
    return RoundSums<V>(sum, V::Load(addend_ + chunk * 16), factor_,
                        V::Load(multiplier_ + chunk * 16));
  }

  NS_LANE_INLINE Ints Bytes(const Ints (&sums)[4]) const {
    return bytes_.Clamp(
        bytes_.Saturate(V::PackInts(Rounded(0, sums[0]), Rounded(1, sums[1])),
                        V::PackInts(Rounded(2, sums[2]), Rounded(3, sums[3]))));
  }

  template <LaneLayout kLayout>
  NS_LANE_INLINE void Store(const LaneRow* rows, int64_t at,
                            Ints quantized) const {
    if (kLayout == LaneLayout::kContiguous) {
      V::Store(rows[0].base + (at & rows[0].mask) + part_ * V::kBytes,
               quantized);
      return;
    }
    uint8_t* to[V::kLanes];
    for (int i = 0; i < V::kLanes; ++i) {
      const LaneRow& row = rows[part_ * V::kLanes + i];
      to[i] = row.base + (at & row.mask);
    }
    if (kLayout == LaneLayout::kLanes) {
      V::StoreLanes(to, quantized);
    } else {
      V::StoreLanes(to, lane_channels_, quantized);
    }
  }

  // One chunk of kF32 and kS32. Static: a pointer to this would keep it out
  // of registers.
  [[gnu::noinline]] static void WriteWords(const LaneStrip& strip, int part,
                                           int row, int64_t column, int chunk,
                                           Ints sum) {
    if (strip.type == OutputType::kF32) {
      const int first = chunk * 16 + part * V::kBytes / 4;
      sum = V::Bits(DequantizeSums<V>(
          sum, V::Load(strip.addend + first), V::Load(strip.multiplier + first),
          V::SetFloats(strip.min), V::SetFloats(strip.max)));
    }
    StoreWords<V>(strip, strip.output + row * 4, part, column, chunk, sum);
  }

  const LaneStrip& strip_;
  const int part_;
  const bool is_quantized_;
  const bool contiguous_;
  const int lane_channels_;
  const int64_t pixel_;
  const LaneRow* const rows_;
  const int32_t* const start_;
  const float* const addend_;
  const float* const multiplier_;
  const Floats factor_;
  const RequantizedBytes<V> bytes_;
};

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_DEPTHWISE_LANE_SIMD_H_
