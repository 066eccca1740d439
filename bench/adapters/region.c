/* SPDX-License-Identifier: MIT */
#include "region.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include <furwock/ipc/region.h>

enum {
    PAGE = 4096,
    MIB = 1 << 20,
    REGION_SIZE = 128 * MIB, /* of addresses; pages come when they are touched */
    TABLES_SIZE = 4 * MIB,   /* what the region needs for itself, at most */
    PAGES = (REGION_SIZE - TABLES_SIZE) / PAGE
};

/* This process's region: which pages of it are taken. */
static struct {
    pthread_mutex_t lock;
    fw_region *region; /* NULL: none yet */
    unsigned char *pages;
    bool watches_forks;
    bool taken[PAGES];
} own = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void before_fork(void)
{
    pthread_mutex_lock(&own.lock);
}

static void after_fork(void)
{
    pthread_mutex_unlock(&own.lock);
}

/* The parent's region stays joined, for what lies there already. */
static void in_child(void)
{
    own.region = NULL;
    own.pages = NULL;
    memset(own.taken, 0, sizeof own.taken);
    pthread_mutex_unlock(&own.lock);
}

/* 0, or a positive errno. */
static int make(void)
{
    void *memory = mmap(NULL, REGION_SIZE, PROT_READ | PROT_WRITE,
                        MAP_ANONYMOUS | MAP_SHARED | MAP_NORESERVE, -1, 0);

    if (memory == MAP_FAILED)
        return errno;
    int error = fw_region_adopt(memory, REGION_SIZE, FW_REGION_CREATE, &own.region);
    if (error == 0) {
        void *pages = NULL;
        /* A page more than is given out: an object begins where a line of the cache does. */
        error = fw_region_object(own.region, "adapters", FW_REGION_DATA, (size_t)(PAGES + 1) * PAGE,
                                 FW_REGION_CREATE, &pages);
        own.pages = (unsigned char *)(((uintptr_t)pages + PAGE - 1) / PAGE * PAGE);
    }
    if (error != 0) {
        if (own.region != NULL)
            fw_region_close(own.region);
        own.region = NULL;
        munmap(memory, REGION_SIZE);
    }
    return error;
}

static int make_once(void)
{
    if (own.region != NULL)
        return 0;
    if (!own.watches_forks) {
        int error = pthread_atfork(before_fork, after_fork, in_child);
        if (error != 0)
            return error;
        own.watches_forks = true;
    }
    return make();
}

/* The first of n free pages in a row; PAGES: there is no such row. */
static size_t find(size_t n)
{
    size_t row = 0;

    for (size_t i = 0; i < PAGES; i++) {
        row = own.taken[i] ? 0 : row + 1;
        if (row == n)
            return i + 1 - n;
    }
    return PAGES;
}

static size_t pages_of(size_t size)
{
    return size > 0 ? (size + PAGE - 1) / PAGE : 1;
}

void *region_take(size_t size)
{
    size_t n = pages_of(size);
    void *memory = NULL;

    pthread_mutex_lock(&own.lock);
    int error = make_once();
    if (error == 0) {
        size_t first = find(n);
        if (first < PAGES) {
            memset(own.taken + first, true, n);
            memory = own.pages + first * PAGE;
        } else {
            error = ENOMEM;
        }
    }
    pthread_mutex_unlock(&own.lock);
    if (memory == NULL)
        errno = error;
    else
        memset(memory, 0, n * PAGE);
    return memory;
}

void region_give(void *memory, size_t size)
{
    pthread_mutex_lock(&own.lock);
    uintptr_t at = (uintptr_t)memory - (uintptr_t)own.pages;
    if (own.pages != NULL && at < (uintptr_t)PAGES * PAGE)
        memset(own.taken + at / PAGE, false, pages_of(size));
    pthread_mutex_unlock(&own.lock);
}
