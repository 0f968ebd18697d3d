// Finds where a second data set differs from the first one.
#ifndef NS_FINDINGS_DATA_SHIFT_H_
#define NS_FINDINGS_DATA_SHIFT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ns/result/comparison_result.h"

namespace ns {

// A layer whose float values have another range on the second data set.
struct DataShift {
  // The index of the layer.
  size_t layer = 0;
  // How far the values of the second data set go beyond those of the first, as
  // a share of the width of the first, and how wide they are, likewise. Widths
  // include 0, as quantized ranges do.
  double beyond = 0;
  double width = 1;
  // The share of the values that is clipped (ClippedShare), 0 to 1, on each.
  double clipped_on_first = 0;
  double clipped_on_second = 0;
  // How many values were compared on the second data set.
  int64_t elements_on_second = 0;

  // Whether the quantized range is too small for the second data set; if not,
  // it is too large.
  bool IsWider() const;
};

// Returns the layers with quantized outputs that
//
//  * go beyond the first range by at least half of its width,
//  * clip at least 1 % more of their values, which are at least 20 values, or
//  * use at most half of the width that the first data set uses.
//
// Two samples of the same data differ by less. In order of execution, in which
// the first ones cause the others; empty without a second data set.
std::vector<DataShift> DataShifts(const ComparisonResult& result);

// Describes a shift without naming the layer: "-3.1 to 14.2 (first data: -3 to
// 5.01), 12.0 % clipped (first data: 0.1 %)".
std::string DataShiftText(const ComparisonResult& result,
                          const DataShift& shift);

// Returns how many dB less the output of the model with the lowest SQNR on the
// second data set has there than on the first; 0 where none is known on both.
double SecondDataLossDb(const ComparisonResult& result);

// Says in a sentence what the second data set does to the outputs, and how many
// layers have other ranges: "The lowest output SQNR is 12.6 dB (first
// data: 25.0 dB); 4 of 25 layers have other ranges." Empty without a second
// data set.
std::string SecondDataSentence(const ComparisonResult& result);

}  // namespace ns

#endif  // NS_FINDINGS_DATA_SHIFT_H_
