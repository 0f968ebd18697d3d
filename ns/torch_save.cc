#include "ns/torch_save.h"

#include <ATen/core/Tensor.h>
#include <c10/core/CPUAllocator.h>
#include <caffe2/serialize/inline_container.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "ir/status.h"
#include "ir/torch_errors.h"
#include "ns/pickled_tensor.h"
#include "ns/pickled_value.h"
#include "ns/zip_directory.h"

namespace ns {
namespace {

using caffe2::serialize::PyTorchStreamReader;
using Windows = absl::flat_hash_map<std::string, ByteRange>;

absl::Status Bad(absl::string_view what) {
  return absl::InvalidArgumentError(what);
}

absl::Status Changed() {
  return Bad(
      "the file has changed since it was opened; run again when it is "
      "complete");
}

// Makes tensors without bytes, and notes which bytes they would need.
class OutlineMaker final : public TensorMaker {
 public:
  explicit OutlineMaker(const StorageRecords& records) : records_(records) {}

  absl::StatusOr<at::Tensor> Make(const PickledTensor& pickled,
                                  const PickledQuantizer* quantizer) override {
    const auto record = records_.find(pickled.storage);
    if (record == records_.end()) {
      return Bad(absl::StrCat("holds a damaged file without the record data/",
                              pickled.storage, "; save it again"));
    }
    const int64_t bytes = record->second.size;
    NS_ASSIGN_OR_RETURN(const ByteRange range, BytesOf(pickled, bytes));
    const auto [window, first] = windows_.emplace(pickled.storage, range);
    ByteRange& known = window->second;
    if (!first && range.begin != range.end) {
      const bool nothing = known.begin == known.end;
      known.begin = nothing ? range.begin : std::min(known.begin, range.begin);
      known.end = std::max(known.end, range.end);
    }
    return ns::Outline(pickled, quantizer, bytes);
  }

  const Windows& windows() const { return windows_; }

 private:
  const StorageRecords& records_;
  Windows windows_;
};

// Makes tensors that share what was read of their storages.
class WindowMaker final : public TensorMaker {
 public:
  // The bytes of a storage from `begin` on.
  struct Window {
    c10::Storage storage;
    int64_t begin = 0;
  };

  void Add(const std::string& storage, const Window& window) {
    windows_.emplace(storage, window);
  }

  absl::StatusOr<at::Tensor> Make(const PickledTensor& pickled,
                                  const PickledQuantizer* quantizer) override {
    const Window& window = windows_.at(pickled.storage);
    PickledTensor inside = pickled;
    // A tensor without elements may start anywhere.
    inside.offset = std::max<int64_t>(
        0, pickled.offset -
               window.begin /
                   static_cast<int64_t>(c10::elementSize(pickled.dtype)));
    return Rebuild(inside, quantizer, window.storage);
  }

