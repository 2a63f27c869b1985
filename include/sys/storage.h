/* SPDX-License-Identifier: MIT */
/* Describes the file system and the disk of a directory. */
#ifndef SYS_STORAGE_H
#define SYS_STORAGE_H

#include <stddef.h>

/* Writes the properties of the directory's file system and disk that affect the speed of files, as items of
 * sys/setting_items.h: "mount=rw+relatime;disk=virtual+rotational;scheduler=mq-deadline". mount has the options of the
 * mount and of the file system, without paths; disk is rotational or solid, and virtual when a hypervisor or the kernel
 * emulates the device; scheduler is the I/O scheduler. Unknown or missing properties (tmpfs has no disk) are left
 * out. */
void storage_describe(const char *folder, char *buf, size_t size);

/* As storage_describe(), for the mount with this number in /proc/self/mountinfo. root: directory before /proc and /sys,
 * "" except in tests. */
void storage_describe_mount(const char *root, unsigned long mount_id, char *buf, size_t size);

#endif
