#include "ns/report/graph/layout_rows.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"

namespace ns {
namespace {

// Orders settle soon, and an even number of sweeps ends with one from above.
constexpr int kOrderSweeps = 4;
constexpr int kPlaceSweeps = 4;

using Row = std::vector<size_t>;

// The neighbours of each box in other rows.
struct Neighbours {
  std::vector<std::vector<size_t>> above;
  std::vector<std::vector<size_t>> below;
};

Neighbours NeighboursOf(const RowsInput& input) {
  const size_t count = input.widths.size();
  Neighbours neighbours = {std::vector<std::vector<size_t>>(count),
                           std::vector<std::vector<size_t>>(count)};
  std::vector<std::pair<size_t, size_t>> edges = input.edges;
  absl::c_sort(edges);
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  for (const auto& [from, to] : edges) {
    if (from < to && to < count) {
      neighbours.below[from].push_back(to);
      neighbours.above[to].push_back(from);
    }
  }
  return neighbours;
}

// Returns the rows by longest path. Full ones go on in the next.
std::vector<Row> RowsOf(const Neighbours& neighbours, size_t most) {
  const size_t count = neighbours.above.size();
  std::vector<size_t> ranks(count);
  std::vector<Row> by_rank;
  for (size_t box = 0; box < count; ++box) {
    for (const size_t above : neighbours.above[box]) {
      ranks[box] = std::max(ranks[box], ranks[above] + 1);
    }
    by_rank.resize(std::max(by_rank.size(), ranks[box] + 1));
    by_rank[ranks[box]].push_back(box);
  }
  std::vector<Row> rows;
  for (const Row& boxes : by_rank) {
    for (size_t begin = 0; begin < boxes.size(); begin += most) {
      rows.emplace_back(boxes.begin() + begin,
                        boxes.begin() + std::min(begin + most, boxes.size()));
    }
  }
  return rows;
}

double Mean(const std::vector<size_t>& boxes, const std::vector<double>& at) {
  double sum = 0;
  for (const size_t box : boxes) {
    sum += at[box];
  }
  return sum / static_cast<double>(boxes.size());
}

double Median(const std::vector<size_t>& boxes, const std::vector<double>& at) {
  std::vector<double> places;
  places.reserve(boxes.size());
  for (const size_t box : boxes) {
    places.push_back(at[box]);
  }
  absl::c_sort(places);
  const size_t middle = places.size() / 2;
  return places.size() % 2 == 1 ? places[middle]
                                : (places[middle - 1] + places[middle]) / 2;
}

// Visits all rows, downwards and upwards in turn, with the neighbours that were
// visited before.
template <typename Visit>
void Sweep(std::vector<Row>& rows, const Neighbours& neighbours, int sweeps,
           const Visit& visit) {
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    const bool upwards = sweep % 2 == 0;
    for (size_t i = 0; i < rows.size(); ++i) {
      visit(rows[upwards ? rows.size() - 1 - i : i],
            upwards ? neighbours.below : neighbours.above);
    }
  }
}

// Sorts each row by the barycentres of neighbours.
void Order(std::vector<Row>& rows, const Neighbours& neighbours) {
  std::vector<double> at(neighbours.above.size());
  // Places in a row are from 0 to 1, so that rows of all lengths compare.
  const auto number = [&](const Row& row) {
    for (size_t i = 0; i < row.size(); ++i) {
      at[row[i]] = (static_cast<double>(i) + 0.5) / row.size();
    }
  };
  for (const Row& row : rows) {
    number(row);
  }
  Sweep(rows, neighbours, kOrderSweeps,
        [&](Row& row, const std::vector<std::vector<size_t>>& others) {
          std::vector<std::pair<double, size_t>> keys;
          for (const size_t box : row) {
            keys.emplace_back(
                others[box].empty() ? at[box] : Mean(others[box], at), box);
          }
          absl::c_stable_sort(keys, [](const auto& a, const auto& b) {
            return a.first < b.first;
          });
          for (size_t i = 0; i < row.size(); ++i) {
            row[i] = keys[i].second;
          }
          number(row);
        });
}

// Returns the centres of all boxes.
std::vector<double> Place(std::vector<Row>& rows, const Neighbours& neighbours,
                          const RowsInput& input) {
  std::vector<double> at(input.widths.size());
  const auto spread = [&](const Row& row, const std::vector<double>& wanted) {
    std::vector<double> distances(row.size());
    for (size_t i = 1; i < row.size(); ++i) {
      distances[i] =
          (input.widths[row[i - 1]] + input.widths[row[i]]) / 2.0 + input.gap;
    }
    const std::vector<double> centres = SpreadOut(wanted, distances);
    for (size_t i = 0; i < row.size(); ++i) {
      at[row[i]] = centres[i];
    }
  };
  for (const Row& row : rows) {
    spread(row, std::vector<double>(row.size()));
  }
  Sweep(rows, neighbours, kPlaceSweeps,
        [&](const Row& row, const std::vector<std::vector<size_t>>& others) {
          std::vector<double> wanted;
          for (const size_t box : row) {
            wanted.push_back(others[box].empty() ? at[box]
                                                 : Median(others[box], at));
          }
          spread(row, wanted);
        });
  return at;
}

}  // namespace

std::vector<double> SpreadOut(absl::Span<const double> wanted,
                              absl::Span<const double> distances) {
  // Without the distances in front of them, positions must not fall. Where they
  // do, neighbours are pooled at their mean.
  struct Pool {
    double sum;
    size_t count;
    double Mean() const { return sum / static_cast<double>(count); }
  };
  std::vector<double> offsets(wanted.size());
  std::vector<Pool> pools;
  for (size_t i = 0; i < wanted.size(); ++i) {
    offsets[i] = i == 0 ? 0 : offsets[i - 1] + distances[i];
    Pool pool = {wanted[i] - offsets[i], 1};
    while (!pools.empty() && pools.back().Mean() > pool.Mean()) {
      pool = {pool.sum + pools.back().sum, pool.count + pools.back().count};
      pools.pop_back();
    }
    pools.push_back(pool);
  }
  std::vector<double> positions;
  positions.reserve(wanted.size());
  for (const Pool& pool : pools) {
    for (size_t i = 0; i < pool.count; ++i) {
      positions.push_back(pool.Mean() + offsets[positions.size()]);
    }
  }
  return positions;
}

RowsOutput ArrangeInRows(const RowsInput& input) {
  RowsOutput output;
  const size_t count = input.widths.size();
  output.rows.resize(count);
  output.lefts.resize(count);
  if (count == 0) {
    return output;
  }
  const Neighbours neighbours = NeighboursOf(input);
  std::vector<Row> rows = RowsOf(neighbours, std::max<size_t>(input.most, 1));
  Order(rows, neighbours);
  const std::vector<double> centres = Place(rows, neighbours, input);
  output.row_count = static_cast<int>(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    // Rounding must not make boxes overlap: each starts behind the one before.
    std::optional<int> least;
    for (const size_t box : rows[i]) {
      const int left =
          static_cast<int>(std::lround(centres[box] - input.widths[box] / 2.0));
      output.rows[box] = static_cast<int>(i);
      output.lefts[box] = least ? std::max(*least, left) : left;
      least = output.lefts[box] + input.widths[box] + input.gap;
    }
  }
  const int origin = *absl::c_min_element(output.lefts);
  for (size_t box = 0; box < count; ++box) {
    output.lefts[box] -= origin;
    output.width =
        std::max(output.width, output.lefts[box] + input.widths[box]);
  }
  return output;
}

}  // namespace ns
