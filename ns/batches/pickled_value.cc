#include "ns/batches/pickled_value.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ir/base/status.h"
#include "llvm/ADT/DenseMap.h"

namespace ns {
namespace {

using Kind = PickleValue::Kind;
using Items = std::vector<std::shared_ptr<const PickleValue>>;

absl::Status Unsupported(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(
      "holds ", what,
      "; save tensors, numbers, strings, and tuples, lists and dicts of them"));
}

absl::Status UnknownGlobal(absl::string_view name) {
  if (absl::StartsWith(name, "numpy")) {
    return Unsupported(absl::StrCat("a NumPy value (", name,
                                    "); convert it with "
                                    "torch.from_numpy or float()"));
  }
  return Unsupported(absl::StrCat("a ", name));
}

absl::Status Damaged(absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("holds a damaged ", what, "; save it again"));
}

absl::StatusOr<std::vector<int64_t>> Ints(const PickleValue& value) {
  if (value.kind != Kind::kTuple && value.kind != Kind::kList) {
    return Damaged("tensor");
  }
  std::vector<int64_t> ints;
  for (const auto& item : value.items) {
    if (item->kind != Kind::kInt) {
      return Damaged("tensor");
    }
    ints.push_back(item->integer);
  }
  return ints;
}

class Converter {
 public:
  explicit Converter(TensorMaker& tensors) : tensors_(tensors) {}

  absl::StatusOr<c10::IValue> Convert(const PickleValue& value) {
    // A value that several places share stays one value, and is converted
    // once: otherwise a small file could unfold to an endless one.
    if (const auto found = converted_.find(&value); found != converted_.end()) {
      return found->second;
    }
    NS_ASSIGN_OR_RETURN(c10::IValue result, ConvertAnew(value));
    converted_.try_emplace(&value, result);
    return result;
  }

 private:
  absl::StatusOr<c10::IValue> ConvertAnew(const PickleValue& value) {
    switch (value.kind) {
      case Kind::kNone:
        return c10::IValue();
      case Kind::kBool:
        return c10::IValue(value.integer != 0);
      case Kind::kInt:
        return c10::IValue(value.integer);
      case Kind::kFloat:
        return c10::IValue(value.number);
      case Kind::kString:
        return c10::IValue(value.text);
      case Kind::kBytes:
        return Unsupported("bytes");
      case Kind::kTuple: {
        NS_ASSIGN_OR_RETURN(std::vector<c10::IValue> elements,
                            ConvertAll(value.items));
        return c10::IValue(c10::ivalue::Tuple::create(std::move(elements)));
      }
      case Kind::kList: {
        NS_ASSIGN_OR_RETURN(const std::vector<c10::IValue> elements,
                            ConvertAll(value.items));
        c10::impl::GenericList list(c10::AnyType::get());
        for (const c10::IValue& element : elements) {
          list.push_back(element);
        }
        return c10::IValue(list);
      }
      case Kind::kDict:
        return ConvertDict(value.items);
      case Kind::kGlobal: {
        if (const auto dtype = DtypeNamed(value.text)) {
          return c10::IValue(static_cast<int64_t>(*dtype));
        }
        return UnknownGlobal(value.text);
      }
      case Kind::kCall:
        return ConvertCall(value);
      case Kind::kPersistentId:
        return Unsupported("a storage without a tensor");
    }
    return Damaged("pickle");
  }

  absl::StatusOr<std::vector<c10::IValue>> ConvertAll(const Items& items) {
    std::vector<c10::IValue> values;
    values.reserve(items.size());
    for (const auto& item : items) {
      NS_ASSIGN_OR_RETURN(c10::IValue value, Convert(*item));
      values.push_back(std::move(value));
    }
    return values;
  }

  absl::StatusOr<c10::IValue> ConvertDict(const Items& keys_and_values) {
    NS_ASSIGN_OR_RETURN(const std::vector<c10::IValue> pairs,
                        ConvertAll(keys_and_values));
    c10::impl::GenericDict dict(c10::AnyType::get(), c10::AnyType::get());
    for (size_t i = 0; i + 1 < pairs.size(); i += 2) {
      const c10::IValue& key = pairs[i];
      // These are the keys that TorchScript's dicts can have, and that hash
      // without throwing.
      if (!key.isString() && !key.isInt() && !key.isDouble() && !key.isBool()) {
        return Unsupported(absl::StrCat("a dict with a key of type ",
                                        key.type()->annotation_str()));
      }
      dict.insert_or_assign(key, pairs[i + 1]);
    }
    return c10::IValue(dict);
  }

  absl::StatusOr<c10::IValue> ConvertCall(const PickleValue& call) {
    const PickleValue& function = *call.items[0];
    const PickleValue& arguments = *call.items[1];
    if (function.kind != Kind::kGlobal || arguments.kind != Kind::kTuple) {
      return Damaged("object");
    }
    const absl::string_view name = function.text;
    const Items& items = arguments.items;
    if (name == "torch._utils._rebuild_tensor" ||
        name == "torch._utils._rebuild_tensor_v2") {
      return ConvertTensor(items);
    }
    if (name == "torch._utils._rebuild_qtensor") {
      return ConvertQuantized(items);
    }
    if ((name == "torch._utils._rebuild_parameter" ||
         name == "torch._utils._rebuild_parameter_with_state") &&
        !items.empty()) {
      return Convert(*items[0]);
    }
    if (name == "torch._tensor._rebuild_from_type_v2" && items.size() >= 3) {
      return ConvertTensorWithState(items);
    }
    if (name == "collections.OrderedDict" && items.empty()) {
      return ConvertDict(call.assigned);
    }
    if (name == "torch.Size" && items.size() == 1) {
      NS_ASSIGN_OR_RETURN(const std::vector<int64_t> sizes, Ints(*items[0]));
      return c10::IValue(sizes);
    }
    if (name == "torch.device") {
      return c10::IValue(c10::Device(c10::kCPU));
    }
    return UnknownGlobal(name);
  }

