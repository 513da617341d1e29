#include "cpu/host.h"

#include <omp.h>

namespace fdlab {

int num_threads() { return omp_get_max_threads(); }

}  // namespace fdlab
