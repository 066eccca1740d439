/* SPDX-License-Identifier: MIT */
#include "bench/adapters/adapter.h"

#include <errno.h>
#include <sys/mman.h>

#include "bench/adapters/cond_adapter.h"
#include "bench/adapters/region.h"
#include "bench/adapters/rw_adapter.h"
#include "bench/adapters/sync_adapter.h"

enum { CACHE_LINE = 64, STRIDE_MIN = 2 * CACHE_LINE /* CPUs fetch lines in pairs */ };

/* The last member of the head stands where the head has it, whatever follows. */
#define BEGINS_WITH_HEAD(family)                                                          \
    _Static_assert(offsetof(struct family, destroy) == offsetof(adapter_head, destroy) && \
                       offsetof(struct family, name) == offsetof(adapter_head, name),     \
                   #family " begins with ADAPTER_HEAD")
BEGINS_WITH_HEAD(adapter);
BEGINS_WITH_HEAD(rw_adapter);
BEGINS_WITH_HEAD(cond_adapter);
BEGINS_WITH_HEAD(sem_adapter);
BEGINS_WITH_HEAD(event_adapter);
BEGINS_WITH_HEAD(barrier_adapter);

const char *adapter_head_why(const struct missing_adapter *missing, const char *name)
{
    for (; missing->name != NULL; missing++)
        if (strcmp(missing->name, name) == 0)
            return missing->why;
    return NULL;
}

size_t adapter_head_stride(const adapter_head *a)
{
    return (a->size + STRIDE_MIN - 1) / STRIDE_MIN * STRIDE_MIN;
}

static size_t bytes_of(const adapter_head *a, size_t n)
{
    return (n > 0 ? n : 1) * adapter_head_stride(a);
}

static void destroy_first(const adapter_head *a, void *objects, size_t n)
{
    if (a->destroy != NULL)
        for (size_t i = 0; i < n; i++)
            a->destroy((char *)objects + i * adapter_head_stride(a));
}

/* Pages of its own: zeroed, and aligned for any object. */
void *adapter_head_memory(const adapter_head *a, size_t size, bool shared)
{
    if ((a->flags & ADAPTER_REGION) != 0)
        return region_take(size);

    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
                        MAP_ANONYMOUS | (shared ? MAP_SHARED : MAP_PRIVATE), -1, 0);
    return memory != MAP_FAILED ? memory : NULL;
}

void adapter_head_forget(const adapter_head *a, void *memory, size_t size)
{
    if ((a->flags & ADAPTER_REGION) != 0)
        region_give(memory, size);
    else
        munmap(memory, size);
}

void *adapter_head_make(const adapter_head *a, size_t n, bool shared)
{
    if (shared && (a->flags & ADAPTER_SHARED) == 0) {
        errno = ENOTSUP;
        return NULL;
    }

    void *objects = adapter_head_memory(a, bytes_of(a, n), shared);
    if (objects == NULL)
        return NULL;

    for (size_t i = 0; i < n; i++) {
        int error = a->init((char *)objects + i * adapter_head_stride(a), shared);
        if (error != 0) {
            destroy_first(a, objects, i);
            adapter_head_forget(a, objects, bytes_of(a, n));
            errno = error;
            return NULL;
        }
    }
    return objects;
}

void adapter_head_unmake(const adapter_head *a, void *objects, size_t n)
{
    destroy_first(a, objects, n);
    adapter_head_forget(a, objects, bytes_of(a, n));
}
