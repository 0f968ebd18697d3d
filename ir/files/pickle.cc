#include "ir/files/pickle.h"

#include <cstring>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "ir/base/status.h"
#include "ir/files/pickle_opcodes.h"

namespace ns {
namespace {

using Kind = PickleValue::Kind;
using Op = PickleOpcode;
using ValuePtr = std::shared_ptr<PickleValue>;

absl::Status Malformed(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("the pickle ", what));
}

absl::Status Truncated() { return Malformed("ends in the middle"); }

class Parser {
 public:
  Parser(absl::string_view bytes, const PickleOptions& options)
      : bytes_(bytes), options_(options) {}

  absl::StatusOr<std::shared_ptr<const PickleValue>> Parse() {
    while (true) {
      NS_ASSIGN_OR_RETURN(const uint8_t opcode, Read<uint8_t>());
      if (static_cast<Op>(opcode) == Op::kStop) {
        break;
      }
      NS_RETURN_IF_ERROR(Execute(static_cast<Op>(opcode)));
    }
    if (stack_.size() != 1 || !marks_.empty()) {
      return Malformed(
          absl::StrCat("leaves ", stack_.size(), " values instead of 1"));
    }
    return stack_.back();
  }

 private:
  absl::Status Execute(Op opcode) {
    switch (opcode) {
      case Op::kProto: {
        NS_ASSIGN_OR_RETURN(const uint8_t protocol, Read<uint8_t>());
        if (protocol < 2 || protocol > 5) {
          return Malformed(absl::StrCat("has protocol ", protocol,
                                        "; protocols 2 to 5 are known"));
        }
        return absl::OkStatus();
      }
      case Op::kFrame:
        return Read<uint64_t>().status();
      case Op::kMark:
        marks_.push_back(stack_.size());
        return absl::OkStatus();
      case Op::kPop:
        if (!marks_.empty() && marks_.back() == stack_.size()) {
          marks_.pop_back();
          return absl::OkStatus();
        }
        return PopLast(1).status();
      case Op::kPopMark:
        return PopToMark().status();
      case Op::kBinPut:
        return Memoize(Read<uint8_t>());
      case Op::kLongBinPut:
        return Memoize(Read<uint32_t>());
      case Op::kMemoize:
        return Memoize(static_cast<uint32_t>(memo_.size()));
      case Op::kBinGet:
        return Recall(Read<uint8_t>());
      case Op::kLongBinGet:
        return Recall(Read<uint32_t>());
      default:
        break;
    }
    NS_ASSIGN_OR_RETURN(const bool scalar, PushScalar(opcode));
    return scalar ? absl::OkStatus() : ExecuteContainer(opcode);
  }

  // Returns false when `opcode` pushes no scalar.
  absl::StatusOr<bool> PushScalar(Op opcode) {
    switch (opcode) {
      case Op::kNone:
        Push(Kind::kNone);
        return true;
      case Op::kNewTrue:
      case Op::kNewFalse:
        Push(Kind::kBool).integer = opcode == Op::kNewTrue;
        return true;
      case Op::kBinInt:
        return PushInt(Read<int32_t>());
      case Op::kBinInt1:
        return PushInt(Read<uint8_t>());
      case Op::kBinInt2:
        return PushInt(Read<uint16_t>());
      case Op::kLong1:
        return PushLong(Read<uint8_t>());
      case Op::kLong4:
        return PushLong(Read<uint32_t>());
      case Op::kBinFloat: {
        NS_ASSIGN_OR_RETURN(uint64_t bits, Read<uint64_t>());
        bits = __builtin_bswap64(bits);
        std::memcpy(&Push(Kind::kFloat).number, &bits, sizeof(bits));
        return true;
      }
      case Op::kShortBinUnicode:
        return PushText(Kind::kString, Read<uint8_t>());
      case Op::kBinUnicode:
        return PushText(Kind::kString, Read<uint32_t>());
      case Op::kBinUnicode8:
        return PushText(Kind::kString, Read<uint64_t>());
      case Op::kShortBinBytes:
        return PushText(Kind::kBytes, Read<uint8_t>());
      case Op::kBinBytes:
        return PushText(Kind::kBytes, Read<uint32_t>());
      case Op::kBinBytes8:
        return PushText(Kind::kBytes, Read<uint64_t>());
      case Op::kGlobal: {
        NS_ASSIGN_OR_RETURN(const absl::string_view module, ReadLine());
        NS_ASSIGN_OR_RETURN(const absl::string_view name, ReadLine());
        Push(Kind::kGlobal).text = absl::StrCat(module, ".", name);
        return true;
      }
      case Op::kStackGlobal: {
        NS_ASSIGN_OR_RETURN(const std::vector<ValuePtr> names, PopLast(2));
        if (names[0]->kind != Kind::kString ||
            names[1]->kind != Kind::kString) {
          return Malformed("has a global without a name");
        }
        Push(Kind::kGlobal).text =
            absl::StrCat(names[0]->text, ".", names[1]->text);
        return true;
      }
      default:
        return false;
    }
  }

