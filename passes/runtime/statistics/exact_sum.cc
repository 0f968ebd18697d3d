#include "passes/runtime/statistics/exact_sum.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

namespace ns {
namespace {

constexpr size_t kLimbBits = 64;
// The parts of a double.
constexpr int kFractionBits = 52;
constexpr uint64_t kFraction = (uint64_t{1} << kFractionBits) - 1;
constexpr uint64_t kExponents = 0x7FF;
// The unit is 2^-kUnitBits.
constexpr int kUnitBits = 1074;
// The largest double has its highest bit at 2^(2097 - 1074), and 2^63 of them
// need 63 bits more.
constexpr size_t kMostLimbs = 35;

}  // namespace

void ExactSum::Magnitude::Cover(size_t first, size_t end_of_range) {
  if (limbs.empty()) {
    lowest = first;
  }
  if (first < lowest) {
    limbs.insert(limbs.begin(), lowest - first, 0);
    lowest = first;
  }
  if (end_of_range > end()) {
    limbs.resize(end_of_range - lowest);
  }
}

void ExactSum::Magnitude::Carry(size_t index) {
  for (;; ++index) {
    if (index == limbs.size()) {
      limbs.push_back(1);
      return;
    }
    if (++limbs[index] != 0) {
      return;
    }
  }
}

void ExactSum::Magnitude::Add(uint64_t mantissa, size_t bit) {
  const size_t place = bit / kLimbBits;
  const size_t shift = bit % kLimbBits;
  const uint64_t low = mantissa << shift;
  const uint64_t high = shift == 0 ? 0 : mantissa >> (kLimbBits - shift);
  if (limbs.empty() || place < lowest || place + 2 > end()) {
    Cover(place, place + 2);
  }
  const size_t index = place - lowest;
  limbs[index] += low;
  // `high` has less than 64 bits, so that a carry fits.
  const uint64_t upper = high + (limbs[index] < low ? 1 : 0);
  limbs[index + 1] += upper;
  if (limbs[index + 1] < upper) {
    Carry(index + 2);
  }
}

void ExactSum::Magnitude::Add(const Magnitude& other) {
  if (other.limbs.empty()) {
    return;
  }
  Cover(other.lowest, other.end());
  const size_t offset = other.lowest - lowest;
  for (size_t i = 0; i < other.limbs.size(); ++i) {
    limbs[offset + i] += other.limbs[i];
    if (limbs[offset + i] < other.limbs[i]) {
      Carry(offset + i + 1);
    }
  }
}

uint64_t ExactSum::Magnitude::At(size_t place) const {
  return place < lowest || place >= end() ? 0 : limbs[place - lowest];
}

void ExactSum::Add(double value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(bits));
  const uint64_t exponent = (bits >> kFractionBits) & kExponents;
  const uint64_t fraction = bits & kFraction;
  const bool is_negative = (bits >> (kLimbBits - 1)) != 0;
  if (exponent == kExponents) {
    (fraction != 0 ? has_nan_
     : is_negative ? has_negative_inf_
                   : has_inf_) = true;
    return;
  }
  if (exponent == 0 && fraction == 0) {
    return;
  }
  Magnitude& magnitude = is_negative ? negative_ : positive_;
  if (exponent == 0) {  // subnormal
    magnitude.Add(fraction, 0);
  } else {
    magnitude.Add(fraction | (kFraction + 1), exponent - 1);
  }
}

void ExactSum::Merge(const ExactSum& other) {
  positive_.Add(other.positive_);
  negative_.Add(other.negative_);
  has_nan_ |= other.has_nan_;
  has_inf_ |= other.has_inf_;
  has_negative_inf_ |= other.has_negative_inf_;
}

ExactSum::Magnitude ExactSum::Difference(const Magnitude& x, const Magnitude& y,
                                         bool& is_negative) {
  Magnitude difference;
  if (x.limbs.empty()) {
    is_negative = !y.limbs.empty();
    return difference;
  }
  difference.Cover(y.limbs.empty() ? x.lowest : std::min(x.lowest, y.lowest),
                   std::max(x.end(), y.end()));
  bool borrows = false;
  for (size_t i = 0; i < difference.limbs.size(); ++i) {
    const size_t place = difference.lowest + i;
    const uint64_t from = x.At(place);
    const uint64_t taken = y.At(place);
    difference.limbs[i] = from - taken - (borrows ? 1 : 0);
    borrows = from < taken || (from == taken && borrows);
  }
  is_negative = borrows;
  return difference;
}

