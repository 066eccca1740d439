// SPDX-License-Identifier: MIT
#include "result_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command/command.h"

bool result_file_open(struct result_file *f, const char *path)
{
    *f = (struct result_file){.path = path, .fd = STDOUT_FILENO};
    if (strcmp(path, "-") == 0)
        return true;
    f->fd = open(path, O_WRONLY | O_CLOEXEC);
    if (f->fd < 0 && errno == ENOENT) {
        f->fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
        f->is_new = f->fd >= 0;
    }
    return f->fd >= 0;
}

void result_file_leave(struct result_file *f)
{
    if (f->fd == STDOUT_FILENO)
        return;
    close(f->fd);
    if (f->is_new)
        unlink(f->path);
}

/* An error number, if the file cannot be that long; it is as long as before then. */
static int make_room(const struct result_file *f, off_t before, off_t size)
{
    int error = posix_fallocate(f->fd, 0, size);

    if (error == EOPNOTSUPP)
        return 0; /* a file system that cannot tell beforehand */
    if (error != 0 && ftruncate(f->fd, before) != 0)
        command_warn("%s is longer than it was", f->path);
    return error;
}

static int write_all(const struct result_file *f, const json_t *root, size_t flags)
{
    if (json_dumpfd(root, f->fd, flags) != 0 || write(f->fd, "\n", 1) != 1)
        return errno != 0 ? errno : EIO;
    return 0;
}

bool result_file_write(struct result_file *f, const json_t *root, size_t flags)
{
    const off_t size = (off_t)json_dumpb(root, NULL, 0, flags) + 1;
    struct stat is;
    bool is_regular = f->fd != STDOUT_FILENO && fstat(f->fd, &is) == 0 && S_ISREG(is.st_mode);
    int error = is_regular ? make_room(f, is.st_size, size) : 0;

    if (error != 0) {
        result_file_leave(f);
        errno = error;
        return false;
    }
    errno = 0;
    error = write_all(f, root, flags);
    if (error == 0 && is_regular && ftruncate(f->fd, size) != 0)
        error = errno;
    if (f->fd != STDOUT_FILENO && close(f->fd) != 0 && error == 0)
        error = errno;
    errno = error;
    return error == 0;
}
