/* SPDX-License-Identifier: MIT */
/* Unpacks gzip data (RFC 1952, RFC 1951), for the kernel's configuration in /proc/config.gz. */
#ifndef SYS_INFLATE_H
#define SYS_INFLATE_H

#include <stddef.h>

/* The content as a text that the caller frees, terminated by a zero byte. The data are one gzip member with the short
 * header that the kernel writes. Its checksum is not looked at, but its length is. NULL with errno EILSEQ when the data
 * are cut, damaged or of another kind, EFBIG when the content is longer than most bytes, or ENOMEM. */
char *inflate_gzip(const unsigned char *data, size_t size, size_t most);

#endif
