/* SPDX-License-Identifier: MIT */
#ifndef FW_BPF_LIB_LIFECYCLE_H
#define FW_BPF_LIB_LIFECYCLE_H

#include "bpf/lib/pins.h"

/* How a loader starts and stops what it keeps in the kernel: the steps that all loaders share. */
struct fw_bpf_loader {
    struct fw_bpf_pins pins; /* all fields except `parent` */

    /*
     * Start has found something mounted at `fs`.  FW_BPF_DONE: it has ended, and is cleared; any
     * other result is that of the start, with its line in `text`.
     */
    fw_bpf_result (*check)(int fs, char *text, size_t size);

    /* Ends what is mounted at `fs` and unmounts it.  *was_live: did it run until now? */
    fw_bpf_result (*clear)(const struct fw_bpf_pins *pins, int fs, bool *was_live, char *text,
                           size_t size);

    /*
     * Loads a new one as `options` say, and has fw_bpf_publish mount it.  FW_BPF_DONE: the line
     * in `text` is `before` and a description.
     */
    fw_bpf_result (*load)(const struct fw_bpf_pins *pins, const void *options, const char *before,
                          char *text, size_t size);
};

/* Both need root, and exclude each other. */
fw_bpf_result fw_bpf_start(const struct fw_bpf_loader *loader, const void *options, char *text,
                           size_t size);
fw_bpf_result fw_bpf_stop(const struct fw_bpf_loader *loader, char *text, size_t size);

/*
 * Pins something in a new file system, which is mounted only once it is complete; what was not
 * mounted vanishes.  pin: returns false with errno set, and the line begins with `failure`.
 */
fw_bpf_result fw_bpf_publish(const struct fw_bpf_pins *pins,
                             bool (*pin)(const void *what, const void *options, int fs),
                             const void *what, const void *options, const char *failure, char *text,
                             size_t size);

#endif
