#include "ns/batches/write_torch_save.h"

#include <caffe2/serialize/inline_container.h>
#include <torch/csrc/jit/serialization/pickler.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/files/file_writer.h"

namespace ns {
namespace {

// Returns `value` with lists and dicts of any type, at any depth: the pickler
// marks lists of tensors and numbers with TorchScript's types.
c10::IValue Untyped(const c10::IValue& value) {
  if (value.isList()) {
    c10::impl::GenericList list(c10::AnyType::get());
    for (const c10::IValue& element : value.toListRef()) {
      list.push_back(Untyped(element));
    }
    return list;
  }
  if (value.isGenericDict()) {
    const auto typed = value.toGenericDict();
    c10::impl::GenericDict dict(typed.keyType(), c10::AnyType::get());
    for (const auto& entry : typed) {
      dict.insert(entry.key(), Untyped(entry.value()));
    }
    return dict;
  }
  if (value.isTuple()) {
    std::vector<c10::IValue> elements;
    for (const c10::IValue& element : value.toTupleRef().elements()) {
      elements.push_back(Untyped(element));
    }
    return c10::ivalue::Tuple::create(std::move(elements));
  }
  return value;
}

void Write(FileWriter& file, const c10::IValue& value) {
  std::string pickle;
  torch::jit::Pickler pickler(
      [&](const char* bytes, size_t count) { pickle.append(bytes, count); },
      nullptr, nullptr, nullptr, nullptr, /*tag_aggregates=*/false);
  pickler.protocol();
  pickler.pushIValue(Untyped(value));
  pickler.stop();

  caffe2::serialize::PyTorchStreamWriter archive(
      [&](const void* bytes, size_t count) {
        file.Write(bytes, count);
        return count;
      });
  archive.writeRecord("data.pkl", pickle.data(), pickle.size());
  size_t key = 0;
  for (const at::Tensor& tensor : pickler.tensorData()) {
    archive.writeRecord(absl::StrCat("data/", key++), tensor.storage().data(),
                        tensor.storage().nbytes());
  }
  archive.writeEndOfFile();
}

}  // namespace

absl::StatusOr<int64_t> WriteTorchSave(const std::string& path,
                                       const c10::IValue& value) {
  FileWriter file(path);
  NS_RETURN_IF_ERROR(
      CatchTorchErrors("cannot write", [&] { Write(file, value); }));
  NS_RETURN_IF_ERROR(file.Close());
  return file.size();
}

}  // namespace ns
