/* SPDX-License-Identifier: MIT */
#ifndef FW_ADAPTERS_LOCK_FILE_H
#define FW_ADAPTERS_LOCK_FILE_H

#include <stdint.h>

/*
 * A file that serves as a lock: in memory, so that no disk is measured.
 *
 * flock(2) and open-file-description locks belong to an open file, not to who opened it; what a
 * forked task inherits is its parent's.  So each task opens the file for itself, once, at its first
 * use: lock_file_own().  fcntl(2)'s other locks belong to a process: there the inherited descriptor
 * serves.
 */
struct lock_file {
    int fd;
    uint32_t maker;  /* process */
    uint64_t serial; /* of this file, among all that this process and its forebears made */
};

/* 0; ENOSPC: no more descriptors; another positive errno. */
int lock_file_make(struct lock_file *f);
void lock_file_unmake(struct lock_file *f);

/* The calling task's own open file; the program ends where it cannot have one. */
int lock_file_own(const struct lock_file *f);

#endif