  // Converts a tensor with Python attributes: (rebuild function, class, its
  // arguments, attributes). A subclass may mean something else by its values.
  absl::StatusOr<c10::IValue> ConvertTensorWithState(const Items& items) {
    const absl::string_view type = items[1]->text;
    if (type != "torch.Tensor" && type != "torch.nn.parameter.Parameter") {
      return UnknownGlobal(type);
    }
    PickleValue call;
    call.kind = Kind::kCall;
    call.items = {items[0], items[2]};
    // Convert would remember the address of `call`, which dies here.
    return ConvertCall(call);
  }

  // Reads (storage, offset, size, stride, ...), the arguments of
  // torch._utils._rebuild_tensor.
  absl::StatusOr<PickledTensor> Window(const Items& items) {
    if (items.size() < 4 || items[0]->kind != Kind::kPersistentId ||
        items[1]->kind != Kind::kInt) {
      return Damaged("tensor");
    }
    NS_ASSIGN_OR_RETURN(PickledTensor tensor, Storage(*items[0]->items[0]));
    tensor.offset = items[1]->integer;
    NS_ASSIGN_OR_RETURN(tensor.sizes, Ints(*items[2]));
    NS_ASSIGN_OR_RETURN(tensor.strides, Ints(*items[3]));
    return tensor;
  }

  absl::StatusOr<c10::IValue> ConvertTensor(const Items& items) {
    NS_ASSIGN_OR_RETURN(const PickledTensor pickled, Window(items));
    // Newer files say here that the values are to be conjugated or negated.
    if (items.size() > 6 && !items[6]->items.empty()) {
      return Unsupported("a lazily conjugated tensor, without resolve_conj()");
    }
    NS_ASSIGN_OR_RETURN(at::Tensor tensor, tensors_.Make(pickled, nullptr));
    return c10::IValue(std::move(tensor));
  }

  // Converts (storage, offset, size, stride, quantizer parameters, ...).
  absl::StatusOr<c10::IValue> ConvertQuantized(const Items& items) {
    NS_ASSIGN_OR_RETURN(const PickledTensor pickled, Window(items));
    if (items.size() < 5 || items[4]->items.empty() ||
        items[4]->items[0]->kind != Kind::kGlobal) {
      return Damaged("quantized tensor");
    }
    NS_ASSIGN_OR_RETURN(const PickledQuantizer quantizer,
                        Quantizer(items[4]->items));
    NS_ASSIGN_OR_RETURN(at::Tensor tensor, tensors_.Make(pickled, &quantizer));
    return c10::IValue(std::move(tensor));
  }

  // Reads (scheme, scale, zero point), or (scheme, scales, zero points, axis).
  absl::StatusOr<PickledQuantizer> Quantizer(const Items& items) {
    const absl::string_view scheme = items[0]->text;
    PickledQuantizer quantizer;
    if (scheme == "torch.per_tensor_affine" && items.size() == 3 &&
        items[1]->kind == Kind::kFloat && items[2]->kind == Kind::kInt) {
      quantizer.scale = items[1]->number;
      quantizer.zero_point = items[2]->integer;
      return quantizer;
    }
    if ((scheme == "torch.per_channel_affine" ||
         scheme == "torch.per_channel_affine_float_qparams") &&
        items.size() == 4 && items[3]->kind == Kind::kInt) {
      NS_ASSIGN_OR_RETURN(const c10::IValue scales, Convert(*items[1]));
      NS_ASSIGN_OR_RETURN(const c10::IValue zero_points, Convert(*items[2]));
      if (scales.isTensor() && zero_points.isTensor()) {
        quantizer.scheme = c10::kPerChannelAffine;
        quantizer.scales = scales.toTensor();
        quantizer.zero_points = zero_points.toTensor();
        quantizer.axis = items[3]->integer;
        return quantizer;
      }
    }
    return Damaged(absl::StrCat("quantized tensor of scheme ", scheme));
  }

  // Reads ("storage", type, key, device, elements). The device is ignored.
  absl::StatusOr<PickledTensor> Storage(const PickleValue& id) {
    if (id.kind != Kind::kTuple || id.items.size() < 5 ||
        id.items[1]->kind != Kind::kGlobal ||
        id.items[2]->kind != Kind::kString) {
      return Damaged("storage");
    }
    const std::string& type = id.items[1]->text;
    const auto dtype = StorageDtype(type);
    if (!dtype) {
      return UnknownGlobal(type);
    }
    return PickledTensor{id.items[2]->text, *dtype, 0, {}, {}};
  }

  TensorMaker& tensors_;
  llvm::DenseMap<const PickleValue*, c10::IValue> converted_;
};

}  // namespace

absl::StatusOr<c10::IValue> ConvertPickled(const PickleValue& value,
                                           TensorMaker& tensors) {
  return Converter(tensors).Convert(value);
}

}  // namespace ns