  absl::Status ExecuteContainer(Op opcode) {
    switch (opcode) {
      case Op::kEmptyTuple:
        return PushHolding(Kind::kTuple, PopLast(0));
      case Op::kTuple1:
        return PushHolding(Kind::kTuple, PopLast(1));
      case Op::kTuple2:
        return PushHolding(Kind::kTuple, PopLast(2));
      case Op::kTuple3:
        return PushHolding(Kind::kTuple, PopLast(3));
      case Op::kTuple:
        return PushHolding(Kind::kTuple, PopToMark());
      case Op::kEmptyList:
        return PushHolding(Kind::kList, PopLast(0));
      case Op::kEmptyDict:
        return PushHolding(Kind::kDict, PopLast(0));
      case Op::kReduce:
      case Op::kNewObj:
        return PushHolding(Kind::kCall, PopLast(2));
      case Op::kBinPersId:
        return PushHolding(Kind::kPersistentId, PopLast(1));
      case Op::kAppend:
        return Append(PopLast(1));
      case Op::kAppends:
        return Append(PopToMark());
      case Op::kSetItem:
        return SetItems(PopLast(2));
      case Op::kSetItems:
        return SetItems(PopToMark());
      case Op::kBuild:
        return SetState(PopLast(1));
      default:
        return Malformed(
            absl::StrFormat("has opcode 0x%02x at byte %d, which torch.save "
                            "does not write",
                            static_cast<int>(opcode), position_ - 1));
    }
  }

  // Reads a little-endian number; the machines that LibTorch runs on are
  // little-endian as well.
  template <typename T>
  absl::StatusOr<T> Read() {
    NS_ASSIGN_OR_RETURN(const absl::string_view bytes, ReadBytes(sizeof(T)));
    T value;
    std::memcpy(&value, bytes.data(), sizeof(T));
    return value;
  }

  absl::StatusOr<absl::string_view> ReadBytes(uint64_t count) {
    if (count > bytes_.size() - position_) {
      return Truncated();
    }
    const absl::string_view bytes = bytes_.substr(position_, count);
    position_ += count;
    return bytes;
  }

  absl::StatusOr<absl::string_view> ReadLine() {
    const size_t end = bytes_.find('\n', position_);
    if (end == absl::string_view::npos) {
      return Truncated();
    }
    const absl::string_view line = bytes_.substr(position_, end - position_);
    position_ = end + 1;
    return line;
  }

  PickleValue& Push(Kind kind) {
    stack_.push_back(std::make_shared<PickleValue>());
    stack_.back()->kind = kind;
    return *stack_.back();
  }

  template <typename T>
  absl::StatusOr<bool> PushInt(const absl::StatusOr<T>& value) {
    NS_RETURN_IF_ERROR(value.status());
    Push(Kind::kInt).integer = *value;
    return true;
  }

  // Pushes a two's complement number of `size` bytes.
  template <typename T>
  absl::StatusOr<bool> PushLong(const absl::StatusOr<T>& size) {
    NS_RETURN_IF_ERROR(size.status());
    NS_ASSIGN_OR_RETURN(const absl::string_view bytes, ReadBytes(*size));
    if (bytes.size() > sizeof(int64_t)) {
      return Malformed("holds an integer of more than 64 bits");
    }
    const bool negative = !bytes.empty() && (bytes.back() & 0x80) != 0;
    uint64_t bits = negative ? ~uint64_t{0} : 0;
    std::memcpy(&bits, bytes.data(), bytes.size());
    Push(Kind::kInt).integer = static_cast<int64_t>(bits);
    return true;
  }

  template <typename T>
  absl::StatusOr<bool> PushText(Kind kind, const absl::StatusOr<T>& size) {
    NS_RETURN_IF_ERROR(size.status());
    NS_ASSIGN_OR_RETURN(const absl::string_view bytes, ReadBytes(*size));
    Push(kind).text = std::string(bytes);
    return true;
  }

  // Takes the last `count` values off the stack, at most down to the last mark.
  absl::StatusOr<std::vector<ValuePtr>> PopLast(size_t count) {
    const size_t bottom = marks_.empty() ? 0 : marks_.back();
    if (stack_.size() - bottom < count) {
      return Malformed("takes a value from an empty stack");
    }
    std::vector<ValuePtr> values(stack_.end() - count, stack_.end());
    stack_.resize(stack_.size() - count);
    return values;
  }

