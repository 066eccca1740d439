/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cancel.h"
#include "sem.h"
#include "test/support/child.h"
#include "test/support/unit.h"

/* posix/sem.c, sem_named.c and cancel.c with the real kernel: results and error numbers. */

#define assert_fails(error, call)               \
    do {                                        \
        errno = 0;                              \
        assert_int_equal((intptr_t)(call), -1); \
        assert_int_equal(errno, error);         \
    } while (0)
#define assert_not_opened(error, call)      \
    do {                                    \
        errno = 0;                          \
        assert_ptr_equal(call, SEM_FAILED); \
        assert_int_equal(errno, error);     \
    } while (0)

static int value_of(sem_t *s)
{
    int value = -1;

    assert_int_equal(fw_posix_sem_getvalue_(s, &value), 0);
    return value;
}

static void *cancels_itself(void *arg)
{
    fw_posix_cancel_(pthread_self());
    fw_posix_sem_trywait_(arg); /* is no cancellation point */
    fw_posix_sem_wait_(arg);    /* is one even where there is a unit */
    return NULL;
}

TEST(waiting_is_a_cancellation_point_without_a_wait)
{
    pthread_t thread;
    void *end;
    sem_t s;

    assert_int_equal(fw_posix_sem_init_(&s, 0, 2), 0);
    assert_int_equal(pthread_create(&thread, NULL, cancels_itself, &s), 0);
    pthread_join(thread, &end);
    assert_ptr_equal(end, PTHREAD_CANCELED);
    assert_int_equal(value_of(&s), 1);
}

/* --- Named ones ------------------------------------------------------------------------------ */

static char name[64];

static sem_t *create(int flags, unsigned value)
{
    return fw_posix_sem_open_(name, O_CREAT | flags, (mode_t)0600, value);
}

static int invent_name(void)
{
    snprintf(name, sizeof name, "/furwock-test-%d", (int)getpid());
    return 0;
}

static void remove_name(void)
{
    fw_posix_sem_unlink_(name);
}

TEST(one_file_has_one_address)
{
    sem_t *a, *b, *c;

    assert_not_opened(ENOENT, fw_posix_sem_open_(name, 0));
    assert_not_opened(EINVAL, create(0, (unsigned)SEM_VALUE_MAX + 1));
    a = create(O_EXCL, 3);
    assert_ptr_not_equal(a, SEM_FAILED);
    assert_not_opened(EEXIST, create(O_EXCL, 3));
    b = create(0, 7);
    c = fw_posix_sem_open_(name + 1, 0);
    assert_ptr_equal(a, b);
    assert_ptr_equal(a, c);
    assert_int_equal(value_of(a), 3);
    for (int i = 0; i < 3; i++)
        assert_int_equal(fw_posix_sem_close_(a), 0);
    assert_fails(EINVAL, fw_posix_sem_close_(a));
    a = fw_posix_sem_open_(name, 0);
    assert_int_equal(value_of(a), 3);
    assert_int_equal(fw_posix_sem_unlink_(name), 0);
    assert_fails(ENOENT, fw_posix_sem_unlink_(name));
    b = create(0, 5);
    assert_ptr_not_equal(a, b);
    assert_int_equal(value_of(b), 5);
    assert_int_equal(fw_posix_sem_close_(a), 0);
    assert_int_equal(fw_posix_sem_close_(b), 0);
}

/* --- Between a process with the drop-in and one without --------------------------------------- */

enum { TURNS = 5000, HANGS_S = 300 };

static const struct library {
    int (*wait)(sem_t *), (*trywait)(sem_t *), (*post)(sem_t *);
    int (*timedwait)(sem_t *, const struct timespec *);
} ours = {fw_posix_sem_wait_, fw_posix_sem_trywait_, fw_posix_sem_post_, fw_posix_sem_timedwait_},
  theirs = {sem_wait, sem_trywait, sem_post, sem_timedwait};

static struct common {
    sem_t turn[2];
    uint64_t inside, count, balls; /* guarded by the named semaphore, by whose turn it is */
} * common;

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void take(const struct library *l, sem_t *s, unsigned how)
{
    struct timespec at;

    if (how % 3 == 0 && l->trywait(s) == 0)
        return;
    clock_gettime(CLOCK_REALTIME, &at);
    at.tv_sec += HANGS_S;
    must((how % 2 == 0 ? l->wait(s) : l->timedwait(s, &at)) == 0);
}

static void take_turns(const struct library *l, sem_t *named, unsigned side)
{
    for (unsigned i = 0; i < TURNS; i++) {
        take(l, named, i);
        must(common->inside++ == 0);
        common->count++;
        common->inside--;
        must(l->post(named) == 0);
        take(l, &common->turn[side], i);
        must(common->balls++ % 2 == side);
        must(l->post(&common->turn[1 - side]) == 0);
    }
}

static void be_without(void *unused)
{
    sem_t *named = sem_open(name, 0);

    (void)unused;
    must(named != SEM_FAILED);
    take_turns(&theirs, named, 1);
}

TEST(the_c_library_takes_turns_with_it)
{
    for (int ours_makes = 0; ours_makes < 2; ours_makes++) {
        sem_t *made, *named;
        pid_t child;

        common = share(sizeof *common);
        for (unsigned i = 0; i < 2; i++)
            (ours_makes ? fw_posix_sem_init_ : sem_init)(&common->turn[i], 1, 1 - i);
        made = ours_makes ? create(O_EXCL, 1) : sem_open(name, O_CREAT | O_EXCL, 0600, 1);
        named = fw_posix_sem_open_(name, 0);
        assert_ptr_not_equal(named, SEM_FAILED);
        child = start(be_without, NULL);
        take_turns(&ours, named, 0);
        finish(child);
        assert_int_equal(common->count, 2 * TURNS);
        assert_int_equal(fw_posix_sem_close_(named), 0);
        assert_int_equal(ours_makes ? fw_posix_sem_close_(made) : sem_close(made), 0);
        assert_int_equal(fw_posix_sem_unlink_(name), 0);
    }
}

TEST(a_child_has_it_open)
{
    sem_t *s = create(O_EXCL, 0);
    int status;
    pid_t child = fork();

    if (child == 0) {
        sem_t *again = fw_posix_sem_open_(name, 0);

        _exit(again != s || fw_posix_sem_post_(s) != 0 || fw_posix_sem_close_(s) != 0 ||
              fw_posix_sem_close_(s) != 0 || fw_posix_sem_close_(s) == 0);
    }
    assert_int_equal(fw_posix_sem_wait_(s), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(fw_posix_sem_close_(s), 0);
}

static mode_t mode_of(const char *file)
{
    struct stat about;

    assert_int_equal(stat(file, &about), 0);
    return about.st_mode & 0777;
}

TEST(modes_and_links_are_heeded)
{
    char file[128];
    mode_t mask = umask(027);
    sem_t *s = fw_posix_sem_open_(name, O_CREAT, (mode_t)0666, 1u);

    umask(mask);
    assert_ptr_not_equal(s, SEM_FAILED);
    snprintf(file, sizeof file, "/dev/shm/sem.%s", name + 1);
    assert_int_equal(mode_of(file), 0640);
    assert_int_equal(fw_posix_sem_close_(s), 0);
    assert_int_equal(fw_posix_sem_unlink_(name), 0);
    assert_int_equal(symlink("/dev/null", file), 0);
    assert_not_opened(ELOOP, fw_posix_sem_open_(name, 0));
    assert_not_opened(ELOOP, create(0, 1));
}

UNIT_MAIN(invent_name, remove_name)
