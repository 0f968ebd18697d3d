#include "ns/reference/reference_values.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/files/input_file.h"
#include "ir/files/pickle.h"
#include "ns/batches/fit_value.h"
#include "ns/batches/npy_file.h"
#include "ns/batches/torch_save.h"
#include "ns/saved/activation_files.h"

namespace ns {
namespace {

namespace fs = std::filesystem;

using Kind = PickleValue::Kind;
using Pickled = std::shared_ptr<const PickleValue>;

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

std::string ShapeText(at::IntArrayRef shape) {
  return absl::StrCat("[", absl::StrJoin(shape, ", "), "]");
}

ReferenceValue Missing(std::string reason) { return {{}, std::move(reason)}; }

ReferenceValue OtherShape(absl::string_view file, at::IntArrayRef shape,
                          const ReferencePlace& place) {
  return Missing(absl::StrCat(file, " has the shape ", ShapeText(shape),
                              " and the quantized model gives ",
                              ShapeText(place.shape)));
}

// `tensor` of `file` if it can be compared at `place`.
ReferenceValue Checked(const std::string& file, const at::Tensor& tensor,
                       const ReferencePlace& place) {
  if (tensor.is_complex()) {
    return Missing(absl::StrCat(file, " holds complex numbers"));
  }
  if (tensor.sizes() != at::IntArrayRef(place.shape)) {
    return OtherShape(file, tensor.sizes(), place);
  }
  return {tensor, ""};
}

// "12 rows of out/conv.npy"; empty for none.
std::string RestText(int64_t count, absl::string_view what,
                     absl::string_view path) {
  return count == 0 ? ""
                    : absl::StrCat(count, " ", what, count == 1 ? "" : "s",
                                   " of ", path);
}

absl::StatusOr<TorchSave> OpenTorchSave(const std::string& path) {
  NS_ASSIGN_OR_RETURN(const auto file, In(path, InputFile::Open(path)));
  return In(path, TorchSave::Open(path, file));
}

absl::StatusOr<at::Tensor> ReadTensor(const std::string& path,
                                      const TorchSave& save,
                                      const PickleValue& value) {
  NS_ASSIGN_OR_RETURN(const c10::IValue read, In(path, save.Read(value)));
  if (!read.isTensor()) {
    return Bad(path, absl::StrCat("holds ", Described(read),
                                  " where a tensor of values is wanted"));
  }
  return read.toTensor();
}

// Keys and values in turn of a dict; null for other values.
const std::vector<Pickled>* ItemsOf(const PickleValue& value) {
  if (value.kind == Kind::kDict) {
    return &value.items;
  }
  const bool is_ordered = value.kind == Kind::kCall &&
                          value.items[0]->kind == Kind::kGlobal &&
                          value.items[0]->text == "collections.OrderedDict";
  return is_ordered ? &value.assigned : nullptr;
}

// What `file` has of an output; null where it has nothing of it. Error: it has
// no first output.
absl::StatusOr<const PickleValue*> ValueOf(const std::string& path,
                                           const PickleValue& root,
                                           const std::string& output) {
  const std::vector<Pickled>* items = ItemsOf(root);
  if (items == nullptr) {
    return output.empty() ? &root : nullptr;
  }
  const std::string key = output.empty() ? "float" : "float_" + output;
  for (size_t i = 0; i + 1 < items->size(); i += 2) {
    if ((*items)[i]->kind == Kind::kString && (*items)[i]->text == key) {
      return (*items)[i + 1].get();
    }
  }
  if (!output.empty()) {
    return nullptr;
  }
  return Bad(path,
             "holds a dict without 'float'; save a tensor, or a dict that has "
             "the layer's output under that name");
}

// A folder with a file for each batch and call.
class FolderValues final : public ReferenceValues {
 public:
  // `files` are the names of files by those without their extensions.
  FolderValues(std::string path, std::map<std::string, std::string> files)
      : path_(std::move(path)), files_(std::move(files)) {}

