/* SPDX-License-Identifier: MIT */
/* Compares two values, for the comparison functions of qsort(). */
#ifndef SYS_ORDER_H
#define SYS_ORDER_H

/* 1 if a is larger than b, -1 if smaller, 0 if equal. */
#define ORDER_OF(a, b) (((a) > (b)) - ((a) < (b)))

#endif
