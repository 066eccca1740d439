// SPDX-License-Identifier: MIT
#include "result_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command/command.h"

/* /dev/stdout, say, with a file behind it: what others write there must not be written over. */
static bool takes_as_own(struct result_file *f, const struct stat *is, int fd)
{
    struct stat own;
    int copy;

    if (fstat(fd, &own) != 0 || own.st_dev != is->st_dev || own.st_ino != is->st_ino)
        return false;
    copy = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (copy < 0)
        return false;
    close(f->fd);
    f->fd = copy;
    return true;
}

bool result_file_open(struct result_file *f, const char *path)
{
    struct stat is;

    *f = (struct result_file){.path = path, .fd = STDOUT_FILENO};
    if (strcmp(path, "-") == 0)
        return true;
    f->fd = open(path, O_WRONLY | O_CLOEXEC);
    if (f->fd < 0 && errno == ENOENT) {
        f->fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
        f->is_new = f->fd >= 0;
    }
    f->is_regular = f->fd >= 0 && fstat(f->fd, &is) == 0 && S_ISREG(is.st_mode) &&
                    !takes_as_own(f, &is, STDOUT_FILENO) && !takes_as_own(f, &is, STDERR_FILENO);
    return f->fd >= 0;
}

bool result_file_close(struct result_file *f)
{
    return f->fd == STDOUT_FILENO || close(f->fd) == 0;
}

void result_file_leave(struct result_file *f)
{
    char file[PATH_MAX]; /* which the path may name by a symbolic link */

    result_file_close(f);
    if (f->is_new && realpath(f->path, file) != NULL)
        unlink(file);
}

/* An error number, if the file cannot be that long; it is as long as before then. */
static int make_room(const struct result_file *f, off_t size)
{
    struct stat is;
    int error;

    if (fstat(f->fd, &is) != 0)
        return errno;
    do
        error = fallocate(f->fd, 0, 0, size) == 0 ? 0 : errno;
    while (error == EINTR);
    if (error == EOPNOTSUPP || error == ENOSYS)
        return 0; /* a file system that cannot tell beforehand */
    if (error != 0 && ftruncate(f->fd, is.st_size) != 0)
        command_warn("%s is longer than it was", f->path);
    return error;
}

static int write_all(int fd, const char *bytes, size_t n)
{
    while (n > 0) {
        ssize_t written = write(fd, bytes, n);

        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return written < 0 ? errno : EIO;
        bytes += written;
        n -= (size_t)written;
    }
    return 0;
}

bool result_file_put(struct result_file *f, const void *bytes, size_t n)
{
    const off_t length = f->length + (off_t)n;
    int error = f->is_regular ? make_room(f, length) : 0;

    if (error == 0)
        error = write_all(f->fd, bytes, n);
    if (error == 0 && f->is_regular && ftruncate(f->fd, length) != 0)
        error = errno;
    if (error == 0)
        f->length = length;
    errno = error;
    return error == 0;
}

bool result_file_end(struct result_file *f, const void *bytes, size_t n)
{
    int error;

    if (result_file_put(f, bytes, n))
        return result_file_close(f);
    error = errno;
    result_file_leave(f);
    errno = error;
    return false;
}

bool result_file_write(struct result_file *f, const json_t *root, size_t flags)
{
    char *text = json_dumps(root, flags);
    size_t length;
    bool is_written;
    int error;

    if (text == NULL) {
        result_file_leave(f);
        errno = ENOMEM;
        return false;
    }
    length = strlen(text);
    text[length] = '\n'; /* in the place of its end */
    is_written = result_file_end(f, text, length + 1);
    error = errno;
    free(text);
    errno = error;
    return is_written;
}
