/* SPDX-License-Identifier: MIT */
#ifndef MODEL_SUBJECT_REGION_FILE_H
#define MODEL_SUBJECT_REGION_FILE_H

#include <stdint.h>

#include "ipc/region/layout.h"

/*
 * A stand-in for src/sys/region_file.h, with one file, whatever the descriptor.  The program has
 * its length and what is in it, which is where each process maps it.  The length is asked for and
 * raised in one step each; a read takes the words of the head one after the other.  Nothing fails.
 */
struct subject_file {
    uint64_t *length; /* a part of the state */
    struct fw_ipc_head_ *content;
};
extern struct subject_file subject_file;

#endif
