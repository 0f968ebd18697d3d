#include "ns/batches/to_batches.h"

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "ns/batches/fit_value.h"

namespace ns {
namespace {

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

}  // namespace

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

absl::StatusOr<std::vector<Batch>> ToBatches(const c10::IValue& value) {
  std::vector<Batch> batches;
  if (value.isTensor() || value.isGenericDict()) {
    NS_ASSIGN_OR_RETURN(Batch batch, ToBatch(value));
    batches.push_back(std::move(batch));
    return batches;
  }
  if (value.isTuple()) {
    // A tuple could be several batches or the arguments of one. Guessing would
    // compare a model on inputs that nobody meant.
    return absl::InvalidArgumentError(
        "holds a tuple; put it into a list: [(x, y)] is one batch of two "
        "arguments, [x, y] are two batches");
  }
  if (!value.isList()) {
    return absl::InvalidArgumentError(
        absl::StrCat("holds ", Described(value), "; ", kWhatToSave));
  }
  const c10::ArrayRef<c10::IValue> elements = value.toListRef();
  if (elements.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("holds no batches; ", kWhatToSave));
  }
  for (size_t i = 0; i < elements.size(); ++i) {
    absl::StatusOr<Batch> batch = ToBatch(elements[i]);
    if (!batch.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("element ", i, " ", batch.status().message()));
    }
    batches.push_back(*std::move(batch));
  }
  return batches;
}

}  // namespace ns
