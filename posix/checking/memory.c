/* SPDX-License-Identifier: MIT */
/*
 * free, on its way to the C library: what is freed may hold locks that are found by their address,
 * and the next lock there is another one.  Until there is such a lock, this costs one load.
 *
 * The loader may call it before the constructors have run: such a block is kept.
 */
#include <dlfcn.h>
#include <malloc.h>

#include "export.h"
#include "node.h"

static void (*next_free)(void *);

__attribute__((constructor)) static void find_next(void)
{
    union {
        void *address;
        void (*function)(void *);
    } next = {dlsym(RTLD_NEXT, "free")};

    next_free = next.function;
}

static void checked_free(void *block)
{
    if (__builtin_expect(next_free == NULL, 0))
        return;
    if (__builtin_expect(fw_load32_relaxed(&fw_check_has_blocks_) != 0, 0) && block != NULL)
        fw_check_forget_block_(block, malloc_usable_size(block));
    next_free(block);
}
FW_EXPORT(checked_free, free, GLIBC_2_2_5);
