/* SPDX-License-Identifier: MIT */
#ifndef FW_BPF_LIB_PINS_H
#define FW_BPF_LIB_PINS_H

#include "bpf/lib/result.h"

/*
 * Where the pins are: a file system of their own, in a directory that only root can change.  What
 * is pinned while it is built is seen by nobody until it is complete.
 */
struct fw_bpf_pins {
    const char *name;                /* of the mount, below that directory */
    bool (*is_pin)(const char *pin); /* does a pin of ours have this name? */
    const char *main_pin;            /* while it is there, something is */
    int parent;                      /* the directory above the mount; locked */
};

/*
 * Opens and locks the directory, given all fields except `parent`; makes it first if `make`.
 * FW_BPF_NOTHING_TO_DO: there is none, and nothing is open.
 */
fw_bpf_result fw_bpf_pins_open(struct fw_bpf_pins *pins, bool make, char *text, size_t size);

/* Unlocks it.  Removes the directories that are empty. */
void fw_bpf_pins_close(struct fw_bpf_pins *pins);

/*
 * *fs: what is mounted there, or -1 if nothing is.  FW_BPF_IN_THE_WAY: something that is not
 * ours.
 */
fw_bpf_result fw_bpf_pins_mounted(const struct fw_bpf_pins *pins, int *fs, char *text, size_t size);

/* A new file system, mounted nowhere; and mounts it where it belongs. */
fw_bpf_result fw_bpf_pins_new(int *fs, char *text, size_t size);
fw_bpf_result fw_bpf_pins_put(const struct fw_bpf_pins *pins, int fs, char *text, size_t size);

/*
 * Unlinks all pins, since other mount namespaces may have a copy of the mount; then unmounts it.
 */
fw_bpf_result fw_bpf_pins_clear(const struct fw_bpf_pins *pins, int fs, char *text, size_t size);

/* The path of a pin in a file system that is open. */
struct fw_bpf_pin_path {
    char text[64];
};
struct fw_bpf_pin_path fw_bpf_pin_path(int fs, const char *pin);

#endif
