/* SPDX-License-Identifier: MIT */
#include "adapter.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

enum { CACHE_LINE = 64, STRIDE_MIN = 2 * CACHE_LINE /* processors fetch lines in pairs */ };

const struct adapter *adapter_find(const char *name)
{
    for (size_t i = 0; adapter_list[i] != NULL; i++)
        if (strcmp(adapter_list[i]->name, name) == 0)
            return adapter_list[i];
    return NULL;
}

const char *adapter_why_missing(const char *name)
{
    for (size_t i = 0; adapter_missing[i].name != NULL; i++)
        if (strcmp(adapter_missing[i].name, name) == 0)
            return adapter_missing[i].why;
    return NULL;
}

size_t adapter_stride(const struct adapter *a)
{
    return (a->size + STRIDE_MIN - 1) / STRIDE_MIN * STRIDE_MIN;
}

void *adapter_at(const struct adapter *a, void *locks, size_t i)
{
    return (char *)locks + i * adapter_stride(a);
}

static void destroy_first(const struct adapter *a, void *locks, size_t n)
{
    if (a->destroy != NULL)
        for (size_t i = 0; i < n; i++)
            a->destroy(adapter_at(a, locks, i));
}

void *adapter_make(const struct adapter *a, size_t n, bool shared)
{
    if (shared && (a->flags & ADAPTER_SHARED) == 0) {
        errno = ENOTSUP;
        return NULL;
    }

    /* Pages of its own: zeroed, and aligned for any lock. */
    size_t bytes = (n > 0 ? n : 1) * adapter_stride(a);
    void *locks = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                       MAP_ANONYMOUS | (shared ? MAP_SHARED : MAP_PRIVATE), -1, 0);
    if (locks == MAP_FAILED)
        return NULL;

    for (size_t i = 0; i < n; i++) {
        int error = a->init(adapter_at(a, locks, i), shared);
        if (error != 0) {
            destroy_first(a, locks, i);
            munmap(locks, bytes);
            errno = error;
            return NULL;
        }
    }
    return locks;
}

void adapter_unmake(const struct adapter *a, void *locks, size_t n)
{
    destroy_first(a, locks, n);
    munmap(locks, (n > 0 ? n : 1) * adapter_stride(a));
}
