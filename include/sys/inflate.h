/* SPDX-License-Identifier: MIT */
/* Unpacks gzip data (RFC 1952, RFC 1951), for the kernel's configuration in /proc/config.gz. */
#ifndef SYS_INFLATE_H
#define SYS_INFLATE_H

#include <stddef.h>

/* Returns the content as a zero-terminated text that the caller frees. The data are one gzip member with the short
 * header that the kernel writes. The checksum is not verified, the length is. NULL with errno EILSEQ when the data
 * are cut, damaged or of another kind, EFBIG when the content is longer than most bytes, or ENOMEM. */
char *inflate_gzip(const unsigned char *data, size_t size, size_t most);

#endif
