// Switches what the modules of a model do in the phases of its
// quantization-aware training.
//
//   NS_ASSIGN_OR_RETURN(Module trained, PrepareQat(model, qconfigs));
//   ...                        // the first epochs
//   FreezeBnStats(trained);    // then statistics and ranges stay as they are
//   DisableObserver(trained);
//   ...                        // the last epochs
//
// Each switches all modules of the hierarchy, as module.apply(...) does with
// PyTorch's functions of these names.
#ifndef NS_QUANTIZATION_EAGER_QAT_SWITCHES_H_
#define NS_QUANTIZATION_EAGER_QAT_SWITCHES_H_

#include <torch/csrc/jit/api/module.h>

namespace ns {

// Whether fake quantizations, of weights and of outputs, take in what they see.
void EnableObserver(torch::jit::Module& model);
void DisableObserver(torch::jit::Module& model);

// Whether fake quantizations round values, or hand them on as they are.
void EnableFakeQuant(torch::jit::Module& model);
void DisableFakeQuant(torch::jit::Module& model);

// Whether the batch norms inside the modules of qat_module.h keep their running
// statistics and normalize with them, also when the model is switched to
// training. UpdateBnStats lets them normalize with the statistics of each batch
// and update the running ones; it also switches these norms to training.
void FreezeBnStats(torch::jit::Module& model);
void UpdateBnStats(torch::jit::Module& model);

}  // namespace ns

#endif  // NS_QUANTIZATION_EAGER_QAT_SWITCHES_H_
