/* SPDX-License-Identifier: MIT */
/* Describes the file system and the disk of a directory. */
#ifndef SYS_STORAGE_H
#define SYS_STORAGE_H

#include <stddef.h>

/* Writes the properties of the directory's file system and disk that affect the speed of files, in the form of
 * sys/setting_items.h: "mount=rw+relatime;disk=virtual+rotational;scheduler=mq-deadline". mount has the options of
 * the mount and of the file system, without paths; disk is rotational or solid, and virtual when a hypervisor or the
 * kernel emulates the device. Unknown or missing properties (tmpfs has no disk) are left out. */
void storage_describe(const char *folder, char *buf, size_t size);

/* As storage_describe(), for the mount with this number in root's /proc/self/mountinfo. */
void storage_describe_mount(const char *root, unsigned long mount_id, char *buf, size_t size);

#endif
