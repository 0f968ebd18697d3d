#include "ns/batches/torch_save.h"

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/files/pickled_tensor.h"
#include "ns/batches/batch_memory.h"
#include "ns/batches/pickled_value.h"

namespace ns {

// The names of records that have their checksums. Any thread may call it.
class GoodRecords {
 public:
  bool Contains(const std::string& name) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return names_.contains(name);
  }

  void Add(const std::string& name) {
    const std::lock_guard<std::mutex> lock(mutex_);
    names_.insert(name);
  }

 private:
  mutable std::mutex mutex_;
  absl::flat_hash_set<std::string> names_;
};

namespace {

using Windows = absl::flat_hash_map<std::string, ByteRange>;

absl::Status Bad(absl::string_view what) {
  return absl::InvalidArgumentError(what);
}

absl::Status Changed() {
  return Bad(
      "the file has changed since it was opened; run again when it is "
      "complete");
}

std::string RecordOf(const PickledTensor& pickled) {
  return absl::StrCat("data/", pickled.storage);
}

// Makes tensors without bytes, and notes which bytes they would need.
class OutlineMaker final : public TensorMaker {
 public:
  explicit OutlineMaker(const ArchiveRecords& records) : records_(records) {}

  absl::StatusOr<at::Tensor> Make(const PickledTensor& pickled,
                                  const PickledQuantizer* quantizer) override {
    const std::string name = RecordOf(pickled);
    const auto record = records_.find(name);
    if (record == records_.end()) {
      return Bad(absl::StrCat("holds a damaged file without the record ", name,
                              "; save it again"));
    }
    const int64_t bytes = record->second.size;
    NS_ASSIGN_OR_RETURN(const ByteRange range, BytesOf(pickled, bytes));
    const auto [window, first] = windows_.emplace(name, range);
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
  const ArchiveRecords& records_;
  Windows windows_;
};

// The bytes of a record from offset `begin` on.
struct Window {
  c10::Storage storage;
  int64_t begin = 0;
};

// Makes tensors that share the windows that were read of their storages.
class WindowMaker final : public TensorMaker {
 public:
  void Add(const std::string& record, const Window& window) {
    windows_.emplace(record, window);
  }

  absl::StatusOr<at::Tensor> Make(const PickledTensor& pickled,
                                  const PickledQuantizer* quantizer) override {
    const Window& window = windows_.at(RecordOf(pickled));
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

absl::Status Damaged(absl::string_view name) {
  return Bad(absl::StrCat("is damaged, in its record ", name,
                          "; copy it again, or save it again"));
}

// Reads the records of an archive, and adds those that have their checksums to
// `good`.
class RecordReader {
 public:
  RecordReader(std::shared_ptr<InputFile> file, GoodRecords& good)
      : file_(std::move(file)), good_(good) {}

  // Reads `range` of a record, or also bytes around it where that is simpler.
  absl::StatusOr<Window> Read(const std::string& name,
                              const ArchiveRecord& record,
                              const ByteRange& range) {
    if (record.compressed) {
      const absl::StatusOr<std::string> content =
          ReadArchiveRecord(*file_, record);
      if (!content.ok()) {
        return Damaged(name);
      }
      at::DataPtr data = AllocateBatchMemory(content->size());
      std::memcpy(data.get(), content->data(), content->size());
      return Window{MakeStorage(std::move(data), content->size()), 0};
    }
    // Kernels see the same alignment as in the whole storage, and a window
    // starts with a whole element of every dtype.
    constexpr int64_t kAlignment = 64;
    const int64_t begin = range.begin / kAlignment * kAlignment;
    const int64_t bytes = range.end - begin;
    at::DataPtr data = AllocateBatchMemory(bytes);
    if (file_->ReadAt(record.offset + begin, data.get(), bytes) !=
        static_cast<size_t>(bytes)) {
      return Bad(absl::StrCat("cannot read the record ", name));
    }
    if (!good_.Contains(name)) {
      const bool is_good =
          bytes == record.size
              ? ExtendCrc32(0, data.get(), bytes) == record.crc32
              : CheckArchiveRecord(*file_, record).ok();
      if (!is_good) {
        return Damaged(name);
      }
      good_.Add(name);
    }
    return Window{MakeStorage(std::move(data), bytes), begin};
  }

 private:
  const std::shared_ptr<InputFile> file_;
  GoodRecords& good_;
};

// Returns the text of a record, "" where there is none.
absl::StatusOr<std::string> Text(const InputFile& file,
                                 const ArchiveRecords& records,
                                 const std::string& name) {
  const auto record = records.find(name);
  if (record == records.end()) {
    return "";
  }
  absl::StatusOr<std::string> text = ReadArchiveRecord(file, record->second);
  return text.ok() ? text : Damaged(name);
}

// Returns `call()`, a StatusOr, with exceptions turned into errors.
template <typename Call>
auto Guarded(Call&& call) -> decltype(call()) {
  decltype(call()) result = absl::UnknownError("");
  NS_RETURN_IF_ERROR(CatchTorchErrors("is damaged", [&] { result = call(); }));
  return result;
}

}  // namespace

TorchSave::TorchSave(std::string path, const InputFile::Identity& identity,
                     std::shared_ptr<const PickleValue> root,
                     ArchiveRecords records)
    : path_(std::move(path)),
      identity_(identity),
      root_(std::move(root)),
      records_(std::move(records)),
      good_records_(std::make_shared<GoodRecords>()) {}

absl::StatusOr<TorchSave> TorchSave::Open(
    const std::string& path, const std::shared_ptr<InputFile>& file,
    const PickleOptions& options) {
  return Guarded([&]() -> absl::StatusOr<TorchSave> {
    NS_ASSIGN_OR_RETURN(ArchiveRecords records, FindArchiveRecords(*file));
    NS_ASSIGN_OR_RETURN(const std::string order,
                        Text(*file, records, "byteorder"));
    if (order == "big") {
      return Bad("was saved on a big-endian machine");
    }
    NS_ASSIGN_OR_RETURN(const std::string pickle,
                        Text(*file, records, "data.pkl"));
    NS_ASSIGN_OR_RETURN(auto root, ParsePickle(pickle, options));
    return TorchSave(path, file->identity(), std::move(root),
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
    RecordReader reader(file, *good_records_);
    WindowMaker windows;
    for (const auto& [name, range] : outline.windows()) {
      const auto window = reader.Read(name, records_.at(name), range);
      if (!window.ok()) {
        return file->HasChanged() ? Changed() : window.status();
      }
      windows.Add(name, *window);
    }
    if (file->HasChanged()) {
      return Changed();
    }
    return ConvertPickled(value, windows);
  });
}

}  // namespace ns
