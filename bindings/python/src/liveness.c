/* SPDX-License-Identifier: MIT */
/* What holds a process's row in the table of slots: PYS1 in slots.h. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "slots.h"

/* The byte of row 0: beyond all files, so that nobody else's locks are in the way. */
static const off_t FIRST_BYTE = (off_t)1 << 61;

static struct flock lock_of(unsigned row)
{
    return (struct flock){
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = FIRST_BYTE + row, .l_len = 1};
}

static size_t page(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

int fwpy_life_take(int fd, unsigned row, void **life)
{
    struct flock lock = lock_of(row);
    char path[64];
    void *map;
    int own, error = 0;

    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    own = open(path, O_RDWR | O_CLOEXEC);
    if (own < 0)
        return errno;
    if (fcntl(own, F_OFD_SETLK, &lock) != 0)
        error = errno == EACCES ? EAGAIN : errno;
    if (error == 0) {
        map = mmap(NULL, page(), PROT_READ, MAP_SHARED, own, 0);
        if (map == MAP_FAILED)
            error = errno;
        else
            *life = map;
    }
    close(own); /* the mapping keeps the description, and with it the lock */
    return error;
}

void fwpy_life_drop(void *life)
{
    if (life != NULL)
        munmap(life, page());
}

void fwpy_life_keep_from_children(void *life)
{
    (void)madvise(life, page(), MADV_DONTFORK);
}

int fwpy_life_is_held(int fd, unsigned row)
{
    struct flock lock = lock_of(row);

    if (fcntl(fd, F_OFD_GETLK, &lock) != 0)
        return -1;
    return lock.l_type != F_UNLCK;
}
