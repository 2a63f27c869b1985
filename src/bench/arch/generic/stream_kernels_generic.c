/* SPDX-License-Identifier: MIT */
/* STREAM-style kernels for architectures without a directory of their own; no non-temporal stores. */
#include "bench/stream_kernels.h"

const struct stream_kernels *const stream_kernels_all[] = {&stream_kernels_c, NULL};
