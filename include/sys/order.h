/* SPDX-License-Identifier: MIT */
/* For the functions that qsort() calls. */
#ifndef SYS_ORDER_H
#define SYS_ORDER_H

/* 1 if a comes after b, -1 if before it, 0 if neither. */
#define ORDER_OF(a, b) (((a) > (b)) - ((a) < (b)))

#endif
