#include "ir/files/check_module_pickle.h"

#include <c10/core/ScalarType.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "ir/base/status.h"
#include "ir/files/check_module_code.h"
#include "ir/files/pickle.h"
#include "ir/files/pickled_tensor.h"
#include "llvm/ADT/DenseSet.h"

namespace ns {
namespace {

using Kind = PickleValue::Kind;
using Items = std::vector<std::shared_ptr<const PickleValue>>;

// Each level of modules takes two levels of nesting.
constexpr int kMaxDepth = 1000;

absl::Status Bad(absl::string_view what) {
  return absl::InvalidArgumentError(what);
}

absl::StatusOr<std::vector<int64_t>> Ints(const PickleValue& value) {
  if (value.kind != Kind::kTuple && value.kind != Kind::kList) {
    return Bad("a list of numbers is none");
  }
  std::vector<int64_t> ints;
  for (const auto& item : value.items) {
    if (item->kind != Kind::kInt) {
      return Bad("a list of numbers is none");
    }
    ints.push_back(item->integer);
  }
  return ints;
}

// Returns a list of ints, which may be inside the call that gives it its type.
absl::StatusOr<std::vector<int64_t>> TypedInts(const PickleValue& value) {
  if (value.kind == Kind::kCall && !value.items[1]->items.empty()) {
    return TypedInts(*value.items[1]->items[0]);
  }
  return Ints(value);
}

// Returns the elements of a list, which may be inside the call that gives it
// its type.
const Items& TypedItems(const PickleValue& value) {
  return value.kind == Kind::kCall && !value.items[1]->items.empty()
             ? TypedItems(*value.items[1]->items[0])
             : value.items;
}

bool IsCallOf(const PickleValue& value, absl::string_view function) {
  return value.kind == Kind::kCall && value.items[0]->text == function;
}

bool IsQuantizedTensor(const PickleValue& value) {
  return IsCallOf(value, "torch._utils._rebuild_qtensor");
}

// Whether `state`, of packed parameters, holds a quantized tensor without
// elements. A value that is shared by several places in it is looked at once.
bool HoldsEmptyWeight(const PickleValue& state,
                      llvm::DenseSet<const PickleValue*>& seen) {
  if (!seen.insert(&state).second) {
    return false;
  }
  if (IsQuantizedTensor(state)) {
    const Items& arguments = state.items[1]->items;
    if (arguments.size() < 3) {
      return false;
    }
    for (const auto& size : arguments[2]->items) {
      if (size->kind == Kind::kInt && size->integer == 0) {
        return true;
      }
    }
    return false;
  }
  for (const auto& item :
       state.kind == Kind::kCall ? TypedItems(state) : state.items) {
    if (HoldsEmptyWeight(*item, seen)) {
      return true;
    }
  }
  return false;
}

bool HoldsEmptyWeight(const PickleValue& state) {
  llvm::DenseSet<const PickleValue*> seen;
  return HoldsEmptyWeight(state, seen);
}

bool AreAtLeast(absl::Span<const int64_t> values, int64_t least) {
  for (const int64_t value : values) {
    if (value < least) {
      return false;
    }
  }
  return true;
}

// The numbers that say how a convolution moves its kernel.
struct ConvNumbers {
  std::vector<int64_t> stride;
  std::vector<int64_t> padding;
  std::vector<int64_t> dilation;
  std::vector<int64_t> output_padding;
  int64_t groups = 0;
};

absl::Status Check(const ConvNumbers& conv) {
  if (conv.groups < 1) {
    return Bad(absl::StrCat("a convolution has ", conv.groups, " groups"));
  }
  if (!AreAtLeast(conv.stride, 1) || !AreAtLeast(conv.dilation, 1) ||
      !AreAtLeast(conv.padding, 0) || !AreAtLeast(conv.output_padding, 0)) {
    return Bad(
        "a convolution has a stride or a dilation below 1, or a negative "
        "padding");
  }
  return absl::OkStatus();
}

// Checks the numbers of packed parameters: how many dimensions there are; for
// each of them stride, padding, dilation and output padding; groups; flags.
absl::Status CheckPackedNumbers(absl::Span<const int64_t> numbers) {
  if (numbers.empty() || numbers[0] < 1 || numbers[0] > 3 ||
      numbers.size() != static_cast<size_t>(4 * numbers[0] + 3)) {
    return Bad("the parameters of a convolution are not complete");
  }
  const auto part = [&](size_t index) {
    const auto found = numbers.subspan(1 + index * numbers[0], numbers[0]);
    return std::vector<int64_t>(found.begin(), found.end());
  };
  ConvNumbers conv;
  conv.stride = part(0);
  conv.padding = part(1);
  conv.dilation = part(2);
  conv.output_padding = part(3);
  conv.groups = numbers[numbers.size() - 2];
  return Check(conv);
}

struct OtherStorage {
  absl::string_view type;
  int64_t element_bytes;
};

// Types that StorageDtype does not know. Elements of some are smaller than a
// byte, so that sizes and strides do not tell where they lie.
constexpr OtherStorage kOtherStorages[] = {
    {"torch.ComplexHalfStorage", 4},
    {"torch.QUInt2x4Storage", 1},
    {"torch.QUInt4x2Storage", 1},
};

class Checker {
 public:
  Checker(const ModuleArchive& archive, absl::string_view folder)
      : archive_(archive), folder_(folder) {}