  absl::StatusOr<ReferenceValue> Read(const ReferencePlace& place) override {
    const std::string stem = ActivationFileStem(place.batch, place.call);
    const auto found = files_.find(stem);
    if (found == files_.end()) {
      return Missing(
          place.output.empty()
              ? absl::StrCat("there is no ", path_, "/", stem, ".pt or .npy")
              : "");
    }
    if (place.output.empty()) {
      ++read_;
    }
    const std::string file = absl::StrCat(path_, "/", found->second);
    if (!absl::EndsWith(file, ".npy")) {
      return ReadTorchSave(file, place);
    }
    if (!place.output.empty()) {
      return Missing("");
    }
    NS_ASSIGN_OR_RETURN(const NpyFile array, In(file, NpyFile::Open(file)));
    if (array.shape() != place.shape) {
      return OtherShape(file, array.shape(), place);
    }
    NS_ASSIGN_OR_RETURN(const at::Tensor tensor, In(file, array.Read()));
    return Checked(file, tensor, place);
  }

  std::string Rest() const override {
    return RestText(static_cast<int64_t>(files_.size()) - read_, "file", path_);
  }

 private:
  static absl::StatusOr<ReferenceValue> ReadTorchSave(
      const std::string& file, const ReferencePlace& place) {
    NS_ASSIGN_OR_RETURN(const TorchSave save, OpenTorchSave(file));
    NS_ASSIGN_OR_RETURN(const PickleValue* value,
                        ValueOf(file, save.root(), place.output));
    if (value == nullptr) {
      return Missing("");
    }
    NS_ASSIGN_OR_RETURN(const at::Tensor tensor,
                        ReadTensor(file, save, *value));
    return Checked(file, tensor, place);
  }

  const std::string path_;
  const std::map<std::string, std::string> files_;
  int64_t read_ = 0;
};

// A list with a tensor for each call.
class ListedValues final : public ReferenceValues {
 public:
  ListedValues(std::string path, TorchSave save)
      : path_(std::move(path)), save_(std::move(save)) {}

  absl::StatusOr<ReferenceValue> Read(const ReferencePlace& place) override {
    if (!place.output.empty()) {
      return Missing("");
    }
    const std::vector<Pickled>& items = save_.root().items;
    if (next_ >= items.size()) {
      return Missing(absl::StrCat(path_, " has only ", items.size(),
                                  " tensors, a call each"));
    }
    const size_t index = next_++;
    const std::string element = absl::StrCat(path_, ": element ", index);
    NS_ASSIGN_OR_RETURN(const at::Tensor tensor,
                        ReadTensor(element, save_, *items[index]));
    return Checked(element, tensor, place);
  }

  std::string Rest() const override {
    return RestText(static_cast<int64_t>(save_.root().items.size() - next_),
                    "tensor", path_);
  }

 private:
  const std::string path_;
  const TorchSave save_;
  size_t next_ = 0;
};

// Values of all calls, concatenated along the first dimension.
class RowValues : public ReferenceValues {
 public:
  RowValues(std::string path, std::vector<int64_t> shape)
      : path_(std::move(path)), shape_(std::move(shape)) {}

  absl::StatusOr<ReferenceValue> Read(const ReferencePlace& place) override {
    if (!place.output.empty()) {
      return Missing("");
    }
    const bool is_number = place.shape.empty();
    if (shape_.empty()) {
      return is_number ? ReadNumber(place) : OtherShape(path_, shape_, place);
    }
    // Numbers are concatenated to a vector.
    std::vector<int64_t> fitting = place.shape;
    fitting.resize(std::max<size_t>(1, fitting.size()));
    const int64_t rows = is_number ? 1 : place.shape[0];
    fitting[0] = shape_[0];
    if (fitting != shape_) {
      return OtherShape(path_, shape_, place);
    }
    // Once a call has too few rows, those left are of no later call.
    if (short_.empty() && rows > shape_[0] - read_) {
      short_ = absl::StrCat(
          path_, " has the shape ", ShapeText(shape_), " and ",
          shape_[0] - read_, " of its rows left for batch ", place.batch,
          ", and the quantized model gives ", ShapeText(place.shape));
    }
    if (!short_.empty() && rows > 0) {
      return Missing(short_);
    }
    NS_ASSIGN_OR_RETURN(const at::Tensor tensor,
                        In(path_, ReadRows(read_, rows)));
    read_ += rows;
    return Checked(path_, is_number ? tensor.squeeze(0) : tensor, place);
  }

