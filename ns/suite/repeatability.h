// Tells whether two models can be compared value by value at all.
#ifndef NS_SUITE_REPEATABILITY_H_
#define NS_SUITE_REPEATABILITY_H_

#include <string>
#include <vector>

#include "ir/model/model_graph.h"

namespace ns {

// Returns warnings for the user, one line each and at most two for a model:
//
//   the float model draws random numbers ('noise' (aten::randn_like)); both
//   models draw their own, so that what is computed from them differs by
//   chance; make the random numbers an input
//   the float model has ops that compute as in training ('1' (aten::dropout));
//   call eval() before torch.jit.trace, and pass training=self.training to
//   functions
//
// The second is of models that were traced in training mode, whatever mode
// they are in, and of functions that are told so.
std::vector<std::string> RepeatabilityWarnings(
    const ModelGraph& float_model, const ModelGraph& quantized_model);

}  // namespace ns

#endif  // NS_SUITE_REPEATABILITY_H_
