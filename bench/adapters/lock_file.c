/* SPDX-License-Identifier: MIT */
#include "bench/adapters/lock_file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { OWN_MOST = 64 }; /* files that one task can have opened */

/* What this task has opened.  Zeroes, in a thread and in a forked child: nothing yet. */
struct own {
    bool is_listed; /* for the end of the thread */
    unsigned count;
    struct {
        uint64_t serial;
        int fd;
    } files[OWN_MOST];
};

static __thread struct own own;
static pthread_key_t at_end;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static uint64_t serials;

static void forget_all(void *arg)
{
    struct own *o = arg;

    for (unsigned i = 0; i < o->count; i++)
        close(o->files[i].fd);
    o->count = 0;
    o->is_listed = false;
}

/* The child has its parent's open files, and must not lock by them. */
static void in_child(void)
{
    forget_all(&own);
}

static void prepare(void)
{
    pthread_key_create(&at_end, forget_all);
    pthread_atfork(NULL, NULL, in_child);
}

int lock_file_make(struct lock_file *f)
{
    pthread_once(&once, prepare);
    f->fd = memfd_create("furwock-adapter", MFD_CLOEXEC);
    if (f->fd < 0)
        return errno == EMFILE || errno == ENFILE ? ENOSPC : errno;
    f->maker = (uint32_t)getpid();
    f->serial = __atomic_add_fetch(&serials, 1, __ATOMIC_RELAXED) | (uint64_t)f->maker << 32;
    return 0;
}

static void forget_one(uint64_t serial)
{
    for (unsigned i = 0; i < own.count; i++) {
        if (own.files[i].serial == serial) {
            close(own.files[i].fd);
            own.files[i] = own.files[--own.count];
            return;
        }
    }
}

void lock_file_unmake(struct lock_file *f)
{
    forget_one(f->serial);
    if (f->maker == (uint32_t)getpid())
        close(f->fd);
}

static int open_again(const struct lock_file *f)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/self/fd/%d", f->fd);
    int fd = own.count < OWN_MOST ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (fd < 0) {
        fprintf(stderr, "cannot open the file of a lock again\n");
        abort();
    }
    if (!own.is_listed) {
        pthread_setspecific(at_end, &own);
        own.is_listed = true;
    }
    own.files[own.count].serial = f->serial;
    own.files[own.count].fd = fd;
    own.count++;
    return fd;
}

int lock_file_own(const struct lock_file *f)
{
    for (unsigned i = 0; i < own.count; i++)
        if (own.files[i].serial == f->serial)
            return own.files[i].fd;
    return open_again(f);
}
