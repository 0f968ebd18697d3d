// How kernels of lanes read inputs and write outputs, once for all instruction
// sets.
//
// Each function is a template over a class `V` of an instruction set, which
// holds its vectors and what they can do: lane_vectors_avx2.h and
// lane_vectors_avx512.h. `V` is local to the file that includes this, and so is
// what is made of these templates: files are compiled with different flags, and
// none may take the code of another. So there is nothing but templates here.
//
// Vectors that have less than four lanes work on a block in parts.
#ifndef PASSES_LOWERING_KERNELS_DEPTHWISE_LANE_SIMD_H_
#define PASSES_LOWERING_KERNELS_DEPTHWISE_LANE_SIMD_H_

#include <cstdint>
#include <cstring>

#include "passes/lowering/kernels/depthwise/lane_strip.h"

namespace ns::kernels {

// Where the channels of a block are.
enum class LaneLayout {
  kContiguous,  // side by side
  kLanes,       // 16 of each lane
  kPartial,     // fewer
};

// Inputs of the column at byte `at`, of rows[lane].
template <typename V, LaneLayout kLayout>
typename V::Ints LoadLanes(const LaneStrip& strip, const LaneRow* rows,
                           int part, int64_t at) {
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

// Codes of a column of outputs.
template <typename V>
void StoreCodes(const LaneStrip& strip, const LaneRow* rows, int part,
                int64_t column, typename V::Ints codes) {
  const int64_t at = column * strip.output_pixel;
  if (strip.contiguous) {
    V::Store(rows[0].base + (at & rows[0].mask) + part * V::kBytes, codes);
    return;
  }
  uint8_t* to[V::kLanes];
  for (int i = 0; i < V::kLanes; ++i) {
    const LaneRow& row = rows[part * V::kLanes + i];
    to[i] = row.base + (at & row.mask);
  }
  if (strip.lane_channels == 16) {
    V::StoreLanes(to, codes);
  } else {
    V::StoreLanes(to, strip.lane_channels, codes);
  }
}

// One chunk of a column of outputs of four bytes each.
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

// Those of [first, last) that are of the input; others are padding: those
// before `begin`, and those from `end` on.
template <typename V>
ColumnRange ColumnsInside(const LaneStrip& strip, int64_t first,
                          int64_t last) {
  ColumnRange inside = {first > 0 ? first : 0,
                        last < strip.input_width ? last : strip.input_width};
  inside.begin = inside.begin < last ? inside.begin : last;
  inside.end = inside.end > inside.begin ? inside.end : inside.begin;
  return inside;
}

// The bytes of a, b, c and d side by side, in the order of chunks.
template <typename V>
void InterleaveFour(typename V::Ints a, typename V::Ints b, typename V::Ints c,
                    typename V::Ints d, typename V::Ints (&chunks)[4]) {
  const typename V::Ints low_ab = V::UnpackLowBytes(a, b);
  const typename V::Ints high_ab = V::UnpackHighBytes(a, b);
  const typename V::Ints low_cd = V::UnpackLowBytes(c, d);
  const typename V::Ints high_cd = V::UnpackHighBytes(c, d);
  chunks[0] = V::UnpackLowShorts(low_ab, low_cd);
  chunks[1] = V::UnpackHighShorts(low_ab, low_cd);
  chunks[2] = V::UnpackLowShorts(high_ab, high_cd);
  chunks[3] = V::UnpackHighShorts(high_ab, high_cd);
}

// What OutputPlan says, in the order of WriteOutput. `sums` are of the four
// chunks, with `start` added.
template <typename V>
class LaneOutput {
 public:
  using Ints = typename V::Ints;
  using Floats = typename V::Floats;

  LaneOutput(const LaneStrip& strip, int part)
      : strip_(strip), part_(part), factor_(V::SetFloats(strip.addend_factor)) {
    // Codes with a sign are those without, moved by 128.
    const int shift = strip.type == OutputType::kS8 ? 128 : 0;
    sign_ = V::SetBytes(static_cast<char>(shift));
    zero_point_ =
        V::SetShorts(static_cast<int16_t>(strip.output_zero_point + shift));
    if (IsCode()) {
      min_ = V::SetBytes(static_cast<char>(strip.min + shift));
      max_ = V::SetBytes(static_cast<char>(strip.max + shift));
    }
  }

  Ints Start(int chunk) const {
    return V::Load(strip_.start + chunk * 16 + part_ * V::kBytes / 4);
  }

  // sum - row_sum * zero point of the weights
  Ints Correct(int chunk, Ints sum, Ints row_sum) const {
    const Ints zero_points = V::Load(strip_.weight_zero_points + chunk * 16 +
                                     part_ * V::kBytes / 4);
    return V::SubtractInts(sum, V::MultiplyInts(row_sum, zero_points));
  }

  void Write(int row, int64_t column, const Ints (&sums)[4]) const {
    const LaneRow* rows = strip_.output + row * 4;
    if (!IsCode()) {
      WriteWords(rows, column, sums);
      return;
    }
    const Ints low = V::AddShorts(
        V::PackInts(Rounded(0, sums[0]), Rounded(1, sums[1])), zero_point_);
    const Ints high = V::AddShorts(
        V::PackInts(Rounded(2, sums[2]), Rounded(3, sums[3])), zero_point_);
    const Ints codes =
        V::MinBytes(V::MaxBytes(V::PackShorts(low, high), min_), max_);
    StoreCodes<V>(strip_, rows, part_, column, V::Xor(codes, sign_));
  }

 private:
  bool IsCode() const {
    return strip_.type == OutputType::kU8 || strip_.type == OutputType::kS8;
  }
  Floats Load(const float* values, int chunk) const {
    return V::LoadFloats(values + chunk * 16 + part_ * V::kBytes / 4);
  }

  Ints Rounded(int chunk, Ints sum) const {
    const Floats x =
        V::MultiplyAdd(Load(strip_.addend, chunk), factor_, V::ToFloats(sum));
    return V::Round(V::Multiply(x, Load(strip_.multiplier, chunk)));
  }

  // kF32 and kS32. Of two numbers, or none, Min and Max return the second one
  // when they are not ordered, as when they are equal.
  [[gnu::noinline]] void WriteWords(const LaneRow* rows, int64_t column,
                                    const Ints (&sums)[4]) const {
    for (int chunk = 0; chunk < 4; ++chunk) {
      Ints words = sums[chunk];
      if (strip_.type == OutputType::kF32) {
        const Floats value =
            V::MultiplyAdd(V::ToFloats(words), Load(strip_.multiplier, chunk),
                           Load(strip_.addend, chunk));
        words = V::Bits(V::MinFloats(
            V::SetFloats(strip_.max),
            V::MaxFloats(V::SetFloats(strip_.min), value)));
      }
      StoreWords<V>(strip_, rows, part_, column, chunk, words);
    }
  }

  const LaneStrip& strip_;
  const int part_;
  const Floats factor_;
  Ints sign_;
  Ints zero_point_;
  Ints min_;
  Ints max_;
};

}  // namespace ns::kernels

#endif  // PASSES_LOWERING_KERNELS_DEPTHWISE_LANE_SIMD_H_
