/* SPDX-License-Identifier: MIT */
/* Contract: directory.h. */
#include "directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command/command.h"

static const char stem[] = "furwock-stat-";

/* A new directory, not locked yet, may be taken for one that was left; one may fill up again. */
enum { TRIES = 20 };

/* The directory, locked and still there; -1: it is another's, or gone. */
static int lock(int parent, const char *name)
{
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat about;

    if (fd < 0)
        return -1;
    if (fstat(fd, &about) == 0 && about.st_uid == geteuid() && flock(fd, LOCK_EX | LOCK_NB) == 0 &&
        fstat(fd, &about) == 0 && about.st_nlink != 0)
        return fd;
    close(fd);
    return -1;
}

/* Leaves the descriptor open. */
static void empty(int fd)
{
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    DIR *dir = copy >= 0 ? fdopendir(copy) : NULL;
    const struct dirent *e;

    if (dir == NULL) {
        if (copy >= 0)
            close(copy);
        return;
    }
    rewinddir(dir); /* the other descriptor shares the position */
    while ((e = readdir(dir)) != NULL)
        unlinkat(fd, e->d_name, 0); /* "." and ".." refuse */
    closedir(dir);
}

/* Programs that go on, and start others, may bring new files at any moment. */
static void remove_whole(int fd, int parent, const char *name)
{
    for (int i = 0; i < TRIES; i++) {
        empty(fd);
        if (unlinkat(parent, name, AT_REMOVEDIR) == 0 || (errno != ENOTEMPTY && errno != EEXIST))
            return;
    }
}

static void remove_what_was_left(const char *parent)
{
    DIR *dir = opendir(parent);
    const struct dirent *e;

    while (dir != NULL && (e = readdir(dir)) != NULL) {
        int fd;

        if (strncmp(e->d_name, stem, sizeof stem - 1) != 0)
            continue;
        fd = lock(dirfd(dir), e->d_name);
        if (fd < 0)
            continue;
        remove_whole(fd, dirfd(dir), e->d_name);
        close(fd); /* locked until it is gone */
    }
    if (dir != NULL)
        closedir(dir);
}

/* The descriptor stays open, and the directory locked, until the process ends. */
static bool make_in(const char *parent, char path[PATH_MAX])
{
    for (int i = 0; i < TRIES; i++) {
        if (snprintf(path, PATH_MAX, "%s/%sXXXXXX", parent, stem) >= PATH_MAX) {
            errno = ENAMETOOLONG;
            return false;
        }
        if (mkdtemp(path) == NULL)
            return false;
        if (lock(AT_FDCWD, path) >= 0)
            return true;
        rmdir(path);
    }
    errno = EBUSY;
    return false;
}

/* In memory, if possible: what is written there costs nothing more than the writing. */
bool run_stat_make_directory(char path[PATH_MAX])
{
    const char *parent;

    for (unsigned i = 0; (parent = command_folder(i)) != NULL; i++)
        remove_what_was_left(parent);
    for (unsigned i = 0; (parent = command_folder(i)) != NULL; i++)
        if (make_in(parent, path))
            return true;
    return false;
}

void run_stat_remove_directory(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    if (fd < 0)
        return;
    remove_whole(fd, AT_FDCWD, path);
    close(fd);
}
