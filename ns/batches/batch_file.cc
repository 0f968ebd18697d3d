#include "ns/batches/batch_file.h"

#include <ATen/ATen.h>
#include <caffe2/serialize/inline_container.h>
#include <torch/csrc/jit/api/module.h>

#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/files/foreign_file.h"
#include "ir/files/input_file.h"
#include "ir/files/module_file.h"
#include "ir/files/pickle.h"
#include "ns/batches/fit_value.h"
#include "ns/batches/npy_file.h"
#include "ns/batches/npz_file.h"
#include "ns/batches/random_batches.h"
#include "ns/batches/to_batches.h"
#include "ns/batches/torch_save.h"

namespace ns {
namespace {

absl::Status Bad(absl::string_view path, absl::string_view what) {
  return absl::InvalidArgumentError(OneLine(absl::StrCat(path, ": ", what)));
}

// Returns `result`, with the file's name in its error.
template <typename T>
absl::StatusOr<T> In(absl::string_view path, absl::StatusOr<T> result) {
  if (!result.ok()) {
    return Bad(path, result.status().message());
  }
  return result;
}

std::string SourceOf(const std::string& path, int64_t index) {
  return absl::StrCat(path, ": batch ", index);
}

class HeldBatches final : public BatchFile {
 public:
  explicit HeldBatches(std::vector<Batch> batches)
      : batches_(std::move(batches)) {}

  int64_t size() const override {
    return static_cast<int64_t>(batches_.size());
  }

  absl::StatusOr<Batch> Read(int64_t index) const override {
    return batches_.at(index);
  }

  absl::StatusOr<std::vector<Batch>> ReadFirst(int64_t count) const override {
    return std::vector<Batch>(batches_.begin(), batches_.begin() + count);
  }

 private:
  const std::vector<Batch> batches_;
};

// The batches of a file that torch.save wrote.
class SavedBatches final : public BatchFile {
 public:
  // Error: the file holds something other than batches.
  static absl::StatusOr<std::unique_ptr<const BatchFile>> Open(
      const std::string& path, TorchSave save) {
    NS_ASSIGN_OR_RETURN(const c10::IValue outline,
                        In(path, save.Outline(save.root())));
    NS_ASSIGN_OR_RETURN(const std::vector<Batch> batches,
                        In(path, ToBatches(outline)));
    return std::unique_ptr<const BatchFile>(new SavedBatches(
        path, std::move(save), static_cast<int64_t>(batches.size())));
  }

  int64_t size() const override { return size_; }

  absl::StatusOr<Batch> Read(int64_t index) const override {
    const PickleValue& root = save_.root();
    const bool is_list = root.kind == PickleValue::Kind::kList;
    const std::string source = SourceOf(path_, index);
    NS_ASSIGN_OR_RETURN(
        const c10::IValue value,
        In(source, save_.Read(is_list ? *root.items.at(index) : root)));
    // A value that is no list in the pickle is one batch; in an unusual pickle
    // it may be a list all the same.
    NS_ASSIGN_OR_RETURN(Batch batch,
                        In(source, ToBatch(is_list || !value.isList()
                                               ? value
                                               : value.toListRef().at(index))));
    batch.source = source;
    return batch;
  }

  absl::StatusOr<std::vector<Batch>> ReadFirst(int64_t count) const override {
    if (count == 0) {
      return std::vector<Batch>();
    }
    NS_ASSIGN_OR_RETURN(const c10::IValue value, In(path_, ReadRoot(count)));
    NS_ASSIGN_OR_RETURN(std::vector<Batch> batches,
                        In(path_, ToBatches(value)));
    batches.resize(count);
    for (int64_t i = 0; i < count; ++i) {
      batches[i].source = SourceOf(path_, i);
    }
    return batches;
  }

 private:
  SavedBatches(std::string path, TorchSave save, int64_t size)
      : path_(std::move(path)), save_(std::move(save)), size_(size) {}

