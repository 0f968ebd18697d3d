// Structs with every kind of member that a Map can have.
#ifndef TESTS_IR_JSON_MAPPED_STRUCTS_H_
#define TESTS_IR_JSON_MAPPED_STRUCTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace ns {

enum class Color { kRed, kBlue };

inline absl::string_view ColorName(Color color) {
  return color == Color::kRed ? "red" : "blue";
}

inline std::optional<Color> ColorNamed(absl::string_view name) {
  return name == "red"    ? std::optional(Color::kRed)
         : name == "blue" ? std::optional(Color::kBlue)
                          : std::nullopt;
}

struct Point {
  int x = 0;
  size_t y = 0;
};

template <typename Io>
void Map(Io& io, Point& point) {
  io("x", point.x);
  io("y", point.y);
}

struct NamedNumber {
  std::string name;
  double number = 0;
};

struct Everything {
  bool flag = false;
  int64_t count = 0;
  double figure = 0;
  std::string text;
  Point point;
  std::vector<Point> points;
  std::vector<double> numbers;
  std::vector<std::string> names;
  std::vector<std::pair<size_t, size_t>> edges;
  std::optional<double> maybe;
  std::optional<std::vector<Point>> maybe_points;
  std::string maybe_text;
  bool maybe_flag = false;
  bool has_list = false;
  std::vector<std::string> list;
  double later = 0;
  double low = 0;
  double high = 0;
  Color color = Color::kRed;
  int64_t inner = 0;
  std::vector<NamedNumber> others;
};

template <typename Io>
void Map(Io& io, Everything& all) {
  io.Schema("test/1", "what the test wrote");
  io("flag", all.flag);
  io("count", all.count);
  io("figure", all.figure);
  io("text", all.text);
  io("point", all.point);
  io("points", all.points);
  io("numbers", all.numbers);
  io("names", all.names);
  io("edges", all.edges);
  io.Optional("maybe", all.maybe);
  io.Optional("maybe_points", all.maybe_points);
  io.Optional("maybe_text", all.maybe_text);
  io.Optional("maybe_flag", all.maybe_flag);
  io.When(all.has_list, "list", all.list);
  io.OrElse("later", all.later, -1);
  io.Pair("range", all.low, all.high);
  io.Check(!(all.low > all.high), "an object with a range from low to high");
  io.Named("color", all.color, ColorName, ColorNamed, "a color, such as red");
  io.Object("object", [&](auto& object) { object("inner", all.inner); });
  io.Numbers(all.others, [] {
    return std::vector<std::string>{"after", "sum"};
  });
  io.Derived("sum", [&] { return all.low + all.high; });
  io.Derived("nothing", [] { return std::optional<Point>(); });
}

// One that sets each member.
inline Everything Full() {
  Everything all;
  all.flag = true;
  all.count = -3;
  all.figure = 30;
  all.text = "a\"b";
  all.point = {-1, 2};
  all.points = {{3, 4}};
  all.numbers = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0.5};
  all.names = {"a", "b"};
  all.edges = {{0, 1}};
  all.maybe = 0.25;
  all.maybe_points.emplace();
  all.maybe_text = "c";
  all.maybe_flag = true;
  all.has_list = true;
  all.later = 7;
  all.low = -0.5;
  all.high = 1.5;
  all.color = Color::kBlue;
  all.inner = 9;
  all.others = {{"mae", 0.125}, {"psnr", 40}};
  return all;
}

}  // namespace ns

#endif  // TESTS_IR_JSON_MAPPED_STRUCTS_H_
