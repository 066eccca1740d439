/* SPDX-License-Identifier: MIT */
/*
 * usage: copies LIBRARY
 * Several copies of the library in one process, loaded late: extension modules of Python, plug-ins
 * and a preloaded library may each have one.  All take from what the dynamic linker has kept of the
 * static TLS block; each is used by itself, and all by several threads.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test/support/processes.h"

enum { COPIES = 6, THREADS = 3, ROUNDS = 1000, CREATE = 1 << 16, REGION_BYTES = 1 << 20 };

struct copy {
    int (*open)(int fd, size_t size, unsigned flags, void **region);
    int (*mutex)(void *region, const char *name, unsigned flags, void **m);
    int (*lock)(void *m);
    int (*unlock)(void *m);
    void (*lock_of_threads)(void *m);
    void (*unlock_of_threads)(void *m);
    uint64_t words[2];
    void *shared[2];
    unsigned long counted;
};

static struct copy copies[COPIES];

/* The same file twice would be one library. */
static void *load(const char *library, int n)
{
    char name[64];
    int from = open(library, O_RDONLY | O_CLOEXEC), to = memfd_create("copy", MFD_CLOEXEC);
    struct stat s;
    off_t at = 0;
    void *handle;

    CHECK(from >= 0 && to >= 0 && fstat(from, &s) == 0);
    while (at < s.st_size)
        CHECK(sendfile(to, from, &at, (size_t)(s.st_size - at)) > 0);
    snprintf(name, sizeof name, "/proc/self/fd/%d", to);
    handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL)
        fail("copy %d: %s", n + 1, dlerror());
    close(from); /* and not `to`: its number would be the next one's name */
    return handle;
}

static void *symbol(void *handle, const char *name)
{
    void *address = dlsym(handle, name);

    CHECK(address != NULL);
    return address;
}

static void find(struct copy *c, void *handle)
{
    *(void **)&c->open = symbol(handle, "fw_region_open_fd");
    *(void **)&c->mutex = symbol(handle, "fw_region_mutex");
    *(void **)&c->lock = symbol(handle, "fw_ipc_mutex_lock");
    *(void **)&c->unlock = symbol(handle, "fw_ipc_mutex_unlock");
    *(void **)&c->lock_of_threads = symbol(handle, "fw_mutex_lock");
    *(void **)&c->unlock_of_threads = symbol(handle, "fw_mutex_unlock");
}

/* Two regions each: what a thread remembers of both. */
static void make_regions(struct copy *c)
{
    for (int i = 0; i < 2; i++) {
        int fd = memfd_create("region", MFD_CLOEXEC);
        void *region;

        CHECK(fd >= 0 && c->open(fd, REGION_BYTES, CREATE, &region) == 0);
        CHECK(c->mutex(region, "m", CREATE, &c->shared[i]) == 0);
        close(fd);
    }
}

static void *use_all(void *arg)
{
    for (int round = 0; round < ROUNDS; round++) {
        struct copy *c = &copies[round % COPIES];

        CHECK(c->lock(c->shared[round / COPIES % 2]) == 0);
        c->lock_of_threads(c->words);
        c->counted++;
        c->unlock_of_threads(c->words);
        CHECK(c->unlock(c->shared[round / COPIES % 2]) == 0);
    }
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    unsigned long counted = 0;

    CHECK(argc == 2);
    for (int i = 0; i < COPIES; i++) {
        find(&copies[i], load(argv[1], i));
        make_regions(&copies[i]);
    }
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, use_all, NULL) == 0);
    use_all(NULL);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    for (int i = 0; i < COPIES; i++)
        counted += copies[i].counted;
    CHECK(counted == (THREADS + 1) * ROUNDS);
    return EXIT_SUCCESS;
}
