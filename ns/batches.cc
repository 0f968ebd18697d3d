#include "ns/batches.h"

#include <caffe2/serialize/inline_container.h>
#include <sys/stat.h>
#include <torch/csrc/jit/api/module.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "ir/module_file.h"
#include "ir/status.h"
#include "ir/torch_errors.h"
#include "ns/fit_value.h"
#include "ns/torch_save.h"

namespace ns {
namespace {

constexpr absl::string_view kWhatToSave =
    "save a list of batches with torch.save, each a tensor, a tuple of "
    "positional arguments or a dict of keyword arguments";

absl::Status Bad(absl::string_view path, absl::string_view what) {
  return absl::InvalidArgumentError(OneLine(absl::StrCat(path, ": ", what)));
}

// Says what a file that is no readable zip archive is instead.
absl::Status NoArchive(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string start(16, '\0');
  file.read(start.data(), start.size());
  start.resize(file.gcount());
  // A pickle of protocol 2, and in it the number that marks the old format.
  if (absl::StartsWith(start,
                       "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8")) {
    return Bad(path,
               "is in the legacy format of torch.save; load it in Python and "
               "save it again, without _use_new_zipfile_serialization=False");
  }
  if (absl::StartsWith(start, "\x80")) {
    return Bad(path, "is a bare pickle; save it with torch.save");
  }
  if (absl::StartsWith(start, "PK")) {
    return Bad(path, "is truncated or damaged; save it again");
  }
  return Bad(path, absl::StrCat("is no file of torch.save; ", kWhatToSave));
}

absl::Status CheckFile(const std::string& path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0) {
    return Bad(path, absl::StrCat("cannot open: ", std::strerror(errno)));
  }
  if (S_ISDIR(info.st_mode)) {
    return Bad(path, "is a folder; name a file that torch.save wrote");
  }
  if (!std::ifstream(path, std::ios::binary)) {
    return Bad(path, absl::StrCat("cannot open: ", std::strerror(errno)));
  }
  if (info.st_size == 0) {
    return Bad(path, "is empty");
  }
  return absl::OkStatus();
}

// What the attribute `batches` holds or forward() returns.
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

absl::StatusOr<c10::IValue> ReadValue(const std::string& path) {
  std::optional<caffe2::serialize::PyTorchStreamReader> archive;
  bool is_module = false;
  bool is_save = false;
  if (!CatchTorchErrors(path, [&] {
         archive.emplace(path);
         is_module = archive->hasRecord("constants.pkl");
         is_save = archive->hasRecord("data.pkl");
       }).ok()) {
    return NoArchive(path);
  }
  if (is_module) {
    archive.reset();
    return ReadModule(path);
  }
  if (!is_save) {
    return Bad(path,
               "is a zip file without the record data.pkl; save it with "
               "torch.save");
  }
  absl::StatusOr<c10::IValue> value = ReadTorchSave(*archive);
  return value.ok() ? value : Bad(path, value.status().message());
}

bool IsIdentifier(absl::string_view name) {
  if (name.empty() || absl::ascii_isdigit(name[0])) {
    return false;
  }
  for (const unsigned char c : name) {
    // Python allows letters of every script; those are beyond 0x7f in UTF-8.
    if (!absl::ascii_isalnum(c) && c != '_' && c < 0x80) {
      return false;
    }
  }
  return true;
}

// Error: a phrase that says what of `value` is no batch.
absl::StatusOr<Batch> ToBatch(const c10::IValue& value) {
  Batch batch;
  if (value.isTensor()) {
    batch.arguments.push_back(value);
    return batch;
  }
  if (value.isTuple()) {
    batch.arguments = value.toTupleRef().elements().vec();
    return batch;
  }
  if (!value.isGenericDict()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "is ", Described(value),
        "; a batch is a tensor, a tuple of positional arguments or a dict of "
        "keyword arguments"));
  }
  for (const auto& entry : value.toGenericDict()) {
    if (!entry.key().isString()) {
      return absl::InvalidArgumentError(
          absl::StrCat("is a dict with a key that is ", Described(entry.key()),
                       "; the keys are the names of arguments"));
    }
    const std::string& name = entry.key().toStringRef();
    if (!IsIdentifier(name)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "is a dict with the key '", name,
          "', which is no name of an argument (a state_dict?); ", kWhatToSave));
    }
    batch.keywords[name] = entry.value();
  }
  return batch;
}

absl::StatusOr<std::vector<Batch>> ToBatches(const std::string& path,
                                             const c10::IValue& value) {
  std::vector<Batch> batches;
  if (value.isTensor() || value.isGenericDict()) {
    absl::StatusOr<Batch> batch = ToBatch(value);
    if (!batch.ok()) {
      return Bad(path, batch.status().message());
    }
    batches.push_back(*std::move(batch));
    return batches;
  }
  if (value.isTuple()) {
    // Several batches, or the arguments of one? Guessing would compare a model
    // on inputs that nobody meant.
    return Bad(path,
               "holds a tuple; put it into a list: [(x, y)] is one batch of "
               "two arguments, [x, y] are two batches");
  }
  if (!value.isList()) {
    return Bad(path,
               absl::StrCat("holds ", Described(value), "; ", kWhatToSave));
  }
  const c10::ArrayRef<c10::IValue> elements = value.toListRef();
  if (elements.empty()) {
    return Bad(path, absl::StrCat("holds no batches; ", kWhatToSave));
  }
  for (size_t i = 0; i < elements.size(); ++i) {
    absl::StatusOr<Batch> batch = ToBatch(elements[i]);
    if (!batch.ok()) {
      return Bad(path,
                 absl::StrCat("element ", i, " ", batch.status().message()));
    }
    batches.push_back(*std::move(batch));
  }
  return batches;
}

}  // namespace

absl::StatusOr<std::vector<Batch>> LoadBatches(absl::string_view path) {
  const std::string file(path);
  NS_RETURN_IF_ERROR(CheckFile(file));
  at::NoGradGuard no_grad;
  NS_ASSIGN_OR_RETURN(const c10::IValue value, ReadValue(file));
  NS_RETURN_IF_ERROR(CatchTorchErrors(file, [&] {
    // A module's tensors are leaves, where the flag can be dropped in place;
    // what its forward computed without gradients has none.
    value.visit([](const c10::IValue& part) {
      if (part.isTensor() && part.toTensor().requires_grad()) {
        part.toTensor().set_requires_grad(false);
      }
      return false;
    });
  }));
  NS_ASSIGN_OR_RETURN(std::vector<Batch> batches, ToBatches(file, value));
  for (size_t i = 0; i < batches.size(); ++i) {
    batches[i].source = absl::StrCat(file, ": batch ", i);
  }
  return batches;
}

}  // namespace ns