  std::string Rest() const override {
    return RestText((shape_.empty() ? 1 : shape_[0]) - read_, "row", path_);
  }

 protected:
  // These return values without the file's name in an error.
  virtual absl::StatusOr<at::Tensor> ReadWhole() = 0;
  virtual absl::StatusOr<at::Tensor> ReadRows(int64_t begin, int64_t count) = 0;

 private:
  // The only value of the file, which is for the first call.
  absl::StatusOr<ReferenceValue> ReadNumber(const ReferencePlace& place) {
    if (std::exchange(read_, 1) == 1) {
      return Missing(absl::StrCat(
          path_, " holds one number and none is left for batch ", place.batch,
          "; save a vector with a number for each call"));
    }
    NS_ASSIGN_OR_RETURN(const at::Tensor tensor, In(path_, ReadWhole()));
    return Checked(path_, tensor, place);
  }

  const std::string path_;
  const std::vector<int64_t> shape_;
  int64_t read_ = 0;
  // Why there are no more rows; empty as long as there are.
  std::string short_;
};

class TensorRows final : public RowValues {
 public:
  TensorRows(std::string path, at::Tensor tensor)
      : RowValues(std::move(path), tensor.sizes().vec()),
        tensor_(std::move(tensor)) {}

 private:
  absl::StatusOr<at::Tensor> ReadWhole() override { return tensor_; }
  absl::StatusOr<at::Tensor> ReadRows(int64_t begin, int64_t count) override {
    return CatchTorchErrors([&] { return tensor_.narrow(0, begin, count); });
  }

  const at::Tensor tensor_;
};

class ArrayRows final : public RowValues {
 public:
  ArrayRows(std::string path, NpyFile array)
      : RowValues(std::move(path), array.shape()), array_(std::move(array)) {}

 private:
  absl::StatusOr<at::Tensor> ReadWhole() override { return array_.Read(); }
  absl::StatusOr<at::Tensor> ReadRows(int64_t begin, int64_t count) override {
    return array_.ReadRows(begin, count);
  }

  const NpyFile array_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<ReferenceValues>> OpenReferenceFolder(
    const std::string& path) {
  std::map<std::string, std::string> files;
  std::error_code error;
  for (fs::directory_iterator entry(path, error);
       !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    absl::string_view stem = name;
    if (!absl::StartsWith(name, "batch_") ||
        !(absl::ConsumeSuffix(&stem, ".pt") ||
          absl::ConsumeSuffix(&stem, ".npy"))) {
      continue;
    }
    const auto [known, is_new] = files.emplace(stem, name);
    if (!is_new) {
      return Bad(path, absl::StrCat("holds both ", known->second, " and ", name,
                                    "; keep one of them"));
    }
  }
  if (error) {
    return Bad(path, absl::StrCat("cannot read the folder: ", error.message()));
  }
  return std::make_unique<FolderValues>(path, std::move(files));
}

absl::StatusOr<std::unique_ptr<ReferenceValues>> OpenReferenceTorchSave(
    const std::string& path) {
  NS_ASSIGN_OR_RETURN(TorchSave save, OpenTorchSave(path));
  const Kind kind = save.root().kind;
  if (kind == Kind::kList || kind == Kind::kTuple) {
    return std::make_unique<ListedValues>(path, std::move(save));
  }
  NS_ASSIGN_OR_RETURN(at::Tensor tensor, ReadTensor(path, save, save.root()));
  return std::make_unique<TensorRows>(path, std::move(tensor));
}

absl::StatusOr<std::unique_ptr<ReferenceValues>> OpenReferenceArray(
    const std::string& path) {
  NS_ASSIGN_OR_RETURN(NpyFile array, In(path, NpyFile::Open(path)));
  return std::make_unique<ArrayRows>(path, std::move(array));
}

}  // namespace ns
