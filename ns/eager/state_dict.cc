#include "ns/eager/state_dict.h"

#include <ATen/core/ivalue.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "ir/base/status.h"
#include "ir/files/input_file.h"
#include "ir/files/pickle.h"
#include "ns/batches/fit_value.h"
#include "ns/batches/torch_save.h"

namespace ns {
namespace {

using Kind = PickleValue::Kind;
using Pickled = std::shared_ptr<const PickleValue>;

constexpr char kClasses[] = "__torch__.torch.classes.";
constexpr char kWayOut[] =
    "; save it with torch.save(model.state_dict(), path)";

absl::Status Bad(absl::string_view path, absl::string_view what) {
  return absl::InvalidArgumentError(OneLine(absl::StrCat(path, ": ", what)));
}

// Returns the name of the function or class that `value` is a call of; empty
// for other values.
absl::string_view CalleeOf(const PickleValue& value) {
  return value.kind == Kind::kCall && value.items[0]->kind == Kind::kGlobal
             ? absl::string_view(value.items[0]->text)
             : "";
}

// Returns keys and values in turn, or null for a value that is no dict with
// string keys.
const std::vector<Pickled>* ItemsOf(const PickleValue& value) {
  const std::vector<Pickled>* items =
      value.kind == Kind::kDict                      ? &value.items
      : CalleeOf(value) == "collections.OrderedDict" ? &value.assigned
                                                     : nullptr;
  for (size_t i = 0; items != nullptr && i < items->size(); i += 2) {
    if ((*items)[i]->kind != Kind::kString) {
      return nullptr;
    }
  }
  return items;
}

// Whether `value` is a tensor with dense values: sparse and nested tensors have
// others, and those on the device meta have none.
bool IsTensor(const PickleValue& value) {
  absl::string_view callee = CalleeOf(value);
  const bool has_type = callee == "torch._tensor._rebuild_from_type_v2";
  if (!has_type && !absl::ConsumePrefix(&callee, "torch._utils._rebuild_")) {
    return false;
  }
  // A parameter, (tensor, ...), and a tensor with attributes, (function, class,
  // arguments, ...), may be of any kind.
  const std::vector<Pickled>& arguments = value.items[1]->items;
  if (has_type && arguments.size() >= 3) {
    PickleValue tensor;
    tensor.kind = Kind::kCall;
    tensor.items = {arguments[0], arguments[2]};
    return IsTensor(tensor);
  }
  if (absl::StartsWith(callee, "parameter") && !arguments.empty()) {
    return IsTensor(*arguments[0]);
  }
  return !absl::StartsWith(callee, "sparse_") &&
         !absl::StartsWith(callee, "nested_") &&
         !absl::StartsWith(callee, "meta_");
}

// Returns the tensor that a tuple (weight, bias) starts with, or null.
Pickled FirstTensor(const PickleValue& value) {
  return value.kind == Kind::kTuple && !value.items.empty() &&
                 IsTensor(*value.items[0])
             ? value.items[0]
             : nullptr;
}

// An object of a TorchScript class, as Python pickles it: what its __getstate__
// returns, and the name of its class.
struct ScriptObject {
  absl::string_view class_name;
  Pickled state;
};

std::optional<ScriptObject> AsScriptObject(const PickleValue& value) {
  if (CalleeOf(value) != "torch.ScriptObject") {
    return std::nullopt;
  }
  const PickleValue* state = value.state.get();
  if (state == nullptr || state->kind != Kind::kTuple ||
      state->items.size() != 2 || state->items[1]->kind != Kind::kString) {
    return ScriptObject();
  }
  absl::string_view name = state->items[1]->text;
  return ScriptObject{absl::StartsWith(name, kClasses)
                          ? name.substr(sizeof(kClasses) - 1)
                          : name,
                      state->items[0]};
}

// Returns the weights in an object; none where its class is not known.
std::vector<Pickled> PackedWeights(const ScriptObject& object) {
  if (object.class_name == "quantized.LinearPackedParamsBase") {
    Pickled weight = FirstTensor(*object.state);
    return weight == nullptr ? std::vector<Pickled>()
                             : std::vector<Pickled>{std::move(weight)};
  }
  // The state is (kind, biases, numbers, numbers, [w_ih, w_hh]).
  constexpr size_t kCells = 4;
  if (object.class_name != "rnn.CellParamsBase" ||
      object.state->kind != Kind::kTuple ||
      object.state->items.size() <= kCells) {
    return {};
  }
  std::vector<Pickled> weights;
  for (const Pickled& cell : object.state->items[kCells]->items) {
    const std::optional<ScriptObject> linear = AsScriptObject(*cell);
    if (!linear || linear->class_name != "quantized.LinearPackedParamsBase") {
      return {};
    }
    for (Pickled& weight : PackedWeights(*linear)) {
      weights.push_back(std::move(weight));
    }
  }
  return weights.size() == 2 ? weights : std::vector<Pickled>();
}

// The entries of a file, and for each of them the tensors that it will have.
struct Entries {
  StateDict dict;
  std::vector<std::vector<Pickled>> tensors;
};

Entries EntriesOf(const std::vector<Pickled>& items) {
  Entries entries;
  const auto add = [&](const std::string& key, bool is_packed,
                       std::vector<Pickled> tensors) {
    entries.dict.push_back({key, is_packed, {}});
    entries.tensors.push_back(std::move(tensors));
  };
  for (size_t i = 0; i + 1 < items.size(); i += 2) {
    const std::string& key = items[i]->text;
    const Pickled& value = items[i + 1];
    if (IsTensor(*value)) {
      add(key, /*is_packed=*/false, {value});
    } else if (Pickled weight = FirstTensor(*value)) {
      add(key, /*is_packed=*/true, {std::move(weight)});
    } else if (const auto object = AsScriptObject(*value)) {
      add(key, /*is_packed=*/true, PackedWeights(*object));
    }
  }
  return entries;
}

absl::StatusOr<TorchSave> Open(const std::string& path) {
  NS_ASSIGN_OR_RETURN(const auto file, InputFile::Open(path));
  PickleOptions options;
  options.keep_state = true;
  return TorchSave::Open(path, file, options);
}

}  // namespace

absl::StatusOr<StateDict> LoadStateDict(const std::string& path) {
  const absl::StatusOr<TorchSave> save = Open(path);
  if (!save.ok()) {
    return Bad(path, save.status().message());
  }
  const std::vector<Pickled>* items = ItemsOf(save->root());
  if (items == nullptr) {
    return Bad(path, absl::StrCat("holds no state_dict", kWayOut));
  }
  Entries entries = EntriesOf(*items);
  PickleValue all;
  all.kind = Kind::kList;
  for (const std::vector<Pickled>& tensors : entries.tensors) {
    all.items.insert(all.items.end(), tensors.begin(), tensors.end());
  }
  if (all.items.empty()) {
    return Bad(path, absl::StrCat("holds a dict without tensors", kWayOut));
  }
  // All are read at once, since entries may share a storage.
  const absl::StatusOr<c10::IValue> read = save->Read(all);
  if (!read.ok()) {
    return Bad(path, read.status().message());
  }
  size_t next = 0;
  for (size_t i = 0; i < entries.dict.size(); ++i) {
    for (size_t j = 0; j < entries.tensors[i].size(); ++j) {
      entries.dict[i].values.push_back(read->toListRef().at(next++).toTensor());
    }
  }
  return std::move(entries.dict);
}

bool HoldsStateDict(const std::string& path) {
  const absl::StatusOr<TorchSave> save = Open(path);
  return save.ok() && ItemsOf(save->root()) != nullptr;
}

}  // namespace ns
