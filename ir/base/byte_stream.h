// Writes numbers and texts as bytes, and reads them back.
#ifndef IR_BASE_BYTE_STREAM_H_
#define IR_BASE_BYTE_STREAM_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"

namespace ns {

// The bytes are the same on every machine. Integers take one byte for every
// seven bits that they need, so that small ones are short.
class ByteWriter {
 public:
  void Integer(int64_t value);
  // Eight bytes, whatever the value: nan keeps its bits.
  void Double(double value);
  void Word(uint64_t value);
  void Text(absl::string_view text);

  const std::string& bytes() const { return bytes_; }
  std::string Take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// Reads what a ByteWriter wrote, in the same order. Any bytes are safe to read:
// once they end too early or do not fit, ok() is false, and from then on every
// number is 0 and every text is empty.
class ByteReader {
 public:
  // `bytes` must outlive the reader.
  explicit ByteReader(absl::string_view bytes) : bytes_(bytes) {}

  int64_t Integer();
  double Double();
  uint64_t Word();
  std::string Text();
  // An integer that counts elements which follow, and which take at least
  // `least_bytes` each: it fails where there are not so many bytes. A list of
  // this size can be made without fear for the memory.
  size_t Count(size_t least_bytes = 1);

  // Makes ok() false: the caller found a number that does not fit.
  void Fail() { ok_ = false; }
  bool ok() const { return ok_; }
  bool AtEnd() const { return ok_ && bytes_.empty(); }

 private:
  // Returns the next `count` bytes, or none where there are not so many.
  absl::string_view Take(size_t count);

  absl::string_view bytes_;
  bool ok_ = true;
};

}  // namespace ns

#endif  // IR_BASE_BYTE_STREAM_H_