  // Reads the file's value; of a list, the first `count` elements only.
  absl::StatusOr<c10::IValue> ReadRoot(int64_t count) const {
    PickleValue root = save_.root();
    if (root.kind == PickleValue::Kind::kList) {
      root.items.resize(count);
    }
    return save_.Read(root);
  }

  const std::string path_;
  const TorchSave save_;
  const int64_t size_;
};

class BatchesOnDemand final : public BatchFile {
 public:
  BatchesOnDemand(int64_t size, ReadBatch read)
      : size_(size), read_(std::move(read)) {}

  int64_t size() const override { return size_; }

  absl::StatusOr<Batch> Read(int64_t index) const override {
    return read_(index);
  }

 private:
  const int64_t size_;
  const ReadBatch read_;
};

// One batch of one argument.
absl::StatusOr<std::unique_ptr<const BatchFile>> OpenNpy(
    const std::string& path) {
  NS_ASSIGN_OR_RETURN(const NpyFile file, In(path, NpyFile::Open(path)));
  return MakeBatchFile(1, [path, file](int64_t index) -> absl::StatusOr<Batch> {
    Batch batch;
    batch.source = SourceOf(path, index);
    NS_ASSIGN_OR_RETURN(at::Tensor array, In(batch.source, file.Read()));
    batch.arguments.emplace_back(std::move(array));
    return batch;
  });
}

// One batch of several arguments: by position where numpy.savez was given no
// names, and else by name.
absl::StatusOr<std::unique_ptr<const BatchFile>> OpenNpz(
    const std::string& path) {
  NS_ASSIGN_OR_RETURN(const NpzFile file, In(path, NpzFile::Open(path)));
  return MakeBatchFile(1, [path, file](int64_t index) -> absl::StatusOr<Batch> {
    Batch batch;
    batch.source = SourceOf(path, index);
    NS_ASSIGN_OR_RETURN(const auto arrays, In(batch.source, file.Read()));
    for (const auto& [name, array] : arrays) {
      if (name == absl::StrCat("arr_", batch.arguments.size())) {
        batch.arguments.emplace_back(array);
      } else {
        batch.keywords.emplace(name, array);
      }
    }
    return batch;
  });
}

absl::StatusOr<std::unique_ptr<const BatchFile>> OpenRandom(
    const std::string& spec) {
  NS_ASSIGN_OR_RETURN(const RandomBatches batches, RandomBatches::Parse(spec));
  return MakeBatchFile(RandomBatches::kCount, [batches](int64_t index) {
    return batches.Make(index);
  });
}

// Says what a file that is no archive of torch.save is instead.
absl::Status NoBatches(const std::string& path, const InputFile& file) {
  if (const auto foreign = RecognizeForeignFile(file)) {
    return Bad(path, absl::StrCat(foreign->what, "; ",
                                  foreign->mend_inputs.empty()
                                      ? kWhatToSave
                                      : foreign->mend_inputs));
  }
  std::string start(2, '\0');
  start.resize(file.ReadAt(0, start.data(), start.size()));
  if (start == "PK") {
    return Bad(path, "is truncated or damaged; save it again");
  }
  return Bad(path, absl::StrCat("is no file of torch.save; ", kWhatToSave));
}

// Returns what the attribute `batches` holds, or else what forward() returns.
absl::StatusOr<c10::IValue> ReadModule(const std::string& path) {
  NS_ASSIGN_OR_RETURN(torch::jit::Module module, LoadModule(path));
  if (module.hasattr("batches")) {
    return module.attr("batches");
  }
  const auto forward = module.find_method("forward");
  if (!forward) {
    return Bad(path,
               "is a TorchScript module with neither an attribute 'batches' "
               "nor a method 'forward'");
  }
  const auto& arguments = forward->function().getSchema().arguments();
  size_t needed = 0;
  for (size_t i = 1; i < arguments.size(); ++i) {
    needed += arguments[i].default_value() ? 0 : 1;
  }
  if (needed != 0) {
    return Bad(path,
               absl::StrCat("is a TorchScript module without an attribute "
                            "'batches', whose forward takes ",
                            needed, needed == 1 ? " argument" : " arguments",
                            "; a forward that returns batches takes none"));
  }
  return CatchTorchErrors(absl::StrCat(path, ": forward() failed"),
                          [&] { return (*forward)({}); });
}

// Returns that without gradients.
absl::StatusOr<c10::IValue> ValueOfModule(const std::string& path) {
  at::NoGradGuard no_grad;
  NS_ASSIGN_OR_RETURN(c10::IValue value, ReadModule(path));
  NS_RETURN_IF_ERROR(CatchTorchErrors(path, [&] {
    // A module's tensors are leaves, whose flag can be dropped in place. What
    // its forward() computed without gradients has no flag.
    value.visit([](const c10::IValue& part) {
      if (part.isTensor() && part.toTensor().requires_grad()) {
        part.toTensor().set_requires_grad(false);
      }
      return false;
    });
  }));
  return value;
}

// A file of either form.
struct Opened {
  std::optional<TorchSave> save;
  // The value of a module.
  c10::IValue value;
};

absl::StatusOr<Opened> OpenEither(const std::string& path,
                                  const std::shared_ptr<InputFile>& file) {
  bool is_module = false;
  bool is_save = false;
  if (!CatchTorchErrors(path, [&] {
         caffe2::serialize::PyTorchStreamReader archive(file);
         is_module = archive.hasRecord("constants.pkl");
         is_save = archive.hasRecord("data.pkl");
       }).ok()) {
    return NoBatches(path, *file);
  }
  Opened opened;
  if (is_module) {
    NS_ASSIGN_OR_RETURN(opened.value, ValueOfModule(path));
    return opened;
  }
  if (!is_save) {
    return NoBatches(path, *file);
  }
  NS_ASSIGN_OR_RETURN(opened.save, In(path, TorchSave::Open(path, file)));
  return opened;
}

}  // namespace

absl::StatusOr<std::vector<Batch>> BatchFile::ReadFirst(int64_t count) const {
  std::vector<Batch> batches;
  for (int64_t i = 0; i < count; ++i) {
    NS_ASSIGN_OR_RETURN(Batch batch, Read(i));
    batches.push_back(std::move(batch));
  }
  return batches;
}

absl::StatusOr<std::unique_ptr<const BatchFile>> OpenBatchFile(
    const std::string& path) {
  if (IsRandom(path)) {
    return OpenRandom(path);
  }
  NS_ASSIGN_OR_RETURN(const auto file, In(path, InputFile::Open(path)));
  if (NpyFile::IsOne(*file)) {
    return OpenNpy(path);
  }
  if (NpzFile::IsOne(*file)) {
    return OpenNpz(path);
  }
  NS_ASSIGN_OR_RETURN(Opened opened, OpenEither(path, file));
  if (opened.save) {
    return SavedBatches::Open(path, *std::move(opened.save));
  }
  NS_ASSIGN_OR_RETURN(std::vector<Batch> batches,
                      In(path, ToBatches(opened.value)));
  for (size_t i = 0; i < batches.size(); ++i) {
    batches[i].source = SourceOf(path, static_cast<int64_t>(i));
  }
  return MakeBatchFile(std::move(batches));
}

absl::StatusOr<c10::IValue> LoadSavedValue(const std::string& path) {
  NS_ASSIGN_OR_RETURN(const auto file, In(path, InputFile::Open(path)));
  NS_ASSIGN_OR_RETURN(const Opened opened, OpenEither(path, file));
  return opened.save ? In(path, opened.save->Read(opened.save->root()))
                     : absl::StatusOr<c10::IValue>(opened.value);
}

std::unique_ptr<const BatchFile> MakeBatchFile(std::vector<Batch> batches) {
  return std::make_unique<const HeldBatches>(std::move(batches));
}

std::unique_ptr<const BatchFile> MakeBatchFile(int64_t size, ReadBatch read) {
  return std::make_unique<const BatchesOnDemand>(size, std::move(read));
}

}  // namespace ns
