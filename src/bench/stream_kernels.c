/* SPDX-License-Identifier: MIT */
#include "bench/memory.h"

const struct stream_kernels *stream_kernels_choose(bool nontemporal)
{
    for (const struct stream_kernels *const *form = stream_kernels_all; *form; form++)
        if ((*form)->nontemporal == nontemporal && (*form)->supported())
            return *form;
    return NULL;
}
