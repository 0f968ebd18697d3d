#include "ns/batches/npz_file.h"

#include <cstdint>
#include <memory>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "ir/base/status.h"
#include "ir/files/zip_directory.h"
#include "ns/batches/npy_file.h"

namespace ns {
namespace {

constexpr absl::string_view kSuffix = ".npy";

bool AreArrays(const std::vector<ZipEntry>& entries) {
  return !entries.empty() && absl::c_all_of(entries, [](const auto& entry) {
    return absl::EndsWith(entry.name, kSuffix);
  });
}

}  // namespace

bool NpzFile::IsOne(const InputFile& file) {
  const absl::StatusOr<std::vector<ZipEntry>> entries = ReadZipDirectory(file);
  return entries.ok() && AreArrays(*entries);
}

absl::StatusOr<NpzFile> NpzFile::Open(const std::string& path) {
  NS_ASSIGN_OR_RETURN(const std::shared_ptr<InputFile> file,
                      InputFile::Open(path, "numpy.savez"));
  NS_ASSIGN_OR_RETURN(const std::vector<ZipEntry> entries,
                      ReadZipDirectory(*file));
  if (!AreArrays(entries)) {
    return absl::InvalidArgumentError(
        "is no archive of arrays; write it with numpy.savez");
  }
  NpzFile arrays;
  arrays.path_ = path;
  arrays.identity_ = file->identity();
  for (const ZipEntry& entry : entries) {
    NS_ASSIGN_OR_RETURN(const int64_t offset, DataOffset(*file, entry));
    const std::string name(absl::StripSuffix(entry.name, kSuffix));
    if (absl::c_any_of(arrays.records_, [&](const auto& record) {
          return record.first == name;
        })) {
      return absl::InvalidArgumentError(
          absl::StrCat("has two arrays named ", name));
    }
    ArchiveRecord record;
    record.offset = offset;
    record.stored_size = static_cast<int64_t>(entry.stored_size);
    record.size = static_cast<int64_t>(entry.size);
    record.compressed = entry.compressed;
    record.crc32 = entry.crc32;
    arrays.records_.emplace_back(name, record);
  }
  return arrays;
}

absl::StatusOr<std::vector<NpzFile::NamedArray>> NpzFile::Read() const {
  NS_ASSIGN_OR_RETURN(const std::shared_ptr<InputFile> file,
                      InputFile::Open(path_, "numpy.savez"));
  if (file->identity() != identity_) {
    return absl::InvalidArgumentError(
        "has changed since it was opened; run again when it is complete");
  }
  std::vector<NamedArray> arrays;
  for (const auto& [name, record] : records_) {
    const absl::StatusOr<std::string> bytes = ReadArchiveRecord(*file, record);
    absl::StatusOr<at::Tensor> array =
        bytes.ok() ? ParseNpy(*bytes)
                   : absl::StatusOr<at::Tensor>(bytes.status());
    if (!array.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("array ", name, ": ", array.status().message()));
    }
    arrays.emplace_back(name, *std::move(array));
  }
  return arrays;
}

}  // namespace ns
