// Takes arrays apart into blocks of V::kBytes elements, which are one vector of
// bytes or four of 32 bits, and the rest.
//
// `V` is a class of vectors: Avx2 of avx2.h, Avx512 of avx512.h, or a class
// that is derived from one of them, as in avx_vnni.h and avx512_vnni.h. Include
// that header, too, in a source of an isa_library (tools/bazel/isa_library.bzl)
// of this instruction set. `V` is in an unnamed namespace, and so local to the
// source; what becomes of these templates is then local as well.
#ifndef PASSES_KERNELS_SIMD_BLOCKS_H_
#define PASSES_KERNELS_SIMD_BLOCKS_H_

#include <cstdint>

namespace ns::kernels {

// The elements of a block. A quarter of it is a vector of 32 bits.
template <typename V>
class WholeBlock {
 public:
  // Whether some element of a quarter is there.
  static constexpr bool Has(int /*quarter*/) { return true; }
  typename V::Floats Load(const float* from, int quarter) const {
    return V::Load(from + quarter * V::kFloats);
  }
  typename V::Ints Load(const int32_t* from, int quarter) const {
    return V::Load(from + quarter * V::kFloats);
  }
  typename V::Ints WidenBytes(const uint8_t* from, int quarter) const {
    return V::WidenBytes(from + quarter * V::kFloats);
  }
  template <typename Byte>
  typename V::Floats LoadSteps(const Byte* from, int quarter,
                               typename V::Floats zero_point) const {
    return V::LoadSteps(from + quarter * V::kFloats, zero_point);
  }
  template <typename Byte>
  typename V::Ints LoadBytes(const Byte* from) const {
    return V::Load(from);
  }
  // `a` with zeros for elements that are not there.
  typename V::Floats Keep(typename V::Floats a, int /*quarter*/) const {
    return a;
  }
  void Store(float* to, int quarter, typename V::Floats a) const {
    V::Store(to + quarter * V::kFloats, a);
  }
  template <typename Byte>
  void StoreBytes(Byte* to, typename V::Ints a) const {
    V::Store(to, a);
  }
};

// The first `count` elements of a block. The others are read as 0 and not
// written.
template <typename V>
class PartOfBlock {
 public:
  explicit PartOfBlock(int64_t count) : count_(count) {}

  bool Has(int quarter) const { return quarter * V::kFloats < count_; }
  typename V::Floats Load(const float* from, int quarter) const {
    const int64_t skipped = Skipped(quarter);
    return V::Load(from + skipped, V::First(count_ - skipped));
  }
  typename V::Ints Load(const int32_t* from, int quarter) const {
    const int64_t skipped = Skipped(quarter);
    return V::Load(from + skipped, V::First(count_ - skipped));
  }
  typename V::Ints WidenBytes(const uint8_t* from, int quarter) const {
    const int64_t skipped = Skipped(quarter);
    return V::WidenBytes(from + skipped, count_ - skipped);
  }
  template <typename Byte>
  typename V::Floats LoadSteps(const Byte* from, int quarter,
                               typename V::Floats zero_point) const {
    const int64_t skipped = Skipped(quarter);
    return V::LoadSteps(from + skipped, count_ - skipped, zero_point);
  }
  template <typename Byte>
  typename V::Ints LoadBytes(const Byte* from) const {
    return V::LoadBytes(from, count_);
  }
  typename V::Floats Keep(typename V::Floats a, int quarter) const {
    return V::Keep(V::First(count_ - Skipped(quarter)), a);
  }
  void Store(float* to, int quarter, typename V::Floats a) const {
    const int64_t skipped = Skipped(quarter);
    V::Store(to + skipped, V::First(count_ - skipped), a);
  }
  template <typename Byte>
  void StoreBytes(Byte* to, typename V::Ints a) const {
    V::StoreBytes(to, count_, a);
  }

 private:
  // Not past the end: no such pointer may be made.
  int64_t Skipped(int quarter) const {
    const int64_t before = quarter * V::kFloats;
    return before < count_ ? before : count_;
  }

  int64_t count_;
};

// Calls step(begin, block) for each block of the elements [0, count), in order,
// and for the rest, if there is one. `begin` is the index of the first element;
// `block` is a WholeBlock<V>, or a PartOfBlock<V> for the rest, and so `step`
// is a generic lambda: it takes `const auto& block`.
template <typename V, typename Step>
void ForBlocks(int64_t count, const Step& step) {
  int64_t i = 0;
  for (; i + V::kBytes <= count; i += V::kBytes) {
    step(i, WholeBlock<V>());
  }
  if (i < count) {
    step(i, PartOfBlock<V>(count - i));
  }
}

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_SIMD_BLOCKS_H_
