#include "ir/base/byte_stream.h"

#include <cstring>

namespace ns {
namespace {

constexpr size_t kWordBytes = 8;
constexpr int kPayloadBits = 7;
constexpr uint8_t kMoreFollow = 1 << kPayloadBits;

}  // namespace

void ByteWriter::Integer(int64_t value) {
  // The sign is the lowest bit, so that small negative numbers are short, too.
  auto rest = (static_cast<uint64_t>(value) << 1) ^
              static_cast<uint64_t>(value < 0 ? -1 : 0);
  while (rest >= kMoreFollow) {
    bytes_.push_back(
        static_cast<char>((rest & (kMoreFollow - 1)) | kMoreFollow));
    rest >>= kPayloadBits;
  }
  bytes_.push_back(static_cast<char>(rest));
}

void ByteWriter::Word(uint64_t value) {
  for (size_t i = 0; i < kWordBytes; ++i) {
    bytes_.push_back(static_cast<char>(value >> (8 * i)));
  }
}

void ByteWriter::Double(double value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(bits));
  Word(bits);
}

void ByteWriter::Text(absl::string_view text) {
  Integer(static_cast<int64_t>(text.size()));
  bytes_.append(text.data(), text.size());
}

absl::string_view ByteReader::Take(size_t count) {
  if (!ok_ || count > bytes_.size()) {
    ok_ = false;
    return {};
  }
  const absl::string_view taken = bytes_.substr(0, count);
  bytes_.remove_prefix(count);
  return taken;
}

int64_t ByteReader::Integer() {
  uint64_t rest = 0;
  for (int shift = 0; shift < 64; shift += kPayloadBits) {
    const absl::string_view byte = Take(1);
    if (byte.empty()) {
      return 0;
    }
    const auto part = static_cast<uint8_t>(byte[0]);
    rest |= static_cast<uint64_t>(part & (kMoreFollow - 1)) << shift;
    if ((part & kMoreFollow) == 0) {
      const auto sign = static_cast<uint64_t>((rest & 1) != 0 ? -1 : 0);
      return static_cast<int64_t>((rest >> 1) ^ sign);
    }
  }
  ok_ = false;
  return 0;
}

uint64_t ByteReader::Word() {
  const absl::string_view bytes = Take(kWordBytes);
  uint64_t value = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    value |= static_cast<uint64_t>(static_cast<uint8_t>(bytes[i])) << (8 * i);
  }
  return value;
}

double ByteReader::Double() {
  const uint64_t bits = Word();
  double value = 0;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

std::string ByteReader::Text() { return std::string(Take(Count())); }

size_t ByteReader::Count(size_t least_bytes) {
  const int64_t count = Integer();
  if (count < 0 || static_cast<uint64_t>(count) > bytes_.size() / least_bytes) {
    ok_ = false;
    return 0;
  }
  return static_cast<size_t>(count);
}

}  // namespace ns
