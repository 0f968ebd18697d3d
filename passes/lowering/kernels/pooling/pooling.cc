#include "passes/lowering/kernels/pooling/pooling.h"

namespace ns::kernels {

void MaxPool(const PoolInput& input, const PoolWindow& window,
             const Dims& out_size, uint8_t* out, Parallel /*parallel*/) {
  MaxPoolReference(input, window, out_size, out);
}

void AveragePool(const PoolInput& input, const PoolWindow& window,
                 const Dims& out_size, const AverageSpec& spec, uint8_t* out,
                 Parallel /*parallel*/) {
  AveragePoolReference(input, window, out_size, spec, out);
}

void AdaptiveAveragePool(const PoolInput& input, const Dims& out_size,
                         const AverageSpec& spec, uint8_t* out,
                         Parallel /*parallel*/) {
  AdaptiveAveragePoolReference(input, out_size, spec, out);
}

}  // namespace ns::kernels
