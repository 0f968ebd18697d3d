// Shows the recipe that a search has found as a table for terminals.
#ifndef NS_SEARCH_SEARCH_TABLE_H_
#define NS_SEARCH_SEARCH_TABLE_H_

#include <string>
#include <vector>

#include "ns/report/table/table_report.h"
#include "ns/search/search_result.h"

namespace ns {

// A row for each layer with a choice: name, op, choice, its part of the
// predicted noise, its time in microseconds and its part of the recipe's. The
// last row has what is not of a layer with a choice.
//
//                            noise  time  time
//   layer       op      use       %    us     %
//   conv1       conv2d  float   0.0   310  22.1
//   (all else)                  0.0    90   6.4
//
// Below it are what was skipped and why, eight points of SearchResult::pareto,
// or more if more were measured, and last what was predicted and measured (with
// labels also the top-1 of both models, before the last line):
//
//   frontier:
//      25.1 dB predicted      700 us  14 in int8
//      30.1 dB measured       790 us  12 in int8
//
//   2 of 14 layers in float; 812 us for a batch, 790 us predicted; float model
//   2130 us
//   3.00 float and 12.50 quantized passes over 8 batches
//   SQNR 30.4 dB predicted, 30.1 dB measured on 8 batches; budget 30 dB
//
// `result` must have a chosen recipe in SearchResult::verified.
std::string SearchTable(const SearchResult& result,
                        const TableOptions& options);

// Returns the warnings of `result`, and one more where the model that was found
// was measured to be no faster than the float model.
std::vector<std::string> SearchWarnings(const SearchResult& result);

}  // namespace ns

#endif  // NS_SEARCH_SEARCH_TABLE_H_
