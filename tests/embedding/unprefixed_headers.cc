// A host in which nothing is called as our folders are may include our headers
// by the paths that we use.
#include "ir/graph/verifier.h"
#include "ir/model/pipeline.h"
#include "ns/suite/numeric_suite.h"
#include "passes/kernels/saturation_mode.h"
#include "passes/lowering/fold/fold_reference_quantization.h"
#include "passes/lowering/lower_to_fbgemm.h"
#include "passes/ops/op_table.h"
