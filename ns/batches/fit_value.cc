#include "ns/batches/fit_value.h"

#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "ir/base/status.h"

namespace ns {
namespace {

absl::StatusOr<c10::IValue> Fit(const c10::IValue& value,
                                const c10::TypePtr& type,
                                const std::string& where);

absl::Status Misfit(const c10::IValue& value, const c10::TypePtr& type,
                    const std::string& where) {
  return absl::InvalidArgumentError(
      absl::StrCat(where, "is ", Described(value), " where ",
                   type->annotation_str(), " is declared"));
}

std::string Element(const std::string& where, size_t index) {
  return absl::StrCat(where, "at element ", index, " ");
}

absl::StatusOr<c10::IValue> FitList(const c10::IValue& value,
                                    const c10::TypePtr& type,
                                    const std::string& where) {
  std::vector<c10::IValue> elements;
  if (value.isList()) {
    elements = value.toListRef().vec();
  } else if (value.isTuple()) {
    elements = value.toTupleRef().elements().vec();
  } else {
    return Misfit(value, type, where);
  }
  const c10::TypePtr& element_type = type->containedType(0);
  c10::impl::GenericList list(element_type);
  list.reserve(elements.size());
  for (size_t i = 0; i < elements.size(); ++i) {
    NS_ASSIGN_OR_RETURN(c10::IValue element,
                        Fit(elements[i], element_type, Element(where, i)));
    list.push_back(std::move(element));
  }
  return c10::IValue(list);
}

absl::StatusOr<c10::IValue> FitTuple(const c10::IValue& value,
                                     const c10::TypePtr& type,
                                     const std::string& where) {
  const auto tuple_type = type->expect<c10::TupleType>();
  const auto& element_types = tuple_type->elements();
  if (!value.isTuple() ||
      value.toTupleRef().elements().size() != element_types.size()) {
    return Misfit(value, type, where);
  }
  std::vector<c10::IValue> elements;
  for (size_t i = 0; i < element_types.size(); ++i) {
    NS_ASSIGN_OR_RETURN(c10::IValue element,
                        Fit(value.toTupleRef().elements()[i], element_types[i],
                            Element(where, i)));
    elements.push_back(std::move(element));
  }
  return c10::IValue(
      c10::ivalue::Tuple::createNamed(std::move(elements), tuple_type));
}

absl::StatusOr<c10::IValue> FitDict(const c10::IValue& value,
                                    const c10::TypePtr& type,
                                    const std::string& where) {
  if (!value.isGenericDict()) {
    return Misfit(value, type, where);
  }
  const c10::TypePtr& key_type = type->containedType(0);
  const c10::TypePtr& value_type = type->containedType(1);
  c10::impl::GenericDict dict(key_type, value_type);
  for (const auto& entry : value.toGenericDict()) {
    const std::string at =
        entry.key().isString()
            ? absl::StrCat(where, "at key '", entry.key().toStringRef(), "' ")
            : absl::StrCat(where, "at a key ");
    NS_ASSIGN_OR_RETURN(c10::IValue key, Fit(entry.key(), key_type, at));
    NS_ASSIGN_OR_RETURN(c10::IValue fit, Fit(entry.value(), value_type, at));
    dict.insert_or_assign(std::move(key), std::move(fit));
  }
  return c10::IValue(dict);
}

// Fits `value` to the first member of the union that it fits. None is tried
// like any other value: it fits NoneType.
absl::StatusOr<c10::IValue> FitUnion(const c10::IValue& value,
                                     const c10::TypePtr& type,
                                     const std::string& where) {
  const auto members = type->containedTypes();
  // An int must not become a float where the int itself is a member.
  for (const c10::TypePtr& member : members) {
    if (value.type()->isSubtypeOf(*member)) {
      return Fit(value, member, where);
    }
  }
  for (const c10::TypePtr& member : members) {
    auto fit = Fit(value, member, where);
    if (fit.ok()) {
      return fit;
    }
  }
  return Misfit(value, type, where);
}

absl::StatusOr<c10::IValue> Fit(const c10::IValue& value,
                                const c10::TypePtr& type,
                                const std::string& where) {
  bool fits = false;
  switch (type->kind()) {
    case c10::TypeKind::AnyType:
      return value;
    case c10::TypeKind::TensorType:
      fits = value.isTensor();
      break;
    case c10::TypeKind::FloatType:
      if (value.isInt()) {
        return c10::IValue(static_cast<double>(value.toInt()));
      }
      fits = value.isDouble();
      break;
    case c10::TypeKind::NumberType:
      fits = value.isScalar();
      break;
    case c10::TypeKind::OptionalType: {
      if (value.isNone()) {
        return value;
      }
      const c10::TypePtr& member =
          type->expect<c10::OptionalType>()->getElementType();
      return Fit(value, member, where);
    }
    case c10::TypeKind::UnionType:
      return FitUnion(value, type, where);
    case c10::TypeKind::ListType:
      return FitList(value, type, where);
    case c10::TypeKind::TupleType:
      return FitTuple(value, type, where);
    case c10::TypeKind::DictType:
      return FitDict(value, type, where);
    default:
      fits = value.type()->isSubtypeOf(*type);
      break;
  }
  if (!fits) {
    return Misfit(value, type, where);
  }
  return value;
}

}  // namespace

std::string Described(const c10::IValue& value) {
  if (value.isNone()) {
    return "None";
  }
  if (value.isTensor()) {
    return "a tensor";
  }
  if (value.isTuple()) {
    return absl::StrCat("a tuple of ", value.toTupleRef().elements().size());
  }
  if (value.isList()) {
    return absl::StrCat("a list of ", value.toListRef().size());
  }
  if (value.isGenericDict()) {
    return absl::StrCat("a dict of ", value.toGenericDict().size());
  }
  if (value.isInt()) {
    return "an int";
  }
  return absl::StrCat("a ", value.type()->annotation_str());
}

std::string OneLine(std::string message) {
  constexpr size_t kMaxLength = 1000;
  for (char& c : message) {
    if (absl::ascii_iscntrl(static_cast<unsigned char>(c))) {
      c = '?';
    }
  }
  if (message.size() > kMaxLength) {
    message.resize(kMaxLength);
    message += "...";
  }
  return message;
}

absl::StatusOr<c10::IValue> FitValue(const c10::IValue& value,
                                     const c10::TypePtr& type) {
  return Fit(value, type, "");
}

}  // namespace ns
