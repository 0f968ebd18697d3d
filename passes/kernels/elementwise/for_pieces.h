// Shares the elements of an elementwise kernel among threads.
#ifndef PASSES_KERNELS_ELEMENTWISE_FOR_PIECES_H_
#define PASSES_KERNELS_ELEMENTWISE_FOR_PIECES_H_

#include <algorithm>
#include <cstdint>

#include "passes/kernels/parallel.h"

namespace ns::kernels {

// Calls piece(begin, count) for pieces that together are [0, count). They begin
// at multiples of 4096 elements, and are worth another thread from 32768 on.
template <typename Piece>
void ForPieces(int64_t count, Parallel parallel, const Piece& piece) {
  constexpr int64_t kPiece = 4096;
  constexpr int64_t kGrain = 8;
  if (count <= kPiece * kGrain) {
    if (count > 0) {
      piece(0, count);
    }
    return;
  }
  parallel((count + kPiece - 1) / kPiece, kGrain,
           [&](int64_t begin, int64_t end) {
             const int64_t first = begin * kPiece;
             piece(first, std::min(end * kPiece, count) - first);
           });
}

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_ELEMENTWISE_FOR_PIECES_H_