  absl::StatusOr<std::vector<ValuePtr>> PopToMark() {
    if (marks_.empty()) {
      return Malformed("closes a group that it did not open");
    }
    auto values = PopLast(stack_.size() - marks_.back());
    marks_.pop_back();
    return values;
  }

  absl::Status Memoize(absl::StatusOr<uint32_t> index) {
    NS_RETURN_IF_ERROR(index.status());
    if (stack_.empty()) {
      return Malformed("takes a value from an empty stack");
    }
    if (options_.for_libtorch && *index != memo_.size()) {
      return Malformed(absl::StrCat("notes value ", *index, " out of order"));
    }
    memo_[*index] = stack_.back();
    return absl::OkStatus();
  }

  absl::Status Recall(absl::StatusOr<uint32_t> index) {
    NS_RETURN_IF_ERROR(index.status());
    const auto found = memo_.find(*index);
    if (found == memo_.end()) {
      return Malformed(absl::StrCat("refers to an unknown value ", *index));
    }
    stack_.push_back(found->second);
    return absl::OkStatus();
  }

  absl::Status PushHolding(Kind kind,
                           absl::StatusOr<std::vector<ValuePtr>> values) {
    NS_RETURN_IF_ERROR(values.status());
    PickleValue& holder = Push(kind);
    return Hold(*values, holder, holder.items);
  }

  absl::Status Append(absl::StatusOr<std::vector<ValuePtr>> values) {
    NS_RETURN_IF_ERROR(values.status());
    NS_ASSIGN_OR_RETURN(const std::vector<ValuePtr> target, PopLast(1));
    PickleValue& list = *target[0];
    if (list.kind != Kind::kList && list.kind != Kind::kCall) {
      return Malformed("appends to what is no list");
    }
    stack_.push_back(target[0]);
    return Hold(*values, list,
                list.kind == Kind::kList ? list.items : list.assigned);
  }

  absl::Status SetItems(absl::StatusOr<std::vector<ValuePtr>> values) {
    NS_RETURN_IF_ERROR(values.status());
    NS_ASSIGN_OR_RETURN(const std::vector<ValuePtr> target, PopLast(1));
    PickleValue& dict = *target[0];
    if ((dict.kind != Kind::kDict && dict.kind != Kind::kCall) ||
        values->size() % 2 != 0) {
      return Malformed("sets keys of what is no dict");
    }
    stack_.push_back(target[0]);
    return Hold(*values, dict,
                dict.kind == Kind::kDict ? dict.items : dict.assigned);
  }

  absl::Status SetState(absl::StatusOr<std::vector<ValuePtr>> state) {
    NS_RETURN_IF_ERROR(state.status());
    if (!options_.keep_state) {
      return absl::OkStatus();
    }
    NS_ASSIGN_OR_RETURN(const std::vector<ValuePtr> target, PopLast(1));
    PickleValue& object = *target[0];
    if (object.kind != Kind::kCall || object.state != nullptr) {
      return Malformed("sets the state of what is no object");
    }
    stack_.push_back(target[0]);
    object.state = (*state)[0];
    return Hold(*state, object);
  }

  absl::Status Hold(const std::vector<ValuePtr>& values, PickleValue& holder,
                    std::vector<std::shared_ptr<const PickleValue>>& slots) {
    NS_RETURN_IF_ERROR(Hold(values, holder));
    slots.insert(slots.end(), values.begin(), values.end());
    return absl::OkStatus();
  }

  // Notes that `holder` holds `values`. Python fills a container before it puts
  // it into another one, except where a container holds itself. Refusing to
  // fill it later thus avoids cycles, and keeps depths true.
  absl::Status Hold(const std::vector<ValuePtr>& values,
                    PickleValue& holder) const {
    for (const ValuePtr& value : values) {
      value->held = true;
      if (holder.held) {
        return Malformed("holds a container that contains itself");
      }
      if (value->depth + 1 > holder.depth) {
        holder.depth = value->depth + 1;
      }
    }
    if (holder.depth > options_.max_depth) {
      return Malformed(
          absl::StrCat("nests more than ", options_.max_depth, " deep"));
    }
    return absl::OkStatus();
  }

  const absl::string_view bytes_;
  const PickleOptions options_;
  size_t position_ = 0;
  std::vector<ValuePtr> stack_;
  // The heights of the stack where groups start.
  std::vector<size_t> marks_;
  absl::flat_hash_map<uint32_t, ValuePtr> memo_;
};

}  // namespace

absl::StatusOr<std::shared_ptr<const PickleValue>> ParsePickle(
    absl::string_view bytes, const PickleOptions& options) {
  return Parser(bytes, options).Parse();
}

}  // namespace ns
