#include "ir/files/archive_records.h"

#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "ir/base/status.h"
#include "ir/files/zip_directory.h"

namespace ns {
namespace {

absl::Status Damaged() {
  return absl::InvalidArgumentError("is truncated or damaged; save it again");
}

// Decompresses `bytes`. Takes memory for what is there, not for what a damaged
// `size` claims.
absl::StatusOr<std::string> Inflate(std::string& bytes, int64_t size) {
  if (bytes.size() > std::numeric_limits<uint32_t>::max()) {
    return Damaged();
  }
  // The state is too large for the stack.
  const auto state = std::make_unique<inflate_state>();
  isal_inflate_init(state.get());
  state->next_in = reinterpret_cast<uint8_t*>(bytes.data());
  state->avail_in = static_cast<uint32_t>(bytes.size());
  constexpr int64_t kMostBlockBytes = int64_t{1} << 18;
  std::vector<uint8_t> block(std::clamp<int64_t>(size, 1, kMostBlockBytes));
  std::string result;
  while (state->block_state != ISAL_BLOCK_FINISH) {
    state->next_out = block.data();
    state->avail_out = static_cast<uint32_t>(block.size());
    const int error = isal_inflate(state.get());
    const size_t count = block.size() - state->avail_out;
    if (error != ISAL_DECOMP_OK ||
        (count == 0 && state->block_state != ISAL_BLOCK_FINISH) ||
        count > size - result.size()) {
      return Damaged();
    }
    result.append(reinterpret_cast<const char*>(block.data()), count);
  }
  // There are whole bytes that it took in advance, or bytes that it did not
  // take.
  const bool has_rest = state->read_in_length / 8 + state->avail_in > 0;
  return has_rest ? absl::StatusOr<std::string>(Damaged()) : result;
}

}  // namespace

absl::StatusOr<ArchiveRecords> FindArchiveRecords(const InputFile& file) {
  NS_ASSIGN_OR_RETURN(const std::vector<ZipEntry> entries,
                      ReadZipDirectory(file));
  ArchiveRecords records;
  if (entries.empty()) {
    return records;
  }
  // LibTorch's reader finds the folder in the same way.
  const std::string& first = entries[0].name;
  const std::string folder =
      first.substr(0, std::min(first.find('/') + 1, first.size()));
  for (const ZipEntry& entry : entries) {
    absl::string_view name = entry.name;
    if (!absl::ConsumePrefix(&name, folder)) {
      continue;
    }
    ArchiveRecord record;
    record.stored_size = static_cast<int64_t>(entry.stored_size);
    record.size = static_cast<int64_t>(entry.size);
    record.compressed = entry.compressed;
    record.crc32 = entry.crc32;
    NS_ASSIGN_OR_RETURN(record.offset, DataOffset(file, entry));
    // Which of two equal names LibTorch would read is undefined.
    if (!records.emplace(name, record).second) {
      return Damaged();
    }
  }
  return records;
}

absl::StatusOr<std::string> ReadArchiveRecord(const InputFile& file,
                                              const ArchiveRecord& record) {
  std::string bytes(record.stored_size, '\0');
  if (file.ReadAt(record.offset, bytes.data(), bytes.size()) != bytes.size()) {
    return Damaged();
  }
  if (record.compressed) {
    NS_ASSIGN_OR_RETURN(bytes, Inflate(bytes, record.size));
  }
  const auto size = static_cast<int64_t>(bytes.size());
  if (size != record.size ||
      ExtendCrc32(0, bytes.data(), size) != record.crc32) {
    return Damaged();
  }
  return bytes;
}

absl::Status CheckArchiveRecord(const InputFile& file,
                                const ArchiveRecord& record) {
  // Small enough for a core's own cache.
  constexpr int64_t kBlockBytes = int64_t{1} << 18;
  std::string block(std::min(kBlockBytes, record.size), '\0');
  uint32_t crc = 0;
  for (int64_t done = 0; done < record.size;) {
    const int64_t count = std::min(kBlockBytes, record.size - done);
    if (file.ReadAt(record.offset + done, block.data(), count) !=
        static_cast<size_t>(count)) {
      return Damaged();
    }
    crc = ExtendCrc32(crc, block.data(), count);
    done += count;
  }
  return crc == record.crc32 ? absl::OkStatus() : Damaged();
}

uint32_t ExtendCrc32(uint32_t crc, const void* bytes, int64_t count) {
  return crc32_gzip_refl(crc, static_cast<const unsigned char*>(bytes), count);
}

}  // namespace ns
