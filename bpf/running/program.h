/* SPDX-License-Identifier: MIT */
#ifndef FW_BPF_RUNNING_PROGRAM_H
#define FW_BPF_RUNNING_PROGRAM_H

#include "bpf/running/loader.h"

/* The program in the kernel: running.bpf.c, loaded and attached. */

extern const unsigned char fw_assist_object[], fw_assist_object_end[];

enum { FW_ASSIST_LINKS = 4 }; /* at most */

struct fw_assist_program {
    struct bpf_object *object;
    struct bpf_map *page;
    struct bpf_program *stop;                /* to be run before the others are taken away */
    struct bpf_link *links[FW_ASSIST_LINKS]; /* those from the front that are there */
    const char *names[FW_ASSIST_LINKS];      /* under which they are pinned */
    uint32_t registration;                   /* how a process becomes a participant */
};

/*
 * Loads it and attaches it to the kernel's events, fills in the page's head, and freezes the page:
 * nobody except the program can write to it then.  registration: as in struct fw_assist_options.
 * If this fails nothing is held, and `text` says why.
 */
fw_bpf_result fw_assist_program_load(struct fw_assist_program *p, uint32_t registration, char *text,
                                     size_t size);

/* Lets go of all; what is pinned stays in the kernel. */
void fw_assist_program_close(struct fw_assist_program *p);

/* Runs a pinned program of the kind that is run by hand. */
void fw_assist_program_run(const char *path);

/* The link's program: how often it ran and for how long, if the kernel counts that. */
void fw_assist_program_runs(const char *link_path, uint64_t *count, uint64_t *ns);

#endif
