// Reads figures of JSON, as ns/report/json_figures.h writes them.
#ifndef NS_REPORT_READ_FIGURES_H_
#define NS_REPORT_READ_FIGURES_H_

#include "ns/report/json_cursor.h"
#include "ns/suite/comparison_result.h"

namespace ns {

// Reads the error figures from the members of the object `json`. A metric that
// is missing, as in files of versions that did not have it yet, is nan. Where
// the SQNR is missing, or a figure is no number, the cursor is refused
// (JsonCursor).
ErrorFigures ReadFigures(const JsonCursor& json);

// Returns the figures of an activation that are members of `json`. Floats among
// them ("0.0", not "0") that are no fields of the schema are metrics of the
// user; they come in the order of their names. Where "non_finite" was left out,
// all counts are 0; in a stub, which has no "elements" either, it is absent.
// Histograms are not read.
ActivationComparison ReadActivation(const JsonCursor& json);

}  // namespace ns

#endif  // NS_REPORT_READ_FIGURES_H_
