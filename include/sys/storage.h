/* SPDX-License-Identifier: MIT */
/* Describes the file system and the disk of a directory. */
#ifndef SYS_STORAGE_H
#define SYS_STORAGE_H

#include <stddef.h>

/* Writes what affects the speed of files as items of sys/setting_items.h:
 * "mount=rw+relatime;disk=virtual+rotational;scheduler=mq-deadline". mount: options of mount and file system,
 * without paths; disk: rotational or solid, and virtual when a hypervisor or the kernel emulates it. Unknown or
 * missing ones (tmpfs has no disk) are left out. */
void storage_describe(const char *folder, char *buf, size_t size);

/* For the mount with this number in /proc/self/mountinfo. root: directory before /proc and /sys, "" except in tests. */
void storage_describe_mount(const char *root, unsigned long mount_id, char *buf, size_t size);

#endif
