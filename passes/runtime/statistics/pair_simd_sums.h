// Implements the loops of the vector kernels over all elements.
//
// A template over a class `V` of an instruction set: see pair_kernels_simd.h.
#ifndef PASSES_RUNTIME_STATISTICS_PAIR_SIMD_SUMS_H_
#define PASSES_RUNTIME_STATISTICS_PAIR_SIMD_SUMS_H_

#include <cstdint>

#include "passes/runtime/statistics/pair_kernels.h"
#include "passes/runtime/statistics/pair_simd_observers.h"
#include "passes/runtime/statistics/pair_simd_values.h"

namespace ns {

// Splits [0, count) into blocks and calls `run(first, end)` for each. A block
// is short enough to be summed accurately in float: a lane of a sum takes 16
// additions, or 32 where V::kSums is half of kUnroll.
template <typename V, typename Run>
inline void ForBlocks(int64_t count, const Run& run) {
  constexpr int64_t kBlock = 16 * kStep<V>;
  for (int64_t first = 0; first < count; first += kBlock) {
    run(first, count - first < kBlock ? count : first + kBlock);
  }
}

// Returns the sums of x[i]^2 and of (x[i] - y[i])^2 over `count` elements, at
// most kPairPiece. `y` is a FloatLoader or a CodeLoader (pair_simd_values.h).
template <typename V, typename Y>
inline PairErrors SumErrors(const float* x, const Y& y, int64_t count) {
  BlockedSum<V, kUnroll> x2;
  BlockedSum<V, kUnroll> e2;
  ForBlocks<V>(count, [&](int64_t i, int64_t end) {
    for (; i + kStep<V> <= end; i += kStep<V>) {
      PrefetchFloats<V>(x + i + kAhead);
      y.Prefetch(i + kAhead);
      for (int part = 0; part < kUnroll; ++part) {
        const int64_t at = i + part * V::kLanes;
        const typename V::Floats value = V::Load(x + at);
        x2.AddSquare(value, part);
        e2.AddSquare(V::Subtract(value, y.Load(at)), part);
      }
    }
    for (; i < end; i += V::kLanes) {
      const typename V::Lanes some = V::FirstLanes(end - i);
      const typename V::Floats value = V::Load(x + i, some);
      x2.AddSquare(value, 0);
      e2.AddSquare(V::Subtract(value, y.Load(i, some)), 0);
    }
    x2.EndBlock();
    e2.EndBlock();
  });
  return {x2.Total(), e2.Total()};
}

// Returns all fields of PairBlock for `count` elements, 1 to kPairPiece.
// `observer` finds the range of y (pair_simd_observers.h): a FloatObserver
// where `y` is a FloatLoader, a CodeObserver or UseObserver where it is a
// CodeLoader.
template <typename V, typename Y, typename Observer>
inline PairBlock Accumulate(const float* x, const Y& y, Observer observer,
                            int64_t count) {
  using Floats = typename V::Floats;
  BlockedSum<V, V::kSums> x2;
  BlockedSum<V, V::kSums> y2;
  BlockedSum<V, V::kSums> e2;
  BlockedSum<V, V::kSums> e;
  FloatRange<V> range_x(x[0]);
  Floats max_error = V::Set(0.0F);
  const auto add = [&](Floats a, Floats b, int part) {
    const Floats error = V::Subtract(a, b);
    x2.AddSquare(a, part);
    e2.AddSquare(error, part);
    e.Add(error, part);
    y2.AddSquare(b, part);
    max_error = V::LargerMagnitude(max_error, error);
  };
  ForBlocks<V>(count, [&](int64_t i, int64_t end) {
    observer.AddSteps(i, end);
    for (; i + kStep<V> <= end; i += kStep<V>) {
      PrefetchFloats<V>(x + i + kAhead);
      y.Prefetch(i + kAhead);
      for (int part = 0; part < kUnroll; ++part) {
        const int64_t at = i + part * V::kLanes;
        const Floats a = V::Load(x + at);
        const Floats b = y.Load(at);
        add(a, b, part);
        range_x.Add(a);
        observer.Add(b);
      }
    }
    if (i < end) {
      observer.AddRest(i, end - i);
    }
    for (; i < end; i += V::kLanes) {
      const typename V::Lanes some = V::FirstLanes(end - i);
      const Floats a = V::Load(x + i, some);
      const Floats b = y.Load(i, some);
      add(a, b, 0);
      range_x.Add(a, some);
      observer.Add(b, some);
    }
    x2.EndBlock();
    y2.EndBlock();
    e2.EndBlock();
    e.EndBlock();
  });
  // Braces call no constructor. The linker could keep this file's copy of one
  // for the whole program, and not every processor runs it.
  PairBlock block = {};
  block.x2 = x2.Total();
  block.y2 = y2.Total();
  block.e2 = e2.Total();
  block.e = e.Total();
  block.max_abs_error =
      Reduce<V>(max_error, [](float a, float b) { return a > b ? a : b; });
  range_x.Finish(block.min_x, block.max_x);
  observer.Finish(block);
  return block;
}

}  // namespace ns

#endif  // PASSES_RUNTIME_STATISTICS_PAIR_SIMD_SUMS_H_
