// Makes sure that the sums of kernels of lanes stay in registers: what works on
// them is inlined, and loops over them are unrolled. Sanitizers turn this off,
// as they add so much to each access to memory that compilers would take
// minutes.
#ifndef PASSES_KERNELS_DEPTHWISE_LANE_INLINE_H_
#define PASSES_KERNELS_DEPTHWISE_LANE_INLINE_H_

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define NS_LANE_SANITIZED
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define NS_LANE_SANITIZED
#endif

#ifdef NS_LANE_SANITIZED
#define NS_LANE_INLINE inline
#define NS_LANE_UNROLL
#else
#define NS_LANE_INLINE [[gnu::always_inline]] inline
#ifdef __clang__
#define NS_LANE_UNROLL _Pragma("unroll")
#else
#define NS_LANE_UNROLL _Pragma("GCC unroll 64")
#endif
#endif

#endif  // PASSES_KERNELS_DEPTHWISE_LANE_INLINE_H_
