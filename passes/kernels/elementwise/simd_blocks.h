// How the loops of simd_kernels.h take arrays apart: into blocks of V::kBlock
// elements, which are four vectors of 32 bits or one of codes, and the rest.
#ifndef PASSES_KERNELS_ELEMENTWISE_SIMD_BLOCKS_H_
#define PASSES_KERNELS_ELEMENTWISE_SIMD_BLOCKS_H_

#include <cstdint>

namespace ns::kernels {

// The elements of a block.
template <typename V>
class WholeBlock {
 public:
  template <typename T>
  auto Load(const T* from, int quarter) const {
    return V::Load(from + quarter * V::kLanes);
  }
  template <typename Code>
  typename V::Floats LoadSteps(const Code* from, int quarter,
                               typename V::Floats zero) const {
    return V::LoadSteps(from + quarter * V::kLanes, zero);
  }
  template <typename Code>
  auto LoadBytes(const Code* from) const {
    return V::LoadBytes(from);
  }
  void Store(float* to, int quarter, typename V::Floats a) const {
    V::Store(to + quarter * V::kLanes, a);
  }
  template <typename Code>
  void StoreBytes(Code* to, typename V::Bytes a) const {
    V::StoreBytes(to, a);
  }
};

// The first `count` of a block. The others are read as 0 and not written.
template <typename V>
class PartOfBlock {
 public:
  explicit PartOfBlock(int64_t count) : count_(count) {}

  template <typename T>
  auto Load(const T* from, int quarter) const {
    const int64_t skipped = Skipped(quarter);
    return V::Load(from + skipped, count_ - skipped);
  }
  template <typename Code>
  typename V::Floats LoadSteps(const Code* from, int quarter,
                               typename V::Floats zero) const {
    const int64_t skipped = Skipped(quarter);
    return V::LoadSteps(from + skipped, count_ - skipped, zero);
  }
  template <typename Code>
  auto LoadBytes(const Code* from) const {
    return V::LoadBytes(from, count_);
  }
  void Store(float* to, int quarter, typename V::Floats a) const {
    const int64_t skipped = Skipped(quarter);
    V::Store(to + skipped, count_ - skipped, a);
  }
  template <typename Code>
  void StoreBytes(Code* to, typename V::Bytes a) const {
    V::StoreBytes(to, count_, a);
  }

 private:
  // Not past the end: no such pointer may be made.
  int64_t Skipped(int quarter) const {
    const int64_t before = quarter * V::kLanes;
    return before < count_ ? before : count_;
  }

  int64_t count_;
};

// Calls step(begin, block) for each block of `count` elements, and the rest.
template <typename V, typename Step>
void ForBlocks(int64_t count, const Step& step) {
  int64_t i = 0;
  for (; i + V::kBlock <= count; i += V::kBlock) {
    step(i, WholeBlock<V>());
  }
  if (i < count) {
    step(i, PartOfBlock<V>(count - i));
  }
}

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_ELEMENTWISE_SIMD_BLOCKS_H_
