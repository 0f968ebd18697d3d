#include "ir/files/foreign_file.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ir/base/status.h"
#include "ir/files/archive_records.h"
#include "ir/files/pickle.h"
#include "ir/files/zip_directory.h"

namespace ns {
namespace {

using Kind = PickleValue::Kind;

// As much of the file as its kind can be told by.
constexpr size_t kStartBytes = 64;
// No pickle of a model's structure is larger; the tensors are elsewhere.
constexpr int64_t kMostPickleBytes = int64_t{1} << 26;
// Names in messages are for people.
constexpr size_t kMostNameBytes = 80;

constexpr absl::string_view kSaveModel =
    "save the model with torch.jit.save(torch.jit.script(model), path), or "
    "torch.jit.trace where it cannot be scripted";

// A file of which only `what` it is needs to be said.
ForeignFile Simply(absl::string_view what) {
  return {absl::StrCat("is ", what), std::string(kSaveModel), ""};
}

// A model of another format.
ForeignFile OtherModel(absl::string_view what) {
  return {absl::StrCat("is ", what, ", not TorchScript"),
          absl::StrCat("load the PyTorch model that it was made from, and ",
                       kSaveModel),
          ""};
}

ForeignFile Image(absl::string_view format) {
  return {absl::StrCat("is an image (", format, ")"), std::string(kSaveModel),
          "read it in Python, resize and normalize it as for the model, and "
          "save torch.save([x], path) with x of shape [N, C, H, W]"};
}

// A file that is not what it should be, until `way_out` is taken.
ForeignFile Wrapped(absl::string_view what, const std::string& way_out) {
  return {absl::StrCat("is ", what), way_out, way_out};
}

struct Magic {
  absl::string_view bytes;
  size_t offset;
  ForeignFile (*file)(absl::string_view what);
  absl::string_view what;
};

std::optional<ForeignFile> ByMagic(absl::string_view start) {
  static constexpr Magic kMagics[] = {
      {"\x93NUMPY", 0, Simply, "an array of NumPy (.npy)"},
      {"\x89PNG", 0, Image, "PNG"},
      {"\xff\xd8\xff", 0, Image, "JPEG"},
      {"GIF8", 0, Image, "GIF"},
      {"WEBP", 8, Image, "WebP"},
      {"II*", 0, Image, "TIFF"},
      {absl::string_view("MM\0*", 4), 0, Image, "TIFF"},
      {"TFL3", 4, OtherModel, "a model of TensorFlow Lite"},
      {"GGUF", 0, OtherModel, "a model in the GGUF format"},
      {"\x89HDF", 0, OtherModel, "a file of HDF5, as Keras writes"},
      // The start of a pickle that holds the number of the old format.
      {"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8", 0, Simply,
       "in the legacy format of torch.save, from before PyTorch 1.6"},
      {"\x80", 0, Simply, "a bare pickle"},
  };
  for (const Magic& magic : kMagics) {
    if (start.size() >= magic.offset &&
        absl::StartsWith(start.substr(magic.offset), magic.bytes)) {
      return magic.file(magic.what);
    }
  }
  if (absl::StartsWith(start, "\x1f\x8b")) {
    return Wrapped("compressed by gzip", "unpack it with gunzip");
  }
  if (absl::StartsWith(start, "version https://git-lfs")) {
    return Wrapped("a pointer of Git LFS, not the file itself",
                   "get that by git lfs pull");
  }
  const absl::string_view text = absl::StripLeadingAsciiWhitespace(start);
  if (absl::StartsWithIgnoreCase(text, "<!doctype html") ||
      absl::StartsWithIgnoreCase(text, "<html")) {
    return Wrapped("a page of HTML",
                   "a download may have failed; fetch the file again");
  }
  return std::nullopt;
}

// A header of JSON comes after its length, a number of eight bytes.
bool IsSafetensors(absl::string_view start) {
  if (start.size() < 10 || start[8] != '{') {
    return false;
  }
  const absl::string_view text =
      absl::StripLeadingAsciiWhitespace(start.substr(9));
  return start.substr(4, 4) == absl::string_view("\0\0\0\0", 4) &&
         (absl::StartsWith(text, "\"") || absl::StartsWith(text, "}"));
}

// A message of protocol buffers whose field 1, the version, is small, followed
// by a field that ONNX's ModelProto has.
bool IsOnnx(absl::string_view start) {
  if (start.size() < 3 || start[0] != '\x08' || start[1] < 1 || start[1] > 30) {
    return false;
  }
  // producer_name, producer_version, domain, model_version, doc_string, graph,
  // opset_import.
  return absl::string_view("\x12\x1a\x22\x28\x32\x3a\x42").find(start[2]) !=
         absl::string_view::npos;
}

// The name without its folder.
absl::string_view Base(absl::string_view name) {
  return name.substr(name.rfind('/') + 1);
}

// The name without what would break a line of a message.
std::string ShortName(absl::string_view name) {
  std::string text(name.substr(0, kMostNameBytes));
  absl::c_replace_if(
      text, [](char c) { return !absl::ascii_isprint(c); }, '?');
  return text;
}

bool HasKey(const PickleValue& dict, absl::string_view key) {
  for (size_t i = 0; i + 1 < dict.items.size(); i += 2) {
    if (dict.items[i]->kind == Kind::kString && dict.items[i]->text == key) {
      return true;
    }
  }
  return false;
}

// Says what torch.save wrote.
ForeignFile SavedValue(const PickleValue& value) {
  const auto say = [](absl::string_view what, absl::string_view then) {
    return ForeignFile{absl::StrCat("holds ", what, ", not TorchScript"),
                       absl::StrCat(then, kSaveModel), ""};
  };
  if (value.kind == Kind::kCall && !value.items.empty() &&
      value.items[0]->kind == Kind::kGlobal) {
    const std::string& type = value.items[0]->text;
    if (type == "collections.OrderedDict") {
      return say("a state_dict, parameters without code",
                 "load it into the model, and ");
    }
    if (absl::StartsWith(type, "torch._utils.")) {
      return say("a tensor", "");
    }
    return say(absl::StrCat("a pickled object of type ", ShortName(type)),
               "load it where that class is, and ");
  }
  if (value.kind == Kind::kDict) {
    for (const char* key :
         {"state_dict", "model_state_dict", "model", "optimizer", "epoch"}) {
      if (HasKey(value, key)) {
        return say(absl::StrCat("a checkpoint with '", key, "'"),
                   "load that into the model, and ");
      }
    }
    return say("a dict, such as a state_dict", "load it into the model, and ");
  }
  return say(
      value.kind == Kind::kList ? "a list, such as sample inputs" : "a pickle",
      "");
}

// Returns what the record data.pkl of an archive of torch.save holds. Error: it
// cannot be read.
absl::StatusOr<std::shared_ptr<const PickleValue>> SavedPickle(
    const InputFile& file) {
  NS_ASSIGN_OR_RETURN(const ArchiveRecords records, FindArchiveRecords(file));
  const auto record = records.find("data.pkl");
  if (record == records.end() || record->second.size > kMostPickleBytes) {
    return absl::NotFoundError("no pickle of a usual size");
  }
  NS_ASSIGN_OR_RETURN(const std::string bytes,
                      ReadArchiveRecord(file, record->second));
  return ParsePickle(bytes);
}

std::optional<ForeignFile> ByEntries(const InputFile& file) {
  const absl::StatusOr<std::vector<ZipEntry>> entries = ReadZipDirectory(file);
  if (!entries.ok() || entries->empty()) {
    return std::nullopt;
  }
  const auto has = [&](absl::string_view base) {
    return absl::c_any_of(*entries, [&](const ZipEntry& entry) {
      return Base(entry.name) == base;
    });
  };
  if (has("constants.pkl")) {
    return std::nullopt;
  }
  if (absl::c_any_of(*entries, [](const ZipEntry& entry) {
        return absl::StrContains(entry.name, "aotinductor/");
      })) {
    return OtherModel("a package of AOTInductor (.pt2), compiled code");
  }
  if (has("serialized_exported_program.json") || has("archive_format")) {
    return ForeignFile{
        "is a program of torch.export (.pt2), not TorchScript",
        "in Python, torch.jit.save(torch.jit.trace(torch.export.load(path)"
        ".module(), inputs), \"model.pt\")",
        ""};
  }
  if (absl::c_all_of(*entries, [](const ZipEntry& entry) {
        return absl::EndsWith(entry.name, ".npy");
      })) {
    return Simply("an archive of NumPy arrays (.npz)");
  }
  if (has("data.pkl")) {
    const auto value = SavedPickle(file);
    return value.ok() ? SavedValue(**value) : SavedValue(PickleValue());
  }
  return Simply("a zip file without the record data.pkl of torch.save");
}

}  // namespace

std::optional<ForeignFile> RecognizeForeignFile(const InputFile& file) {
  std::string bytes(kStartBytes, '\0');
  bytes.resize(file.ReadAt(0, bytes.data(), bytes.size()));
  const absl::string_view start = bytes;
  if (absl::StartsWith(start, "PK\x03\x04")) {
    return ByEntries(file);
  }
  if (std::optional<ForeignFile> found = ByMagic(start)) {
    return found;
  }
  if (IsSafetensors(start)) {
    return OtherModel("parameters in the safetensors format, without code");
  }
  if (IsOnnx(start)) {
    return OtherModel("an ONNX model");
  }
  return std::nullopt;
}

}  // namespace ns
