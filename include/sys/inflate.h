/* SPDX-License-Identifier: MIT */
/* Unpacks gzip data (RFC 1952, RFC 1951), for /proc/config.gz. */
#ifndef SYS_INFLATE_H
#define SYS_INFLATE_H

#include <stddef.h>

/* Returns the content of one gzip member with the kernel's short header as a text that the caller frees. The length
 * is verified, the checksum is not. NULL with errno EILSEQ (damaged or another format), EFBIG (more than `most`
 * bytes) or ENOMEM. */
char *inflate_gzip(const unsigned char *data, size_t size, size_t most);

#endif
