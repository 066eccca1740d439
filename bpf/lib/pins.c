/* SPDX-License-Identifier: MIT */
#include "bpf/lib/pins.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "sys/clock_sleep.h"

#define ABOVE "/run"
#define PARENT "furwock"

enum { DIRECTORY = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

/*
 * How often to try the lock of another start or stop: for ten seconds, while one takes a tenth of a
 * second.
 */
enum { LOCK_TRIES = 1000 };
#define LOCK_INTERVAL_NS 10000000u

static fw_bpf_result failed_there(const struct fw_bpf_pins *pins, char *text, size_t size)
{
    char path[64];

    snprintf(path, sizeof path, ABOVE "/" PARENT "/%s", pins->name);
    return fw_bpf_failed(path, text, size);
}

/* ---- The directories ---- */

/* Only root may change what is in it. */
static bool is_roots(int directory)
{
    struct stat s;

    return fstat(directory, &s) == 0 && s.st_uid == 0 && (s.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

static fw_bpf_result open_parent(int above, bool make, int *parent, char *text, size_t size)
{
    /* Nobody else may open it: a process that can, can hold its lock. */
    if (make && mkdirat(above, PARENT, 0711) < 0 && errno != EEXIST)
        return fw_bpf_failed(ABOVE "/" PARENT, text, size);
    *parent = openat(above, PARENT, DIRECTORY);
    if (*parent < 0 && errno == ENOENT)
        return FW_BPF_NOTHING_TO_DO;
    if (*parent < 0)
        return fw_bpf_failed(ABOVE "/" PARENT, text, size);
    if (is_roots(*parent) && (!make || fchmod(*parent, 0711) == 0))
        return FW_BPF_DONE;
    snprintf(text, size, ABOVE "/" PARENT ": others than root may change what is in it");
    close(*parent);
    return FW_BPF_IN_THE_WAY;
}

/* Is what was opened, and is locked now, still there?  A stop takes it away. */
static bool is_same(int above, int parent)
{
    struct stat open, there;

    return fstat(parent, &open) == 0 && fstatat(above, PARENT, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
           open.st_ino == there.st_ino;
}

static fw_bpf_result open_locked(int above, bool make, int *parent, char *text, size_t size)
{
    for (int i = 0; i < LOCK_TRIES; i++) {
        fw_bpf_result result = open_parent(above, make, parent, text, size);

        if (result == FW_BPF_NOTHING_TO_DO && make)
            continue; /* made, and taken away by a stop */
        if (result != FW_BPF_DONE)
            return result;
        bool locked = flock(*parent, LOCK_EX | LOCK_NB) == 0;
        if (locked && is_same(above, *parent))
            return FW_BPF_DONE;
        close(*parent);
        if (!locked)
            fw_clock_sleep_for_(LOCK_INTERVAL_NS);
    }
    snprintf(text, size, "another furwock is at work");
    return FW_BPF_FAILED;
}

fw_bpf_result fw_bpf_pins_open(struct fw_bpf_pins *pins, bool make, char *text, size_t size)
{
    int above = open(ABOVE, DIRECTORY);
    fw_bpf_result result;

    pins->parent = -1;
    if (above < 0)
        return fw_bpf_failed(ABOVE, text, size);
    result = open_locked(above, make, &pins->parent, text, size);
    if (result == FW_BPF_DONE && make && mkdirat(pins->parent, pins->name, 0755) < 0 &&
        errno != EEXIST) {
        result = failed_there(pins, text, size);
        fw_bpf_pins_close(pins);
    }
    close(above);
    return result;
}

void fw_bpf_pins_close(struct fw_bpf_pins *pins)
{
    /* What somebody uses stays: a mount or a file in them. */
    unlinkat(pins->parent, pins->name, AT_REMOVEDIR);
    rmdir(ABOVE "/" PARENT);
    close(pins->parent);
}

/* ---- The file system ---- */

fw_bpf_result fw_bpf_pins_mounted(const struct fw_bpf_pins *pins, int *fs, char *text, size_t size)
{
    int directory = openat(pins->parent, pins->name, DIRECTORY);
    struct stat above, s;
    struct statfs kind;

    *fs = -1;
    if (directory < 0 && errno == ENOENT)
        return FW_BPF_DONE;
    if (directory < 0)
        return failed_there(pins, text, size);
    if (fstat(pins->parent, &above) == 0 && fstat(directory, &s) == 0 &&
        fstatfs(directory, &kind) == 0 && is_roots(directory)) {
        if (kind.f_type == BPF_FS_MAGIC) {
            *fs = directory;
            return FW_BPF_DONE;
        }
        if (s.st_dev == above.st_dev) {
            close(directory);
            return FW_BPF_DONE;
        }
    }
    close(directory);
    snprintf(text, size, ABOVE "/" PARENT "/%s: there is something that is not ours", pins->name);
    return FW_BPF_IN_THE_WAY;
}

fw_bpf_result fw_bpf_pins_new(int *fs, char *text, size_t size)
{
    int context = fsopen("bpf", FSOPEN_CLOEXEC);

    *fs = -1;
    if (context >= 0 && fsconfig(context, FSCONFIG_SET_STRING, "source", "furwock", 0) == 0 &&
        fsconfig(context, FSCONFIG_SET_STRING, "mode", "0755", 0) == 0 &&
        fsconfig(context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0)
        *fs = fsmount(context, FSMOUNT_CLOEXEC,
                      MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);

    fw_bpf_result result =
        *fs >= 0 ? FW_BPF_DONE : fw_bpf_failed("cannot make a file system of type bpf", text, size);
    if (context >= 0)
        close(context);
    return result;
}

fw_bpf_result fw_bpf_pins_put(const struct fw_bpf_pins *pins, int fs, char *text, size_t size)
{
    int directory = openat(pins->parent, pins->name, DIRECTORY);
    fw_bpf_result result = FW_BPF_DONE;

    if (directory < 0 ||
        move_mount(fs, "", directory, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) < 0)
        result = failed_there(pins, text, size);
    if (directory >= 0)
        close(directory);
    return result;
}

static bool unlink_all(const struct fw_bpf_pins *pins, int fs)
{
    int own = openat(fs, ".", DIRECTORY);
    DIR *all = own < 0 ? NULL : fdopendir(own);
    const struct dirent *entry;

    if (all == NULL)
        return false;
    while ((entry = readdir(all)) != NULL)
        if (pins->is_pin(entry->d_name))
            unlinkat(fs, entry->d_name, 0); /* the kernel's own pins stay, and hold nothing */
    closedir(all);
    return faccessat(fs, pins->main_pin, F_OK, 0) < 0;
}

/* umount2 has no form with a directory: through the one that is open. */
static bool unmount(const struct fw_bpf_pins *pins)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/self/fd/%d/%s", pins->parent, pins->name);
    return umount2(path, UMOUNT_NOFOLLOW | MNT_DETACH) == 0;
}

fw_bpf_result fw_bpf_pins_clear(const struct fw_bpf_pins *pins, int fs, char *text, size_t size)
{
    if (!unlink_all(pins, fs) || !unmount(pins))
        return failed_there(pins, text, size);
    return FW_BPF_DONE;
}

struct fw_bpf_pin_path fw_bpf_pin_path(int fs, const char *pin)
{
    struct fw_bpf_pin_path path;

    snprintf(path.text, sizeof path.text, "/proc/self/fd/%d/%s", fs, pin);
    return path;
}
