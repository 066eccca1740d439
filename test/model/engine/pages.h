/* SPDX-License-Identifier: MIT */
#ifndef MODEL_PAGES_H
#define MODEL_PAGES_H

#include <stddef.h>

/*
 * Memory that grows and is never given back: what one search leaves, the next one has without the
 * kernel's help.  In large pages where the system has them: it is read here and there.
 */
struct pages {
    void *at;
    size_t size;
};

/* At least `size` bytes; what is there stays, perhaps at another address. */
void *pages_grow(struct pages *p, size_t size);

/* The same, and `size` bytes are zero; what was there is lost. */
void *pages_zeroed(struct pages *p, size_t size);

/* The pointer itself; NULL ends the program. */
void *pages_need(void *p);

#endif
