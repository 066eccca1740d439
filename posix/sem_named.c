/* SPDX-License-Identifier: MIT */
/*
 * sem_open, sem_close, sem_unlink.  Contract: sem.h.  What is in the files: sem_word.h, shared.
 *
 * The name "/x" is the file sem.x among the system's shared memory.  A new semaphore is written
 * under another name and then linked to its own, so that whoever opens it finds it whole.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <furwock/mutex.h>

#include "export.h"
#include "sem.h"
#include "sem_word.h"
#include "sys/clock.h"
#include "sys/file_calls.h"
#include "sys/fork.h"
#include "sys/map.h"
#include "sys/origin.h"
#include "sys/panic.h"

#define FOLDER "/dev/shm/sem."

/* Names that are tried for a new file before its own. */
enum { TRIES = 100, RANDOM_LETTERS = 6 };

/* --- Semaphores that are open ---------------------------------------------------------------- */

/* One file, at one address, for as long as somebody has it open. */
struct mapping {
    struct mapping *next;
    dev_t device;
    ino_t inode;
    unsigned opened;
    sem_t *sem;
};

static fw_mutex lock = FW_MUTEX_INIT;
static struct mapping *mappings;

static void before_fork(void)
{
    fw_mutex_lock(&lock);
}

static void after_fork(void)
{
    fw_mutex_unlock(&lock);
}

/*
 * A child of this process finds the list whole, and free.  Before others register handlers: theirs
 * may open and close semaphores, so ours come last before the fork, and first after it.
 */
__attribute__((constructor)) static void see_to_forks(void)
{
    int error = fw_fork_handlers_(before_fork, after_fork, after_fork);

    if (error != 0)
        fw_panic_errno_("pthread_atfork", error);
}

static sem_t *map(int fd)
{
    void *at;
    int error = fw_map_(NULL, sizeof(sem_t), PROT_READ | PROT_WRITE, MAP_SHARED, fd, &at);

    if (error == 0)
        return at;
    errno = error;
    return SEM_FAILED;
}

static struct mapping *find(const struct stat *about)
{
    struct mapping *m = mappings;

    while (m != NULL && (m->device != about->st_dev || m->inode != about->st_ino))
        m = m->next;
    return m;
}

static sem_t *add(int fd, const struct stat *about)
{
    struct mapping *m = malloc(sizeof *m);

    if (m == NULL)
        return SEM_FAILED;
    *m = (struct mapping){mappings, about->st_dev, about->st_ino, 1, map(fd)};
    if (m->sem == SEM_FAILED) {
        free(m);
        return SEM_FAILED;
    }
    mappings = m;
    return m->sem;
}

/* The address of an open file's semaphore; SEM_FAILED with errno. */
static sem_t *address_of(int fd)
{
    struct stat about;
    struct mapping *m;
    sem_t *s;

    if (fw_file_stat_(fd, &about) != 0)
        return SEM_FAILED;
    fw_mutex_lock(&lock);
    m = find(&about);
    if (m == NULL) {
        s = add(fd, &about);
    } else if (m->opened == UINT_MAX) {
        s = SEM_FAILED;
        errno = EOVERFLOW;
    } else {
        s = m->sem;
        m->opened++;
    }
    fw_mutex_unlock(&lock);
    return s;
}

int fw_posix_sem_close_(sem_t *s)
{
    struct mapping **at = &mappings, *m;
    int result = 0;

    fw_mutex_lock(&lock);
    while (*at != NULL && (*at)->sem != s)
        at = &(*at)->next;
    m = *at;
    if (m == NULL) {
        errno = EINVAL;
        result = -1;
    } else if (--m->opened == 0) {
        *at = m->next;
        fw_unmap_(m->sem, sizeof(sem_t)); /* it is ours: no error */
        free(m);
    }
    fw_mutex_unlock(&lock);
    return result;
}

FW_EXPORT(fw_posix_sem_close_, sem_close, GLIBC_2_34);
FW_EXPORT_OLD(fw_posix_sem_close_, sem_close, GLIBC_2_2_5);

/* --- Files ----------------------------------------------------------------------------------- */

struct path {
    char text[sizeof FOLDER + NAME_MAX];
};

/* False: that is no name. */
static bool path_of(const char *name, struct path *path)
{
    size_t n;

    while (*name == '/')
        name++;
    n = strnlen(name, NAME_MAX + 1);
    if (n == 0 || n > NAME_MAX || memchr(name, '/', n) != NULL)
        return false;
    memcpy(path->text, FOLDER, sizeof FOLDER - 1);
    memcpy(path->text + sizeof FOLDER - 1, name, n + 1);
    return true;
}

