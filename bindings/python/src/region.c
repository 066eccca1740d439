/* SPDX-License-Identifier: MIT */
/* The regions of this process.  Contract: region.h. */
#include "region.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct fwpy_region *fwpy_regions;

static bool is_shm_name(const char *name)
{
    return name[0] == '/' && strchr(name + 1, '/') == NULL;
}

static int open_file(const char *name)
{
    return is_shm_name(name) ? shm_open(name, O_RDWR, 0)
                             : open(name, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
}

/* An entry for what the library has just opened: the one that there is, or a new one. */
static int enter_region(fw_region *region, const char *key, int fd, struct fwpy_region **out)
{
    struct fwpy_region *r = fwpy_regions;
    struct stat st = {0};

    while (r != NULL && r->region != region)
        r = r->next;
    if (r != NULL) { /* opened once more: give that back */
        r->refs++;
        fw_region_close(region);
    } else {
        r = calloc(1, sizeof *r);
        if (r != NULL)
            r->key = strdup(key);
        if (r == NULL || r->key == NULL) {
            free(r);
            fw_region_close(region);
            return ENOMEM;
        }
        r->region = region;
        r->fd = -1;
        r->refs = 1;
        r->next = fwpy_regions;
        fwpy_regions = r;
    }
    if (r->fd < 0 && fd >= 0) {
        r->fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
        if (r->fd >= 0 && fstat(r->fd, &st) == 0) {
            r->device = st.st_dev;
            r->inode = st.st_ino;
        }
    }
    *out = r;
    return 0;
}

int fwpy_region_open(const char *name, size_t size, unsigned flags, struct fwpy_region **r)
{
    char absolute[PATH_MAX];
    fw_region *region;
    int error;

    fwpy_let_go();
    error = fw_region_open(name, size, flags, &region);
    if (error != 0)
        return error;
    if (!is_shm_name(name) && realpath(name, absolute) != NULL)
        name = absolute;
    return enter_region(region, name, -1, r);
}

static void key_of(char *key, size_t size, uint64_t device, uint64_t inode)
{
    snprintf(key, size, "fd:%" PRIu64 ":%" PRIu64, device, inode);
}

int fwpy_region_open_fd(int fd, size_t size, unsigned flags, struct fwpy_region **r)
{
    char key[64];
    struct stat st;
    fw_region *region;
    int error;

    if (fstat(fd, &st) != 0)
        return errno;
    error = fw_region_open_fd(fd, size, flags, &region);
    if (error != 0)
        return error;
    key_of(key, sizeof key, st.st_dev, st.st_ino);
    return enter_region(region, key, fd, r);
}

static bool is_same_file(int fd, uint64_t device, uint64_t inode)
{
    struct stat st;

    return fstat(fd, &st) == 0 && st.st_dev == device && st.st_ino == inode;
}

/*
 * The parent's default region, if this process was started with its descriptor: perhaps it is open
 * already, since an object of it was unpickled, and the descriptor closed.
 */
static int adopt_inherited(struct fwpy_region **r)
{
    const char *text = getenv("FURWOCK_REGION");
    char key[64];
    uint64_t device, inode;
    int fd;

    if (text == NULL || sscanf(text, "%d:%" SCNu64 ":%" SCNu64, &fd, &device, &inode) != 3)
        return ENOENT;
    key_of(key, sizeof key, device, inode);
    *r = fwpy_region_find(key);
    if (*r != NULL)
        return 0;
    if (fd < 0 || !is_same_file(fd, device, inode))
        return ENOENT;
    (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
    return fwpy_region_open_fd(fd, 0, 0, r);
}

static int make_memfd(size_t size, struct fwpy_region **r)
{
    int fd = memfd_create("furwock", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    int error;

    if (fd < 0)
        return errno;
    error = fwpy_region_open_fd(fd, size, FW_REGION_CREATE, r);
    close(fd);
    return error;
}

static struct fwpy_region *find_default(void)
{
    struct fwpy_region *r = fwpy_regions;

    while (r != NULL && !r->is_default)
        r = r->next;
    return r;
}

bool fwpy_region_has_default(void)
{
    return find_default() != NULL;
}

void fwpy_region_make_default(struct fwpy_region *r)
{
    if (find_default() != NULL)
        return;
    r->is_default = true;
    r->refs++; /* for good */
}

int fwpy_region_default(size_t size, struct fwpy_region **r)
{
    int error = 0;

    *r = find_default();
    if (*r == NULL) {
        error = adopt_inherited(r);
        if (error != 0)
            error = make_memfd(size, r);
        if (error != 0)
            return error;
        fwpy_region_make_default(*r);
    } else {
        (*r)->refs++;
    }
    return 0;
}

struct fwpy_region *fwpy_region_find(const char *key)
{
    for (struct fwpy_region *r = fwpy_regions; r != NULL; r = r->next)
        if (strcmp(r->key, key) == 0) {
            r->refs++;
            return r;
        }
    return NULL;
}

/* The file of that name, if it is still the region's. */
static int reopen(struct fwpy_region *r)
{
    fw_region *again;
    struct stat st;
    int fd = open_file(r->key), error;

    if (fd < 0)
        return errno;
    error = fw_region_open_fd(fd, 0, 0, &again);
    if (error == 0) {
        fw_region_close(again);
        error = again == r->region ? 0 : ESTALE;
    }
    if (error == 0 && fstat(fd, &st) != 0)
        error = errno;
    if (error != 0) {
        close(fd);
        return error;
    }
    r->fd = fd;
    r->device = st.st_dev;
    r->inode = st.st_ino;
    return 0;
}

int fwpy_region_fd(struct fwpy_region *r)
{
    int error = 0;

    if (r->fd >= 0 && !is_same_file(r->fd, r->device, r->inode))
        r->fd = -1; /* the program has closed all that it did not know */
    if (r->fd < 0)
        error = strncmp(r->key, "fd:", 3) == 0 ? EBADF : reopen(r);
    errno = error;
    return r->fd;
}

void fwpy_region_release(struct fwpy_region *r)
{
    struct fwpy_region **link = &fwpy_regions;

    if (--r->refs > 0)
        return;
    while (*link != r)
        link = &(*link)->next;
    *link = r->next;
    fwpy_slots_close(r);
    if (r->fd >= 0 && is_same_file(r->fd, r->device, r->inode))
        close(r->fd);
    fw_region_close(r->region);
    free(r->key);
    free(r);
}
