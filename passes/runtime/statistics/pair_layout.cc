#include "passes/runtime/statistics/pair_layout.h"

#include <ATen/ATen.h>
#include <emmintrin.h>
#include <xmmintrin.h>

#include <algorithm>
#include <cstdint>
#include <optional>

namespace ns {
namespace {

// Transposes squares of elements `T` in which a row fills 16 bytes.
template <typename T>
struct Tile;

template <>
struct Tile<uint8_t> {
  static constexpr int kSize = 16;

  static void Transpose(const uint8_t* from, int64_t from_stride, uint8_t* to,
                        int64_t to_stride) {
    __m128i rows[kSize];
    for (int i = 0; i < kSize; ++i) {
      rows[i] = _mm_loadu_si128(
          reinterpret_cast<const __m128i*>(from + i * from_stride));
    }
    // After four of eight turns, rows and columns have changed places.
    __m128i turned[kSize];
    Turn(rows, turned);
    Turn(turned, rows);
    Turn(rows, turned);
    Turn(turned, rows);
    for (int i = 0; i < kSize; ++i) {
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i * to_stride), rows[i]);
    }
  }

 private:
  // Rotates the bits of the positions of bytes in the tile: the highest becomes
  // the lowest.
  static void Turn(const __m128i (&from)[kSize], __m128i (&to)[kSize]) {
    for (int i = 0; i < kSize / 2; ++i) {
      to[2 * i] = _mm_unpacklo_epi8(from[i], from[i + kSize / 2]);
      to[2 * i + 1] = _mm_unpackhi_epi8(from[i], from[i + kSize / 2]);
    }
  }
};

template <>
struct Tile<float> {
  static constexpr int kSize = 4;

  static void Transpose(const float* from, int64_t from_stride, float* to,
                        int64_t to_stride) {
    __m128 rows[kSize];
    for (int i = 0; i < kSize; ++i) {
      rows[i] = _mm_loadu_ps(from + i * from_stride);
    }
    _MM_TRANSPOSE4_PS(rows[0], rows[1], rows[2], rows[3]);
    for (int i = 0; i < kSize; ++i) {
      _mm_storeu_ps(to + i * to_stride, rows[i]);
    }
  }
};

// Sets to[column][row] = from[row][column] for some rows and columns.
template <typename T>
void TransposeRest(const T* from, int64_t rows, int64_t columns, T* to,
                   int64_t first_row, int64_t end_row, int64_t first_column) {
  for (int64_t column = first_column; column < columns; ++column) {
    for (int64_t row = first_row; row < end_row; ++row) {
      to[column * rows + row] = from[row * columns + column];
    }
  }
}

// Transposes all rows and columns. It writes whole cache lines: rows of `to`
// may be so far apart that few of their lines fit in the cache together.
template <typename T>
void Transpose(const T* from, int64_t rows, int64_t columns, T* to) {
  constexpr int64_t kTile = Tile<T>::kSize;
  constexpr int64_t kLine = 64 / sizeof(T);
  constexpr int64_t kAhead = 2 * kLine;
  int64_t row = 0;
  for (; row + kLine <= rows; row += kLine) {
    int64_t column = 0;
    for (; column + kTile <= columns; column += kTile) {
      T lines[kTile][kLine];
      for (int64_t i = 0; i < kLine; i += kTile) {
        Tile<T>::Transpose(from + (row + i) * columns + column, columns,
                           &lines[0][i], kLine);
      }
      for (int64_t i = 0; i < kTile; ++i) {
        T* line = to + (column + i) * rows + row;
        std::copy_n(lines[i], kLine, line);
        __builtin_prefetch(line + kAhead, 1);
      }
    }
    TransposeRest(from, rows, columns, to, row, row + kLine, column);
  }
  TransposeRest(from, rows, columns, to, row, rows, 0);
}

// Returns the channels-last layout that `tensor` has; none when it has no such
// one.
std::optional<at::MemoryFormat> ChannelsLastOf(const at::Tensor& tensor) {
  for (const auto format :
       {at::MemoryFormat::ChannelsLast, at::MemoryFormat::ChannelsLast3d}) {
    if (tensor.is_contiguous(format)) {
      return format;
    }
  }
  return std::nullopt;
}

// Copies `tensor` into `format`. LibTorch's copies are several times slower.
template <typename T>
at::Tensor Transposed(const at::Tensor& tensor, at::MemoryFormat format) {
  at::Tensor copy =
      at::empty(tensor.sizes(), tensor.options().memory_format(format));
  const int64_t channels = tensor.size(1);
  // Not the stride, which may be any number where there is one image.
  const int64_t image = tensor.numel() / tensor.size(0);
  const bool is_last = format == at::MemoryFormat::Contiguous;
  const int64_t rows = is_last ? image / channels : channels;
  for (int64_t i = 0; i < tensor.size(0); ++i) {
    Transpose(tensor.data_ptr<T>() + i * image, rows, image / rows,
              copy.data_ptr<T>() + i * image);
  }
  return copy;
}

// Returns `tensor`, which is contiguous or has its channels last, in the other
// of these two layouts.
at::Tensor WithOtherLayout(const at::Tensor& tensor, at::MemoryFormat format) {
  switch (tensor.numel() == 0 ? at::kLong : tensor.scalar_type()) {
    case at::kFloat:
      return Transposed<float>(tensor, format);
    case at::kByte:
      return Transposed<uint8_t>(tensor, format);
    default:
      return tensor.contiguous(format);
  }
}

}  // namespace

bool HaveSameLayout(const at::Tensor& x, const at::Tensor& y) {
  for (const auto format :
       {at::MemoryFormat::Contiguous, at::MemoryFormat::ChannelsLast,
        at::MemoryFormat::ChannelsLast3d}) {
    if (x.is_contiguous(format) && y.is_contiguous(format)) {
      return true;
    }
  }
  return x.is_non_overlapping_and_dense() && x.strides() == y.strides();
}

void BringToSameLayout(at::Tensor& x, at::Tensor& y) {
  if (HaveSameLayout(x, y)) {
    return;
  }
  const auto x_last = ChannelsLastOf(x);
  const auto y_last = ChannelsLastOf(y);
  if ((x_last && y.is_contiguous()) || (y_last && x.is_contiguous())) {
    at::Tensor& copied = y.element_size() <= x.element_size() ? y : x;
    const auto format = &copied == &y ? x_last : y_last;
    copied =
        WithOtherLayout(copied, format.value_or(at::MemoryFormat::Contiguous));
    return;
  }
  const at::MemoryFormat format =
      x_last ? *x_last : y_last.value_or(at::MemoryFormat::Contiguous);
  x = x.contiguous(format);
  y = y.contiguous(format);
}

}  // namespace ns
