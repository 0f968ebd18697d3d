#include "ir/files/zip_directory.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "ir/base/status.h"

namespace ns {
namespace {

// Sizes of the fixed parts of PKWARE's .ZIP file format specification.
constexpr size_t kEndBytes = 22;
constexpr size_t kLocator64Bytes = 20;
constexpr size_t kEnd64Bytes = 56;
constexpr size_t kEntryBytes = 46;
constexpr size_t kHeaderBytes = 30;
constexpr size_t kMostCommentBytes = 65535;

constexpr uint16_t kStored = 0;
constexpr uint16_t kZip64Extra = 1;
constexpr uint32_t kFolderAttribute = 0x10;
// Stands for a size or an offset that is in the zip64 extra field instead.
constexpr uint32_t kIn64 = std::numeric_limits<uint32_t>::max();

absl::Status Damaged() {
  return absl::InvalidArgumentError("is truncated or damaged; save it again");
}

// Returns the little-endian number at `position` of `bytes`, which holds all of
// it.
template <typename T>
T Number(absl::string_view bytes, size_t position) {
  T value;
  std::memcpy(&value, bytes.substr(position).data(), sizeof(T));
  return value;
}

// Error: the range is not inside the file.
absl::StatusOr<std::string> ReadRange(const InputFile& file, uint64_t position,
                                      uint64_t count) {
  if (position > file.size() || count > file.size() - position) {
    return Damaged();
  }
  std::string bytes(count, '\0');
  if (file.ReadAt(position, bytes.data(), count) != count) {
    return Damaged();
  }
  return bytes;
}

// Reads the bytes of all entries.
absl::StatusOr<std::string> ReadEntries(const InputFile& file) {
  const uint64_t tail_bytes = std::min<uint64_t>(
      file.size(), kLocator64Bytes + kEndBytes + kMostCommentBytes);
  const uint64_t tail_start = file.size() - tail_bytes;
  NS_ASSIGN_OR_RETURN(const std::string tail,
                      ReadRange(file, tail_start, tail_bytes));
  const size_t end = tail.rfind("PK\x05\x06");
  if (end == std::string::npos || tail.size() - end < kEndBytes) {
    return Damaged();
  }
  if (end >= kLocator64Bytes) {
    const absl::string_view locator =
        absl::string_view(tail).substr(end - kLocator64Bytes, kLocator64Bytes);
    if (absl::StartsWith(locator, "PK\x06\x07")) {
      NS_ASSIGN_OR_RETURN(
          const std::string end64,
          ReadRange(file, Number<uint64_t>(locator, 8), kEnd64Bytes));
      if (!absl::StartsWith(end64, "PK\x06\x06")) {
        return Damaged();
      }
      return ReadRange(file, Number<uint64_t>(end64, 48),
                       Number<uint64_t>(end64, 40));
    }
  }
  return ReadRange(file, Number<uint32_t>(tail, end + 16),
                   Number<uint32_t>(tail, end + 12));
}

// Returns the zip64 field of an entry's extra fields, or none.
std::optional<absl::string_view> Zip64Field(absl::string_view extra) {
  while (extra.size() >= 4) {
    const auto id = Number<uint16_t>(extra, 0);
    const auto size = Number<uint16_t>(extra, 2);
    extra.remove_prefix(4);
    if (size > extra.size()) {
      return std::nullopt;
    }
    if (id == kZip64Extra) {
      return extra.substr(0, size);
    }
    extra.remove_prefix(size);
  }
  return std::nullopt;
}

// Takes the numbers of an entry from `fixed` and, where they did not fit there,
// from its extra fields.
absl::StatusOr<ZipEntry> ParseEntry(absl::string_view fixed,
                                    absl::string_view extra) {
  ZipEntry entry;
  entry.compressed = Number<uint16_t>(fixed, 10) != kStored;
  entry.crc32 = Number<uint32_t>(fixed, 16);
  entry.stored_size = Number<uint32_t>(fixed, 20);
  entry.size = Number<uint32_t>(fixed, 24);
  entry.header = Number<uint32_t>(fixed, 42);
  absl::string_view field = Zip64Field(extra).value_or("");
  for (uint64_t* number : {&entry.size, &entry.stored_size, &entry.header}) {
    if (*number != kIn64) {
      continue;
    }
    if (field.size() < sizeof(uint64_t)) {
      return Damaged();
    }
    *number = Number<uint64_t>(field, 0);
    field.remove_prefix(sizeof(uint64_t));
  }
  // LibTorch's reader leaves the content of a folder, or of an entry that takes
  // no bytes, uninitialised.
  const bool folder = (Number<uint32_t>(fixed, 38) & kFolderAttribute) != 0;
  if (entry.size > std::numeric_limits<int64_t>::max() ||
      (!entry.compressed && entry.size != entry.stored_size) ||
      (entry.size > 0 && (folder || entry.stored_size == 0))) {
    return Damaged();
  }
  return entry;
}

}  // namespace

absl::StatusOr<std::vector<ZipEntry>> ReadZipDirectory(const InputFile& file) {
  NS_ASSIGN_OR_RETURN(const std::string bytes, ReadEntries(file));
  std::vector<ZipEntry> entries;
  absl::string_view rest = bytes;
  while (!rest.empty()) {
    if (rest.size() < kEntryBytes || !absl::StartsWith(rest, "PK\x01\x02")) {
      return Damaged();
    }
    const absl::string_view fixed = rest.substr(0, kEntryBytes);
    const size_t name = Number<uint16_t>(fixed, 28);
    const size_t extra = Number<uint16_t>(fixed, 30);
    const size_t comment = Number<uint16_t>(fixed, 32);
    rest.remove_prefix(kEntryBytes);
    if (name + extra + comment > rest.size()) {
      return Damaged();
    }
    NS_ASSIGN_OR_RETURN(ZipEntry entry,
                        ParseEntry(fixed, rest.substr(name, extra)));
    entry.name = std::string(rest.substr(0, name));
    entries.push_back(std::move(entry));
    rest.remove_prefix(name + extra + comment);
  }
  return entries;
}

absl::StatusOr<int64_t> DataOffset(const InputFile& file,
                                   const ZipEntry& entry) {
  NS_ASSIGN_OR_RETURN(const std::string header,
                      ReadRange(file, entry.header, kHeaderBytes));
  if (!absl::StartsWith(header, "PK\x03\x04")) {
    return Damaged();
  }
  // The extra fields here differ from those in the directory; mostly they are
  // padding.
  const uint64_t offset = entry.header + kHeaderBytes +
                          Number<uint16_t>(header, 26) +
                          Number<uint16_t>(header, 28);
  if (offset > file.size() || entry.stored_size > file.size() - offset) {
    return Damaged();
  }
  return static_cast<int64_t>(offset);
}

}  // namespace ns