  absl::Status Check(const PickleValue& value) {
    if (!seen_.insert(&value).second) {
      return absl::OkStatus();
    }
    if (value.kind == Kind::kCall) {
      NS_RETURN_IF_ERROR(CheckCall(value));
    }
    for (const Items* parts : {&value.items, &value.assigned}) {
      for (const auto& part : *parts) {
        NS_RETURN_IF_ERROR(Check(*part));
      }
    }
    return value.state == nullptr ? absl::OkStatus() : Check(*value.state);
  }

 private:
  absl::Status CheckCall(const PickleValue& call) {
    const PickleValue& function = *call.items[0];
    if (function.kind != Kind::kGlobal || call.items[1]->kind != Kind::kTuple) {
      return Bad("an object is of no class");
    }
    const Items& arguments = call.items[1]->items;
    if (function.text == "torch._utils._rebuild_tensor_v2") {
      return CheckTensor(arguments, /*is_quantized=*/false).status();
    }
    if (function.text == "torch._utils._rebuild_qtensor") {
      return CheckQuantizedTensor(arguments);
    }
    // The value, and the text of its type, which LibTorch parses.
    if (function.text == "torch.jit._pickle.restore_type_tag" &&
        arguments.size() > 1) {
      return CheckTypeText(arguments[1]->text);
    }
    if (call.state == nullptr) {
      return absl::OkStatus();
    }
    // qnnpack packs such a weight, and reads what is not there when it runs.
    if (absl::StartsWith(function.text, "__torch__.torch.classes.") &&
        HoldsEmptyWeight(*call.state)) {
      return Bad("the weight of a quantized layer is empty");
    }
    if (absl::StartsWith(function.text,
                         "__torch__.torch.classes.quantized.Conv")) {
      return CheckPackedConv(*call.state);
    }
    return CheckConvModule(*call.state);
  }

