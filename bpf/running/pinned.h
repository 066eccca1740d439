/* SPDX-License-Identifier: MIT */
#ifndef FW_BPF_RUNNING_PINNED_H
#define FW_BPF_RUNNING_PINNED_H

#include "bpf/running/loader.h"

/* What is pinned in a file system. */
typedef enum fw_assist_state {
    FW_ASSIST_DEAD,   /* nothing, or what is no longer maintained */
    FW_ASSIST_LIVE,   /* the page and the program that keeps it */
    FW_ASSIST_FOREIGN /* a page that is not ours */
} fw_assist_state;

/* *version: of the page, if there is one. */
fw_assist_state fw_assist_state_of(int fs, uint32_t *version);

/* Do all programs have their pins?  all_join: FW_ASSIST_ALL. */
bool fw_assist_has_links(int fs, bool all_join);

/* Does a pin of ours have this name? */
bool fw_assist_is_pin(const char *name);

enum { FW_ASSIST_HEAD = 4096 }; /* the start of the page: what versions have in common */

/*
 * The first `length` bytes of the page that is pinned at `path`, read-only.  NULL: see errno;
 * ESTALE: that is no page.
 */
const struct fw_assist_page *fw_assist_map(const char *path, size_t length);

#endif