 private:
  absl::flat_hash_map<std::string, Window> windows_;
};

c10::Storage MakeStorage(at::DataPtr data, size_t bytes) {
  return c10::Storage(c10::Storage::use_byte_size_t(), bytes, std::move(data));
}

absl::StatusOr<WindowMaker::Window> ReadWindow(const InputFile& file,
                                               const StorageRecord& record,
                                               const ByteRange& range) {
  // Kernels see the alignment that they would in the whole storage, and a
  // window starts with a whole element of every dtype.
  constexpr int64_t kAlignment = 64;
  const int64_t begin = range.begin / kAlignment * kAlignment;
  const size_t bytes = range.end - begin;
  at::DataPtr data = c10::GetCPUAllocator()->allocate(bytes);
  if (file.ReadAt(record.offset + begin, data.get(), bytes) != bytes) {
    return Bad(absl::StrCat("cannot read the record ", record.name));
  }
  return WindowMaker::Window{MakeStorage(std::move(data), bytes), begin};
}

absl::StatusOr<WindowMaker::Window> ReadCompressed(
    PyTorchStreamReader& archive, const StorageRecord& record) {
  auto [data, bytes] = archive.getRecord(record.name);
  return WindowMaker::Window{MakeStorage(std::move(data), bytes), 0};
}

std::string Text(PyTorchStreamReader& archive, const std::string& record) {
  const auto [data, size] = archive.getRecord(record);
  return std::string(static_cast<const char*>(data.get()), size);
}

absl::StatusOr<std::shared_ptr<const PickleValue>> ReadPickle(
    PyTorchStreamReader& archive) {
  if (archive.hasRecord("byteorder") && Text(archive, "byteorder") == "big") {
    return Bad("was saved on a big-endian machine");
  }
  return ParsePickle(Text(archive, "data.pkl"));
}

// The storages of an archive, whose records are in one folder.
absl::StatusOr<StorageRecords> FindStorages(const InputFile& file) {
  NS_ASSIGN_OR_RETURN(const std::vector<ZipEntry> entries,
                      ReadZipDirectory(file));
  StorageRecords records;
  if (entries.empty()) {
    return records;
  }
  // As LibTorch's reader finds the folder.
  const std::string& first = entries[0].name;
  const std::string folder =
      first.substr(0, std::min(first.find('/') + 1, first.size()));
  for (const ZipEntry& entry : entries) {
    absl::string_view key = entry.name;
    if (!absl::ConsumePrefix(&key, folder) ||
        !absl::ConsumePrefix(&key, "data/")) {
      continue;
    }
    StorageRecord record;
    record.name = entry.name.substr(folder.size());
    record.size = static_cast<int64_t>(entry.size);
    record.compressed = entry.compressed;
    if (!entry.compressed) {
      NS_ASSIGN_OR_RETURN(record.offset, DataOffset(file, entry));
    }
    records.emplace(key, std::move(record));
  }
  return records;
}

// `call()`, a StatusOr, with exceptions as errors.
template <typename Call>
auto Guarded(Call&& call) -> decltype(call()) {
  decltype(call()) result = absl::UnknownError("");
  NS_RETURN_IF_ERROR(CatchTorchErrors("is damaged", [&] { result = call(); }));
  return result;
}

}  // namespace

absl::StatusOr<TorchSave> TorchSave::Open(const std::string& path,
                                          const InputFile& file,
                                          PyTorchStreamReader& archive) {
  return Guarded([&]() -> absl::StatusOr<TorchSave> {
    NS_ASSIGN_OR_RETURN(auto root, ReadPickle(archive));
    NS_ASSIGN_OR_RETURN(StorageRecords records, FindStorages(file));
    return TorchSave(path, file.identity(), std::move(root),
                     std::move(records));
  });
}

absl::StatusOr<c10::IValue> TorchSave::Outline(const PickleValue& value) const {
  return Guarded([&] {
    OutlineMaker outline(records_);
    return ConvertPickled(value, outline);
  });
}

absl::StatusOr<c10::IValue> TorchSave::Read(const PickleValue& value) const {
  return Guarded([&]() -> absl::StatusOr<c10::IValue> {
    OutlineMaker outline(records_);
    NS_RETURN_IF_ERROR(ConvertPickled(value, outline).status());

    NS_ASSIGN_OR_RETURN(const auto file, InputFile::Open(path_));
    if (file->identity() != identity_) {
      return Changed();
    }
    std::unique_ptr<PyTorchStreamReader> archive;
    WindowMaker windows;
    for (const auto& [storage, range] : outline.windows()) {
      const StorageRecord& record = records_.at(storage);
      if (record.compressed && archive == nullptr) {
        archive = std::make_unique<PyTorchStreamReader>(file);
      }
      auto window = record.compressed ? ReadCompressed(*archive, record)
                                      : ReadWindow(*file, record, range);
      if (!window.ok()) {
        return file->HasChanged() ? Changed() : window.status();
      }
      windows.Add(storage, *window);
    }
    if (file->HasChanged()) {
      return Changed();
    }
    return ConvertPickled(value, windows);
  });
}

}  // namespace ns
