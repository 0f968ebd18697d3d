// Prints the result of a comparison as a table for a terminal.
#ifndef NS_REPORT_TABLE_TABLE_REPORT_H_
#define NS_REPORT_TABLE_TABLE_REPORT_H_

#include <cstddef>
#include <string>

#include "ns/result/comparison_result.h"

namespace ns {

struct TableOptions {
  // Whether there are ANSI colours: red below 10 dB and for nan, yellow below
  // 20 dB.
  bool color = false;
  // Whether layers are sorted by the figure that the bar shows, lowest first,
  // and by the worst of several outputs; nan comes before all, layers without
  // the figure last. Otherwise they are in the order of the result.
  bool sort_by_error = false;
  // The columns of the terminal; 0 for no limit. Where there is room beside all
  // else, a column shows how the channels of each layer fare (Strip in
  // ns/findings/figure_text.h). A narrow terminal shortens names in their
  // middle, but only as far as they stay distinct, then drops the bar, then the
  // float subgraph; rows may still be longer.
  int width = 0;
  // Whether there is a column of where each layer is in the user's code.
  bool source = false;
  // Whether text below the table says what is quantized, and why the rest is
  // not.
  bool coverage = false;
  // How many layers are shown, the first ones in their order; 0 for all. A line
  // below the rows says how many are left out. What comes after it is of all.
  size_t top = 0;
  // Whether layers are sorted by the time that they take quantized, longest
  // first. Needs ComparisonResult::times.
  bool sort_by_time = false;
};

// Returns a row for each layer: its name, ops of the float subgraph, the
// quantized base op, SQNR in dB of weight, activation, shadow, weight only,
// activation only, inherited error, kernel, and the activation on a second data
// set (columns that were not asked for are left out; "inherited" comes with
// both activations and shadows), and a bar of 0 to 60 dB. The bar shows the
// activation, or the shadow, or the kernel, or the weight: the first of these
// that was asked for. "exact" is infinite SQNR, "-" no figure. Several weights
// show as the lowest and "(xN)". Below a layer with several outputs, whose row
// has the first, comes a row for each of the others, "  c_n".
//
// With TableOptions::source, a column says where the float op is in the user's
// code, "net.py:12", or where the quantized one is; the JSON has the full path.
//
// Where the models were timed, three columns have the microseconds of both
// sides and the share of the quantized model's time.
//
// Metrics of the user have a column each, of the values that the bar shows, in
// the order in which they were given.
//
// Below the rows come the count of layers, the lowest figures, which layer is
// to blame, which ones saturate, and what was left out and why
// (ns/report/table/table_summary.h). Control characters in names are escaped: a
// model must not control the terminal.
std::string ToTable(const ComparisonResult& result,
                    const TableOptions& options);

// Returns a row for each pair: its name and both subgraphs, each with its
// module path. Then comes what stayed unmatched and why. Figures are ignored.
std::string ToMatchTable(const ComparisonResult& result,
                         const TableOptions& options);

}  // namespace ns

#endif  // NS_REPORT_TABLE_TABLE_REPORT_H_
