/* SPDX-License-Identifier: MIT */
/* No vectors, no non-temporal stores. */
#include "bench/memory.h"

const struct stream_kernels *const stream_kernels_all[] = {&stream_kernels_c, NULL};
