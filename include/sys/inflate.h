/* SPDX-License-Identifier: MIT */
/* Unpacks gzip data (RFC 1952, RFC 1951), for the kernel's configuration in /proc/config.gz. */
#ifndef SYS_INFLATE_H
#define SYS_INFLATE_H

#include <stddef.h>

/* Returns the unpacked content as a NUL-terminated text that the caller frees. data is one gzip member with the short
 * header that the kernel writes. The checksum is not verified, the length is. Returns NULL with errno EILSEQ when the
 * data are cut off, damaged or in another format, EFBIG when the content is longer than `most` bytes, or ENOMEM. */
char *inflate_gzip(const unsigned char *data, size_t size, size_t most);

#endif
