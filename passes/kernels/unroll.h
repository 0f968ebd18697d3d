// Unrolls loops whose number of iterations is a constant, for clang and GCC,
// which ignores clang's pragmas.
//
//   NS_UNROLL
//   for (int r = 0; r < kRows; ++r) {
//     sums[r] = start;
//   }
//
// An array that such a loop indexes stays in registers.
#ifndef PASSES_KERNELS_UNROLL_H_
#define PASSES_KERNELS_UNROLL_H_

// NS_UNROLL repeats the body of the loop below it, and leaves no loop. GCC
// wants a number, which has to be at least the number of iterations.
// NS_NO_UNROLL keeps the loop below it as it is.
#ifdef __clang__
#define NS_UNROLL _Pragma("clang loop unroll(full)")
#define NS_NO_UNROLL _Pragma("clang loop unroll(disable)")
#else
#define NS_UNROLL _Pragma("GCC unroll 64")
#define NS_NO_UNROLL _Pragma("GCC unroll 1")
#endif

#endif  // PASSES_KERNELS_UNROLL_H_
