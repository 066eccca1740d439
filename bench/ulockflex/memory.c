/* SPDX-License-Identifier: MIT */
/*
 * Regions of memory that hold locks.  "In a run, Ulockflex allocates a finite set (typically one)
 * of global shared regions (shmat or mmap'ed files) and a specified number of user locks which are
 * assigned to the shared region in a round robin fashion" (section 4.1).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

#include "run.h"

const char *const memory_names[] = {"anonymous", "shmat", "file", NULL};

/* It goes when the last process has detached. */
static void *attach(size_t size)
{
    int id = shmget(IPC_PRIVATE, size, IPC_CREAT | 0600);

    if (id < 0)
        return NULL;
    void *memory = shmat(id, NULL, 0);
    int error = errno;
    shmctl(id, IPC_RMID, NULL);
    errno = error;
    return memory != (void *)-1 ? memory : NULL; /* NOLINT: that is what shmat returns */
}

static int open_file(const char *directory)
{
    char path[4096];

    if (snprintf(path, sizeof path, "%s/ulockflex-XXXXXX", directory) >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    int fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        unlink(path);
    return fd;
}

/* In $TMPDIR, or /tmp; the file has no name by then. */
static void *map_file(size_t size)
{
    const char *directory = getenv("TMPDIR");
    int fd = open_file(directory != NULL && *directory != '\0' ? directory : "/tmp");

    if (fd < 0)
        return NULL;
    void *memory = MAP_FAILED;
    if (ftruncate(fd, (off_t)size) == 0)
        memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    int error = errno;
    close(fd);
    errno = error;
    return memory != MAP_FAILED ? memory : NULL;
}

void *memory_take(const struct options *o, size_t size)
{
    switch (o->memory) {
    case MEMORY_SHMAT:
        return attach(size);
    case MEMORY_FILE:
        return map_file(size);
    case MEMORY_ANONYMOUS:
        break;
    }
    return adapter_head_memory(o->lock.head, size, true);
}

void memory_give(const struct options *o, void *memory, size_t size)
{
    switch (o->memory) {
    case MEMORY_SHMAT:
        shmdt(memory);
        break;
    case MEMORY_FILE:
        munmap(memory, size);
        break;
    case MEMORY_ANONYMOUS:
        adapter_head_forget(o->lock.head, memory, size);
        break;
    }
}
