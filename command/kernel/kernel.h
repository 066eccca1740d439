/* SPDX-License-Identifier: MIT */
#ifndef FW_COMMAND_KERNEL_KERNEL_H
#define FW_COMMAND_KERNEL_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

/*
 * furwock kernel: the module furwock.ko (kmod/, furwock/kernel.h) is loaded, unloaded and looked
 * at.  No process stays behind.
 *
 * Exit statuses are those of init scripts (LSB).  load and unload: 0 where things are as was asked
 * for, also where they were so before; 1 where that cannot be had here; 2 for what makes no sense.
 * status: 0 where it is loaded, and:
 */
enum { KERNEL_NOT_LOADED = 3 };

/* What sysfs says of the module; a parameter that it does not have is KERNEL_NO_NUMBER. */
#define KERNEL_NO_NUMBER UINT64_MAX
struct kernel_module {
    bool is_loaded;  /* to the end: its device has been made */
    bool is_coming;  /* it is being loaded, or unloaded */
    int may_not_use; /* why this user cannot open the device: an errno; 0: it can */
    uint64_t users;  /* descriptors and calls that keep it loaded */
    uint64_t max_objects, max_spinners, spin_turns;
};

/* Opens the device and closes it, which changes nothing.  0, or an errno. */
int kernel_try_device(void);

void kernel_look(struct kernel_module *m);

/*
 * Loads it: this file, or, with NULL, the one that is installed for this kernel.  `options` are the
 * module's own.  0, or an errno; EEXIST: it was loaded.
 */
int kernel_load(const char *file, const char *options);

/* 0, or an errno; ENOENT: it was not loaded; EBUSY: it is in use. */
int kernel_unload(void);

#endif
