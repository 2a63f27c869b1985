/* SPDX-License-Identifier: MIT */
/* Describes the file system and the disk that hold a folder. */
#ifndef SYS_STORAGE_H
#define SYS_STORAGE_H

#include <stddef.h>

/* Writes what bears on the speed of files in the folder, in the form of sys/setting_items.h:
 * "mount=rw+relatime;disk=virtual+rotational;scheduler=mq-deadline". mount has the options of the mount and of the file
 * system without paths; disk is rotational or solid, and virtual where a hypervisor or the kernel makes the device up.
 * What is not known or not there (tmpfs has no disk) is left out. */
void storage_describe(const char *folder, char *buf, size_t size);

/* The same for a mount by its number in root's /proc/self/mountinfo. */
void storage_describe_mount(const char *root, unsigned long mount_id, char *buf, size_t size);

#endif