static void unlink_quietly(const struct path *path)
{
    int error = errno;

    fw_file_unlink_(path->text);
    errno = error;
}

static sem_t *open_old(const struct path *path)
{
    int fd = fw_file_open_(path->text, O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0);
    sem_t *s;

    if (fd < 0)
        return SEM_FAILED;
    s = address_of(fd);
    fw_file_close_(fd);
    return s;
}

/* A name that nobody has, most probably. */
static void invent(struct path *path)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    static uint64_t count;
    const uint64_t seed[] = {fw_clock_ns_(), fw_process_id_(), fw_add64_acq_rel(&count, 1)};
    uint64_t random = fw_hash_(FW_HASH_START_, seed, sizeof seed);
    char *at = path->text + sizeof FOLDER - 1;

    memcpy(path->text, FOLDER, sizeof FOLDER - 1);
    for (int i = 0; i < RANDOM_LETTERS; i++) {
        *at++ = letters[random % (sizeof letters - 1)];
        random /= sizeof letters - 1;
    }
    *at = '\0';
}

/* A file of its own name, with that value in it; -1 with errno. */
static int make_file(struct path *path, mode_t mode, unsigned value)
{
    union {
        sem_t sem;
        struct fw_posix_sem_ words;
    } content;
    int fd = -1;

    for (int i = 0; i < TRIES && fd < 0; i++) {
        invent(path);
        fd = fw_file_open_(path->text, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (fd < 0 && errno != EEXIST)
            return -1;
    }
    if (fd < 0) {
        errno = EAGAIN;
        return -1;
    }
    memset(&content, 0, sizeof content);
    fw_posix_sem_init_(&content.sem, 1, value);
    if (fw_file_write_(fd, &content, sizeof content) == (int)sizeof content)
        return fd;
    fw_file_close_(fd);
    unlink_quietly(path);
    return -1;
}

/* EEXIST: somebody was quicker. */
static sem_t *open_new(const struct path *path, mode_t mode, unsigned value)
{
    struct path invented;
    sem_t *s = SEM_FAILED;
    int fd = make_file(&invented, mode, value);

    if (fd < 0)
        return SEM_FAILED;
    if (fw_file_link_(invented.text, path->text) == 0) {
        s = address_of(fd);
        if (s == SEM_FAILED)
            unlink_quietly(path);
    }
    unlink_quietly(&invented);
    fw_file_close_(fd);
    return s;
}

/* Without O_EXCL: whichever of the two works. */
static sem_t *open_any(const struct path *path, int flags, mode_t mode, unsigned value)
{
    for (;;) {
        sem_t *s;

        if ((flags & O_EXCL) == 0) {
            s = open_old(path);
            if (s != SEM_FAILED || errno != ENOENT)
                return s;
        }
        if (value > FW_SEM_VALUE_MAX_) {
            errno = EINVAL;
            return SEM_FAILED;
        }
        s = open_new(path, mode, value);
        if (s != SEM_FAILED || errno != EEXIST || (flags & O_EXCL) != 0)
            return s;
    }
}

sem_t *fw_posix_sem_open_(const char *name, int flags, ...)
{
    struct path path;
    mode_t mode = 0;
    unsigned value = 0;
    int state;
    sem_t *s;

    if (!path_of(name, &path)) {
        errno = EINVAL;
        return SEM_FAILED;
    }
    if ((flags & O_CREAT) != 0) {
        va_list rest;

        va_start(rest, flags);
        mode = va_arg(rest, mode_t);
        value = va_arg(rest, unsigned);
        va_end(rest);
    }
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    s = (flags & O_CREAT) != 0 ? open_any(&path, flags, mode, value) : open_old(&path);
    pthread_setcancelstate(state, NULL);
    return s;
}

FW_EXPORT(fw_posix_sem_open_, sem_open, GLIBC_2_34);
FW_EXPORT_OLD(fw_posix_sem_open_, sem_open, GLIBC_2_2_5);

int fw_posix_sem_unlink_(const char *name)
{
    struct path path;

    if (!path_of(name, &path)) {
        errno = ENOENT;
        return -1;
    }
    if (fw_file_unlink_(path.text) == 0)
        return 0;
    if (errno == EPERM)
        errno = EACCES; /* what POSIX has for it */
    return -1;
}

FW_EXPORT(fw_posix_sem_unlink_, sem_unlink, GLIBC_2_34);
FW_EXPORT_OLD(fw_posix_sem_unlink_, sem_unlink, GLIBC_2_2_5);
