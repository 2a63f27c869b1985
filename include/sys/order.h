/* SPDX-License-Identifier: MIT */
/* For the comparison functions of qsort(). */
#ifndef SYS_ORDER_H
#define SYS_ORDER_H

#define ORDER_OF(a, b) (((a) > (b)) - ((a) < (b)))

#endif