double ExactSum::Rounded(const Magnitude& magnitude) {
  size_t end = magnitude.end();
  while (end > magnitude.lowest && magnitude.At(end - 1) == 0) {
    --end;
  }
  if (end == magnitude.lowest) {
    return 0;
  }
  size_t top = end * kLimbBits - 1;  // the highest bit
  while (((magnitude.At(top / kLimbBits) >> (top % kLimbBits)) & 1) == 0) {
    --top;
  }
  if (top <= kFractionBits) {  // it fits, even if it is subnormal
    return std::ldexp(static_cast<double>(magnitude.At(0)), -kUnitBits);
  }
  const size_t bottom = top - kFractionBits;  // the lowest bit that is kept
  const size_t place = bottom / kLimbBits;
  const size_t shift = bottom % kLimbBits;
  uint64_t mantissa = magnitude.At(place) >> shift;
  if (shift > 0) {
    mantissa |= magnitude.At(place + 1) << (kLimbBits - shift);
  }
  mantissa &= 2 * kFraction + 1;
  const size_t half = bottom - 1;
  const size_t place_of_half = half / kLimbBits;
  const uint64_t bit_of_half = uint64_t{1} << (half % kLimbBits);
  if ((magnitude.At(place_of_half) & bit_of_half) != 0) {
    bool is_above_half = (magnitude.At(place_of_half) & (bit_of_half - 1)) != 0;
    for (size_t i = magnitude.lowest; i < place_of_half; ++i) {
      is_above_half |= magnitude.At(i) != 0;
    }
    mantissa += is_above_half || (mantissa & 1) != 0 ? 1 : 0;
  }
  return std::ldexp(static_cast<double>(mantissa),
                    static_cast<int>(bottom) - kUnitBits);
}

double ExactSum::Value() const {
  if (has_nan_ || (has_inf_ && has_negative_inf_)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  if (has_inf_ || has_negative_inf_) {
    const double inf = std::numeric_limits<double>::infinity();
    return has_inf_ ? inf : -inf;
  }
  bool is_negative = false;
  const Magnitude sum = Difference(positive_, negative_, is_negative);
  return is_negative ? -Rounded(Difference(negative_, positive_, is_negative))
                     : Rounded(sum);
}

void ExactSum::Magnitude::Save(ByteWriter& writer) const {
  // Limbs of 0 at the ends depend on the order of additions.
  size_t first = 0;
  size_t last = limbs.size();
  while (last > 0 && limbs[last - 1] == 0) {
    --last;
  }
  while (first < last && limbs[first] == 0) {
    ++first;
  }
  writer.Integer(static_cast<int64_t>(last - first));
  if (first == last) {
    return;
  }
  writer.Integer(static_cast<int64_t>(lowest + first));
  for (size_t i = first; i < last; ++i) {
    writer.Word(limbs[i]);
  }
}

void ExactSum::Magnitude::Load(ByteReader& reader) {
  const size_t count = reader.Count(sizeof(uint64_t));
  if (count == 0) {
    return;
  }
  const int64_t first = reader.Integer();
  if (first < 0 || first > static_cast<int64_t>(kMostLimbs) ||
      static_cast<size_t>(first) + count > kMostLimbs) {
    reader.Fail();
    return;
  }
  lowest = static_cast<size_t>(first);
  for (size_t i = 0; i < count; ++i) {
    limbs.push_back(reader.Word());
  }
}

void ExactSum::Save(ByteWriter& writer) const {
  writer.Integer((has_nan_ ? 1 : 0) | (has_inf_ ? 2 : 0) |
                 (has_negative_inf_ ? 4 : 0));
  positive_.Save(writer);
  negative_.Save(writer);
}

ExactSum ExactSum::Load(ByteReader& reader) {
  ExactSum sum;
  const int64_t flags = reader.Integer();
  if (flags < 0 || flags > 7) {
    reader.Fail();
  }
  sum.has_nan_ = (flags & 1) != 0;
  sum.has_inf_ = (flags & 2) != 0;
  sum.has_negative_inf_ = (flags & 4) != 0;
  sum.positive_.Load(reader);
  sum.negative_.Load(reader);
  return sum;
}

}  // namespace ns
