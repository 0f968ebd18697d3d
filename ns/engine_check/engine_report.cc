#include "ns/engine_check/engine_report.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "ir/json/json_map.h"
#include "ir/json/write_json.h"
#include "ns/findings/figure_text.h"
#include "ns/report/table/text_table.h"

namespace ns {
namespace {

// Returns "1 fault", "2 faults".
std::string Count(int64_t count, absl::string_view noun) {
  return absl::StrCat(count, " ", noun, count == 1 ? "" : "s");
}

std::string WhereText(const EngineFault& fault) {
  std::vector<std::string> parts = fault.traits;
  if (fault.needs_threads) {
    parts.emplace_back("several threads");
  }
  return parts.empty() ? "-" : absl::StrJoin(parts, ", ");
}

std::vector<Column> Columns(const EngineCheck& check) {
  Column ops{{{"", ""}, {"op", kBold}}, false, Shrink::kLater};
  Column kinds{{{"", ""}, {"fault", kBold}}};
  Column calls{{{"", ""}, {"calls", kBold}}, true};
  Column steps{{{"steps", kBold}, {"off", kBold}}, true};
  Column shares{{{"share of", kBold}, {"elements", kBold}}, true};
  Column avoided{{{"in other", kBold}, {"commands", kBold}}};
  Column where{{{"", ""}, {"where", kBold}}, false, Shrink::kFirst};
  for (const EngineFault& fault : check.faults) {
    const bool has_steps = fault.share > 0;
    ops.cells.push_back({fault.op, ""});
    kinds.cells.push_back({EngineFaultName(fault.kind), ""});
    calls.cells.push_back(
        {absl::StrCat(fault.faulty_cases, " of ", fault.cases), ""});
    steps.cells.push_back({has_steps ? FormatFigure(fault.steps) : "-", ""});
    shares.cells.push_back(
        {has_steps ? absl::StrFormat("%.1f%%", 100 * fault.share) : "-", ""});
    avoided.cells.push_back({fault.is_avoided ? "avoided" : "there, too", ""});
    where.cells.push_back({WhereText(fault), ""});
  }
  return {std::move(ops),   std::move(kinds),  std::move(calls),
          std::move(steps), std::move(shares), std::move(avoided),
          std::move(where)};
}

}  // namespace

std::string EngineTable(const EngineCheck& check, const TableOptions& options) {
  std::string text = absl::StrCat(
      check.engine, ", LibTorch ", check.libtorch, ", ", check.processor, ", ",
      Count(check.threads, "thread"), ": ", Count(check.cases, "call"), " of ",
      Count(check.ops, "op"), ", ",
      check.faults.empty()
          ? "no fault found"
          : Count(static_cast<int64_t>(check.faults.size()), "fault"),
      "\n");
  if (!check.faults.empty()) {
    const std::vector<Column> columns = Columns(check);
    absl::StrAppend(
        &text, "\n",
        Render(
            columns,
            FitWidths(columns, static_cast<size_t>(std::max(options.width, 0))),
            options.color));
  }
  if (!check.refused_ops.empty()) {
    absl::StrAppend(&text, "\nops that it does not have: ",
                    absl::StrJoin(check.refused_ops, ", "), "\n");
  }
  for (const EngineFault& fault : check.faults) {
    if (!fault.reproduction.empty()) {
      absl::StrAppend(&text, "\n# ", fault.op, " ", EngineFaultName(fault.kind),
                      ":\n", fault.reproduction);
    }
  }
  return text;
}

template <typename Io>
void Map(Io& io, EngineFault& fault) {
  io("op", fault.op);
  io.Derived("fault", [&] { return EngineFaultName(fault.kind); });
  io("faulty_cases", fault.faulty_cases);
  io("cases", fault.cases);
  io("steps", fault.steps);
  io("share", fault.share);
  io("traits", fault.traits);
  io("needs_threads", fault.needs_threads);
  io("avoided", fault.is_avoided);
  io("reproduction", fault.reproduction);
}

template <typename Io>
void Map(Io& io, EngineCheck& check) {
  io.Schema("ns.engine-check/1", "what ns check-engine --json wrote");
  io("engine", check.engine);
  io("libtorch", check.libtorch);
  io("processor", check.processor);
  io("threads", check.threads);
  io("ops", check.ops);
  io("cases", check.cases);
  io("refused_cases", check.refused_cases);
  io("refused_ops", check.refused_ops);
  io("faults", check.faults);
}

std::string EngineJson(const EngineCheck& check) { return WriteJson(check); }

}  // namespace ns
