// Adds up doubles without rounding.
#ifndef PASSES_RUNTIME_STATISTICS_EXACT_SUM_H_
#define PASSES_RUNTIME_STATISTICS_EXACT_SUM_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ir/base/byte_stream.h"

namespace ns {

// The sum of any number of doubles, as an integer multiple of 2^-1074, the
// smallest positive double. It is rounded only when it is read. So the order of
// additions does not matter, and neither does how they are split: sums of
// parts, merged, have the bits of the sum of the whole.
//
// Adding takes a few nanoseconds. Memory grows with the spread of the values:
// about 100 bytes for a sum of values of one sign and similar magnitude, 600 at
// most.
class ExactSum {
 public:
  void Add(double value);
  void Merge(const ExactSum& other);

  // Returns the sum rounded to the nearest double, ties to even; +0 for a sum
  // of 0. As in IEEE arithmetic, a sum with inf is inf, one with nan, or with
  // inf and -inf, is nan. Finite values beyond the largest double sum up to inf
  // or -inf only if the whole sum does: intermediate sums cannot overflow.
  double Value() const;

  // Equal sums of equal values save the same bytes. Load fails the reader for
  // bytes that Save cannot have written.
  void Save(ByteWriter& writer) const;
  static ExactSum Load(ByteReader& reader);

 private:
  // An integer of any size: limbs of 64 bits, the lowest first. The first one
  // counts 2^(64 lowest) units.
  struct Magnitude {
    size_t lowest = 0;
    std::vector<uint64_t> limbs;

    // Adds mantissa * 2^bit.
    void Add(uint64_t mantissa, size_t bit);
    void Add(const Magnitude& other);
    // Adds 1 to the limb at `index`, and carries.
    void Carry(size_t index);
    // Makes room for the limbs from `first` to before `end`.
    void Cover(size_t first, size_t end);
    // Returns the limb that counts 2^(64 place) units.
    uint64_t At(size_t place) const;
    size_t end() const { return lowest + limbs.size(); }

    void Save(ByteWriter& writer) const;
    void Load(ByteReader& reader);
  };

  static double Rounded(const Magnitude& magnitude);
  // Returns x - y, where it is not negative, and sets `is_negative` otherwise.
  static Magnitude Difference(const Magnitude& x, const Magnitude& y,
                              bool& is_negative);

  // The sums of positive and of negative values, both without a sign.
  Magnitude positive_;
  Magnitude negative_;
  bool has_nan_ = false;
  bool has_inf_ = false;
  bool has_negative_inf_ = false;
};

}  // namespace ns

#endif  // PASSES_RUNTIME_STATISTICS_EXACT_SUM_H_
