#include "ns/result/coverage.h"

namespace ns {

const char* RunsInName(RunsIn runs_in) {
  switch (runs_in) {
    case RunsIn::kInt8:
      return "int8";
    case RunsIn::kInt8Weights:
      return "int8 weights";
    case RunsIn::kHalfWeights:
      return "float16 weights";
    case RunsIn::kFloat:
      break;
  }
  return "float";
}

}  // namespace ns
