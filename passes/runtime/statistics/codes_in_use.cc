#include "passes/runtime/statistics/codes_in_use.h"

#include <algorithm>
#include <iterator>

namespace ns {
namespace {

constexpr int kCodes = 256;

int ByteOf(int code) { return code % 16 + (code < kCodes / 2 ? 0 : 16); }
int BitOf(int code) { return 1 << (code / 16 % 8); }

}  // namespace

void CodesInUse::Add(const uint8_t* bytes, int64_t count, bool flip_sign) {
  const int flip = flip_sign ? 0x80 : 0;
  bool occurs[kCodes] = {};
  for (int64_t i = 0; i < count; ++i) {
    const int code = bytes[i] ^ flip;
    occurs[code] = true;
    at_lowest += code == 0 ? 1 : 0;
    at_highest += code == kCodes - 1 ? 1 : 0;
  }
  total += count;
  for (int code = 0; code < kCodes; ++code) {
    if (occurs[code]) {
      used[ByteOf(code)] |= BitOf(code);
    }
  }
}

void CodesInUse::MarkUsed(const uint8_t* codes, uint64_t which) {
  for (; which != 0; which &= which - 1) {
    const int code = codes[__builtin_ctzll(which)];
    used[ByteOf(code)] |= BitOf(code);
  }
}

void CodesInUse::Merge(const CodesInUse& other) {
  total += other.total;
  at_lowest += other.at_lowest;
  at_highest += other.at_highest;
  for (int byte = 0; byte < kBytes; ++byte) {
    used[byte] |= other.used[byte];
  }
}

bool CodesInUse::operator==(const CodesInUse& other) const {
  return total == other.total && at_lowest == other.at_lowest &&
         at_highest == other.at_highest &&
         std::equal(std::begin(used), std::end(used), std::begin(other.used));
}

bool CodesInUse::IsUsed(uint8_t code) const {
  return (used[ByteOf(code)] & BitOf(code)) != 0;
}

int64_t CodesInUse::Unused() const {
  int64_t unused = kCodes;
  for (const uint8_t byte : used) {
    unused -= __builtin_popcount(byte);
  }
  return unused;
}

}  // namespace ns
