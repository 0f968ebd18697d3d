// Checks what must hold of every result of the numeric suite.
#ifndef TESTS_TESTING_RESULTS_H_
#define TESTS_TESTING_RESULTS_H_

#include <string>
#include <vector>

#include "passes/extraction/results.h"

namespace ns {

// Fails the test unless every layer has, for each of its types, records of two
// models, "a" and "b": as many of both, with as many values, at least one, of
// the same shapes.
void ExpectComparable(const Results& results);

// Returns the layers with records of `type` (kWeightResult, ...), in order.
std::vector<std::string> LayersWith(const Results& results, const char* type);

// Returns the lowest SQNR in dB of all records of `type` of "b", with respect
// to "a". nan (two outputs that are all zero) counts as lowest. Returns +inf
// where there are no records.
double LowestSqnr(const Results& results, const char* type);

}  // namespace ns

#endif  // TESTS_TESTING_RESULTS_H_