  // Checks (storage, offset, sizes, strides, ...). Returns none for a type of
  // which nothing is known, and for a tensor that is no window into a storage.
  absl::StatusOr<std::optional<PickledTensor>> CheckTensor(const Items& items,
                                                           bool is_quantized) {
    if (items.size() < 4 || items[0]->kind != Kind::kPersistentId ||
        items[1]->kind != Kind::kInt) {
      return Bad("a tensor has no storage");
    }
    const PickleValue& id = *items[0]->items[0];
    if (id.kind != Kind::kTuple || id.items.size() < 5 ||
        id.items[1]->kind != Kind::kGlobal ||
        id.items[2]->kind != Kind::kString ||
        id.items[3]->kind != Kind::kString || id.items[4]->kind != Kind::kInt) {
      return Bad("a storage is not described in full");
    }
    PickledTensor tensor;
    tensor.storage = id.items[2]->text;
    tensor.offset = items[1]->integer;
    NS_ASSIGN_OR_RETURN(tensor.sizes, Ints(*items[2]));
    NS_ASSIGN_OR_RETURN(tensor.strides, Ints(*items[3]));
    const std::string& type = id.items[1]->text;
    const int64_t elements = id.items[4]->integer;
    if (const auto dtype = StorageDtype(type)) {
      tensor.dtype = *dtype;
      const int64_t element_bytes =
          static_cast<int64_t>(c10::elementSize(*dtype));
      NS_RETURN_IF_ERROR(CheckStorage(tensor.storage, elements, element_bytes));
      NS_RETURN_IF_ERROR(BytesOf(tensor, elements * element_bytes).status());
      if (c10::isQIntType(*dtype) != is_quantized) {
        return Bad("a tensor is quantized in part");
      }
      return std::optional<PickledTensor>(std::move(tensor));
    }
    for (const OtherStorage& row : kOtherStorages) {
      if (type == row.type) {
        NS_RETURN_IF_ERROR(
            CheckStorage(tensor.storage, elements, row.element_bytes));
        return std::optional<PickledTensor>();
      }
    }
    return Bad(absl::StrCat("a tensor is of the unknown type ", type));
  }

  // LibTorch reads as many bytes as the record has, and assumes that they are
  // those of all elements.
  absl::Status CheckStorage(const std::string& key, int64_t elements,
                            int64_t element_bytes) {
    if (elements == 0) {
      return absl::OkStatus();
    }
    const std::string name = absl::StrCat(folder_, "/", key);
    const auto record = archive_.records().find(name);
    if (record == archive_.records().end()) {
      return Bad(absl::StrCat("there is no record ", name));
    }
    if (elements < 0 || elements > record->second.size / element_bytes) {
      return Bad(absl::StrCat("the record ", name, " has ", record->second.size,
                              " bytes for ", elements, " elements of ",
                              element_bytes));
    }
    return absl::OkStatus();
  }

  // Checks (storage, offset, sizes, strides, quantizer, ...), where the
  // quantizer is (scheme, scale, zero point) or (scheme, scales, zero points,
  // axis).
  absl::Status CheckQuantizedTensor(const Items& items) {
    NS_ASSIGN_OR_RETURN(const std::optional<PickledTensor> tensor,
                        CheckTensor(items, /*is_quantized=*/true));
    if (items.size() < 5 || items[4]->kind != Kind::kTuple) {
      return Bad("a quantized tensor has no scale");
    }
    const Items& quantizer = items[4]->items;
    if (quantizer.size() == 3) {
      return absl::OkStatus();
    }
    if (quantizer.size() != 4 || quantizer[3]->kind != Kind::kInt) {
      return Bad("a quantized tensor has no scale");
    }
    NS_ASSIGN_OR_RETURN(const std::vector<int64_t> sizes, Ints(*items[2]));
    const int64_t axis = quantizer[3]->integer;
    if (axis < 0 || axis >= static_cast<int64_t>(sizes.size())) {
      return Bad("a quantized tensor has no axis of its scales");
    }
    for (const size_t i : {size_t{1}, size_t{2}}) {
      NS_ASSIGN_OR_RETURN(const std::vector<int64_t> count,
                          SizesOf(*quantizer[i]));
      if (count != std::vector<int64_t>{sizes[axis]}) {
        return Bad("the scales of a quantized tensor do not fit its channels");
      }
    }
    return absl::OkStatus();
  }

  absl::StatusOr<std::vector<int64_t>> SizesOf(const PickleValue& tensor) {
    if (!IsCallOf(tensor, "torch._utils._rebuild_tensor_v2") ||
        tensor.items[1]->items.size() < 3) {
      return Bad("the scales of a quantized tensor are no tensor");
    }
    return Ints(*tensor.items[1]->items[2]);
  }

