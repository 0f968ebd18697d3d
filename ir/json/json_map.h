// One description of a struct, from which its JSON is written, read and listed.
//
// A function template beside the struct names each member once:
//
//   struct CodeUse {
//     int64_t at_lowest = 0;
//     std::optional<int64_t> unused;
//   };
//
//   template <typename Io>
//   void Map(Io& io, CodeUse& use) {
//     io("lowest", use.at_lowest);
//     io.Optional("unused", use.unused);
//   }
//
// Io is JsonOut (write_json.h), JsonIn (read_json.h) or JsonKeys (json_keys.h).
// JsonOut does not change the struct. Members are written in the order of the
// calls; where they are read, their order does not matter, and members that Map
// does not name are ignored.
//
//   io(key, value)            a member that is always there
//   io.Optional(key, value)   one that is left out where it is empty: nothing,
//                             "", no elements or false
//   io.When(is_there, key, value)
//                             one that is written where `is_there` holds;
//                             reading sets it to whether the member was there
//   io.OrElse(key, value, other)
//                             one that is always written, and reads as `other`
//                             where it is missing
//   io.Pair(key, a, b)        two numbers, as a list of two
//   io.Named(key, value, name_of, named, what)
//                             an enumerator, as the string name_of(value);
//                             named(string) is absent where no enumerator has
//                             that name, which is then to be `what`
//   io.Object(key, map)       an object whose members map(io) names
//   io.Numbers(figures, known)
//                             a member for each of `figures`, structs of a name
//                             and a double: when reading, all numbers with a
//                             point ("0.0", not "0") that Map did not name
//                             before and known(), a list, does not contain
//   io.Derived(key, compute)  what compute() returns, left out where that is an
//                             empty optional; written, never read
//   io.Schema(name, writer)   the member "schema", which must be `name`;
//                             `writer` says what to give instead
//   io.Check(holds, what)     reading fails where `holds` is false; the object
//                             is to be `what`
//
// Io::kReads tells reading from writing, for the few places that need it.
//
// A value is a bool, an integer, a double, a string, a pair of numbers, a
// struct with a Map, an optional of these that is not empty, or a vector.
// Infinities and NaN, for which JSON has no numbers, are strings.
#ifndef IR_JSON_JSON_MAP_H_
#define IR_JSON_JSON_MAP_H_

#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ns {

template <typename T>
struct IsOptional : std::false_type {};
template <typename T>
struct IsOptional<std::optional<T>> : std::true_type {};

template <typename T>
struct IsVector : std::false_type {};
template <typename T>
struct IsVector<std::vector<T>> : std::true_type {};

template <typename T>
struct IsPair : std::false_type {};
template <typename A, typename B>
struct IsPair<std::pair<A, B>> : std::true_type {};

// Whether Optional leaves `value` out.
template <typename T>
bool IsLeftOut(const T& value) {
  if constexpr (IsOptional<T>::value) {
    return !value.has_value();
  } else if constexpr (std::is_same_v<T, bool>) {
    return !value;
  } else if constexpr (IsVector<T>::value || std::is_same_v<T, std::string>) {
    return value.empty();
  } else {
    return false;
  }
}

}  // namespace ns

#endif  // IR_JSON_JSON_MAP_H_
