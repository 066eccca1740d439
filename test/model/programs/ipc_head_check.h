/* SPDX-License-Identifier: MIT */
#ifndef MODEL_IPC_HEAD_CHECK_H
#define MODEL_IPC_HEAD_CHECK_H

#include <stddef.h>
#include <stdint.h>

#include "../engine/model.h"
#include "ipc/region/layout.h"

/*
 * What must hold of the head of a region, however it is made: what follows from the plan never
 * changes (word), and whoever says that the head is made says so of a whole one (half made).
 */
extern struct fw_ipc_head_ *head;

#define HEAD_PART(name, field)                        \
    {                                                 \
        name, offsetof(struct fw_ipc_head_, field), 8 \
    }

/* The head is zeroes; the parts are those that are shown. */
void head_check_make(const struct model_part *parts);

/* A thread has joined a region of that size; *joined, that of who came before, is 0 at first. */
void head_check_joined(unsigned self, uint64_t *joined, uint64_t size);

void head_check_changed(unsigned thread, uint64_t addr, uint64_t before);

#endif