  // Checks what packed parameters keep: (version, tensors, optional tensors),
  // of which the first tensor holds the numbers, or (3, numbers, optional
  // tensors).
  absl::Status CheckPackedConv(const PickleValue& state) {
    if (state.kind != Kind::kTuple || state.items.size() < 3) {
      return absl::OkStatus();
    }
    if (state.items[0]->kind == Kind::kInt) {
      NS_ASSIGN_OR_RETURN(const std::vector<int64_t> numbers,
                          TypedInts(*state.items[1]));
      return CheckPackedNumbers(numbers);
    }
    const Items& tensors = TypedItems(*state.items[1]);
    if (tensors.empty()) {
      return Bad("the parameters of a convolution are not complete");
    }
    NS_ASSIGN_OR_RETURN(const std::vector<int64_t> numbers,
                        ReadShorts(*tensors[0]));
    return CheckPackedNumbers(numbers);
  }

  // Reads the elements of a tensor of int16.
  absl::StatusOr<std::vector<int64_t>> ReadShorts(const PickleValue& value) {
    if (!IsCallOf(value, "torch._utils._rebuild_tensor_v2")) {
      return Bad("the parameters of a convolution are no tensor");
    }
    NS_ASSIGN_OR_RETURN(
        const std::optional<PickledTensor> tensor,
        CheckTensor(value.items[1]->items, /*is_quantized=*/false));
    if (!tensor || tensor->dtype != c10::kShort || tensor->offset != 0 ||
        tensor->sizes.size() != 1 || tensor->strides[0] != 1 ||
        tensor->sizes[0] == 0) {
      return Bad("the parameters of a convolution are no tensor");
    }
    NS_ASSIGN_OR_RETURN(
        const std::string bytes,
        archive_.Read(absl::StrCat(folder_, "/", tensor->storage)));
    std::vector<int16_t> shorts(tensor->sizes[0]);
    std::memcpy(shorts.data(), bytes.data(), shorts.size() * sizeof(int16_t));
    return std::vector<int64_t>(shorts.begin(), shorts.end());
  }

  // Checks what PyTorch's quantized convolutions keep, whatever their class is
  // called: channels (0, 1), kernel size, stride, padding, dilation,
  // transposed, output padding, groups, padding mode, weight, ...
  absl::Status CheckConvModule(const PickleValue& state) {
    if (state.kind != Kind::kTuple || state.items.size() < 13 ||
        state.items[9]->kind != Kind::kString ||
        !IsQuantizedTensor(*state.items[10])) {
      return absl::OkStatus();
    }
    ConvNumbers conv;
    NS_ASSIGN_OR_RETURN(conv.stride, TypedInts(*state.items[3]));
    NS_ASSIGN_OR_RETURN(conv.padding, TypedInts(*state.items[4]));
    NS_ASSIGN_OR_RETURN(conv.dilation, TypedInts(*state.items[5]));
    NS_ASSIGN_OR_RETURN(conv.output_padding, TypedInts(*state.items[7]));
    if (state.items[8]->kind != Kind::kInt) {
      return Bad("the groups of a convolution are no number");
    }
    conv.groups = state.items[8]->integer;
    if (HoldsEmptyWeight(*state.items[10])) {
      return Bad("the weight of a quantized layer is empty");
    }
    return ns::Check(conv);
  }

  const ModuleArchive& archive_;
  const absl::string_view folder_;
  llvm::DenseSet<const PickleValue*> seen_;
};

absl::Status CheckContent(const ModuleArchive& archive, absl::string_view name,
                          absl::string_view content) {
  PickleOptions options;
  options.keep_state = true;
  options.for_libtorch = true;
  options.max_depth = kMaxDepth;
  NS_ASSIGN_OR_RETURN(const auto root, ParsePickle(content, options));
  return Checker(archive, name).Check(*root);
}

}  // namespace

absl::Status CheckModulePickle(const ModuleArchive& archive,
                               absl::string_view name) {
  const std::string record = absl::StrCat(name, ".pkl");
  NS_ASSIGN_OR_RETURN(const std::string content, archive.Read(record));
  const absl::Status status = CheckContent(archive, name, content);
  return status.ok()
             ? status
             : Bad(absl::StrCat(
                   "is damaged, in its record ", record, ": ", status.message(),
                   "; copy it again, or save it again with torch.jit.save"));
}

}  // namespace ns
