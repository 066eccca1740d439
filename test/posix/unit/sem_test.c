/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cancel.h"
#include "sem.h"
#include "sem_word.h"
#include "test/support/testing.h"

/* posix/sem.c, sem_named.c and cancel.c with the real kernel: results and error numbers. */

static const struct timespec past = {1, 0}, before_the_epoch = {-5, 0}, bad = {0, 1000000000},
                             negative = {0, -1};

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

static void units_are_counted(void **state)
{
    sem_t s;

    (void)state;
    for (int shared = 0; shared < 2; shared++) {
        assert_int_equal(fw_posix_sem_init_(&s, shared, 2), 0);
        errno = 77;
        assert_int_equal(fw_posix_sem_wait_(&s), 0);
        assert_int_equal(fw_posix_sem_trywait_(&s), 0);
        assert_int_equal(errno, 77);
        assert_fails(EAGAIN, fw_posix_sem_trywait_(&s));
        assert_int_equal(fw_posix_sem_post_(&s), 0);
        assert_int_equal(value_of(&s), 1);
        assert_int_equal(fw_posix_sem_timedwait_(&s, &past), 0);
        assert_int_equal(value_of(&s), 0);
        assert_int_equal(fw_posix_sem_destroy_(&s), 0);
    }
}

static void values_have_a_maximum(void **state)
{
    sem_t s;

    (void)state;
    assert_fails(EINVAL, fw_posix_sem_init_(&s, 0, (unsigned)SEM_VALUE_MAX + 1));
    for (int shared = 0; shared < 2; shared++) {
        assert_int_equal(fw_posix_sem_init_(&s, shared, SEM_VALUE_MAX), 0);
        assert_fails(EOVERFLOW, fw_posix_sem_post_(&s));
        assert_int_equal(value_of(&s), SEM_VALUE_MAX);
    }
}

static void zero_bytes_are_an_empty_semaphore(void **state)
{
    sem_t s;

    (void)state;
    memset(&s, 0, sizeof s);
    assert_fails(EAGAIN, fw_posix_sem_trywait_(&s));
    assert_int_equal(fw_posix_sem_post_(&s), 0);
    assert_int_equal(fw_posix_sem_wait_(&s), 0);
}

/* The C library looks at the deadline first, even where there is a unit. */
static void deadlines_are_checked_first(void **state)
{
    sem_t s;

    (void)state;
    for (int value = 0; value < 2; value++) {
        assert_int_equal(fw_posix_sem_init_(&s, 0, (unsigned)value), 0);
        assert_fails(EINVAL, fw_posix_sem_timedwait_(&s, &bad));
        assert_fails(EINVAL, fw_posix_sem_timedwait_(&s, &negative));
        assert_fails(EINVAL, fw_posix_sem_clockwait_(&s, CLOCK_MONOTONIC, &bad));
        assert_fails(EINVAL, fw_posix_sem_clockwait_(&s, CLOCK_PROCESS_CPUTIME_ID, &past));
        assert_int_equal(value_of(&s), value);
    }
    assert_int_equal(fw_posix_sem_clockwait_(&s, CLOCK_MONOTONIC, &before_the_epoch), 0);
    for (int shared = 0; shared < 2; shared++) {
        assert_int_equal(fw_posix_sem_init_(&s, shared, 0), 0);
        assert_fails(ETIMEDOUT, fw_posix_sem_timedwait_(&s, &past));
        assert_fails(ETIMEDOUT, fw_posix_sem_timedwait_(&s, &before_the_epoch));
        assert_fails(ETIMEDOUT, fw_posix_sem_clockwait_(&s, CLOCK_MONOTONIC, &past));
    }
}

static void nothing(int number)
{
    (void)number;
}

struct waiter {
    sem_t s;
    pthread_t thread;
    int result, error, done;
};

static void *waits(void *arg)
{
    struct waiter *w = arg;

    w->result = fw_posix_sem_wait_(&w->s);
    w->error = errno;
    __atomic_store_n(&w->done, 1, __ATOMIC_RELEASE);
    return NULL;
}

static void start(struct waiter *w, int shared)
{
    memset(w, 0, sizeof *w);
    assert_int_equal(fw_posix_sem_init_(&w->s, shared, 0), 0);
    assert_int_equal(pthread_create(&w->thread, NULL, waits, w), 0);
}

static void a_moment(void)
{
    nanosleep(&(struct timespec){0, 1000000}, NULL);
}

/* Whoever waits has been counted. */
static void await_waiter(struct waiter *w)
{
    while (__atomic_load_n(&fw_posix_sem_(&w->s)->state, __ATOMIC_ACQUIRE) == 0)
        a_moment();
}

static void a_handler_ends_the_wait(void **state)
{
    struct sigaction act = {.sa_handler = nothing};
    struct waiter w;

    (void)state;
    sigaction(SIGUSR1, &act, NULL);
    for (int shared = 0; shared < 2; shared++) {
        start(&w, shared);
        await_waiter(&w);
        while (!__atomic_load_n(&w.done, __ATOMIC_ACQUIRE)) {
            pthread_kill(w.thread, SIGUSR1);
            a_moment();
        }
        pthread_join(w.thread, NULL);
        assert_int_equal(w.result, -1);
        assert_int_equal(w.error, EINTR);
        assert_int_equal(fw_posix_sem_(&w.s)->state, 0);
    }
}

static void a_handler_that_restarts_does_not(void **state)
{
    struct sigaction act = {.sa_handler = nothing, .sa_flags = SA_RESTART};
    struct waiter w;

    (void)state;
    sigaction(SIGUSR1, &act, NULL);
    for (int shared = 0; shared < 2; shared++) {
        start(&w, shared);
        await_waiter(&w);
        for (int i = 0; i < 10; i++) {
            pthread_kill(w.thread, SIGUSR1);
            a_moment();
        }
        assert_int_equal(fw_posix_sem_post_(&w.s), 0);
        pthread_join(w.thread, NULL);
        assert_int_equal(w.result, 0);
        assert_int_equal(fw_posix_sem_(&w.s)->state, 0);
    }
}

static void who_is_cancelled_takes_no_unit(void **state)
{
    struct waiter w;
    void *end;

    (void)state;
    for (int shared = 0; shared < 2; shared++) {
        start(&w, shared);
        await_waiter(&w);
        assert_int_equal(fw_posix_cancel_(w.thread), 0);
        pthread_join(w.thread, &end);
        assert_ptr_equal(end, PTHREAD_CANCELED);
        assert_int_equal(fw_posix_sem_(&w.s)->state, 0);
        assert_int_equal(fw_posix_sem_post_(&w.s), 0);
        assert_int_equal(fw_posix_sem_wait_(&w.s), 0);
    }
}

static void *cancels_itself(void *arg)
{
    fw_posix_cancel_(pthread_self());
    fw_posix_sem_trywait_(arg); /* is no cancellation point */
    fw_posix_sem_wait_(arg);    /* is one even where there is a unit */
    return NULL;
}

static void waiting_is_a_cancellation_point_without_a_wait(void **state)
{
    pthread_t thread;
    void *end;
    sem_t s;

    (void)state;
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

static int invent_name(void **state)
{
    (void)state;
    snprintf(name, sizeof name, "/furwock-test-%d", (int)getpid());
    return 0;
}

static int remove_name(void **state)
{
    (void)state;
    fw_posix_sem_unlink_(name);
    return 0;
}

static void one_file_has_one_address(void **state)
{
    sem_t *a, *b, *c;

    (void)state;
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

static void names_are_the_c_librarys(void **state)
{
    static const char *const wrong[] = {"", "/", "//", "/a/b", "a/", NULL};
    char longest[300];

    (void)state;
    for (int i = 0; wrong[i] != NULL; i++) {
        assert_not_opened(EINVAL, fw_posix_sem_open_(wrong[i], O_CREAT, (mode_t)0600, 1u));
        assert_fails(ENOENT, fw_posix_sem_unlink_(wrong[i]));
    }
    memset(longest, 'x', sizeof longest);
    longest[NAME_MAX] = '\0';
    assert_not_opened(ENAMETOOLONG, fw_posix_sem_open_(longest, 0));
    longest[NAME_MAX] = 'x';
    longest[NAME_MAX + 1] = '\0';
    assert_not_opened(EINVAL, fw_posix_sem_open_(longest, 0));
}

/* In both directions: made by one, used by the other. */
static void the_c_library_has_the_same_files(void **state)
{
    sem_t *ours = create(O_EXCL, 2), *theirs = sem_open(name, 0);

    (void)state;
    assert_ptr_not_equal(ours, SEM_FAILED);
    assert_ptr_not_equal(theirs, SEM_FAILED);
    assert_int_equal(sem_wait(theirs), 0);
    assert_int_equal(value_of(ours), 1);
    assert_int_equal(fw_posix_sem_wait_(ours), 0);
    assert_fails(EAGAIN, sem_trywait(theirs));
    assert_int_equal(sem_post(theirs), 0);
    assert_int_equal(fw_posix_sem_wait_(ours), 0);
    assert_int_equal(sem_close(theirs), 0);
    assert_int_equal(fw_posix_sem_close_(ours), 0);
    assert_int_equal(sem_unlink(name), 0);
    theirs = sem_open(name, O_CREAT | O_EXCL, 0600, 1);
    ours = fw_posix_sem_open_(name, 0);
    assert_int_equal(fw_posix_sem_wait_(ours), 0);
    assert_int_equal(sem_close(theirs), 0);
    assert_int_equal(fw_posix_sem_close_(ours), 0);
}

static void a_child_has_it_open(void **state)
{
    sem_t *s = create(O_EXCL, 0);
    int status;
    pid_t child = fork();

    (void)state;
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

static void modes_and_links_are_heeded(void **state)
{
    char file[128];
    mode_t mask = umask(027);
    sem_t *s = fw_posix_sem_open_(name, O_CREAT, (mode_t)0666, 1u);

    (void)state;
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

#define NAMED(test) cmocka_unit_test_setup_teardown(test, invent_name, remove_name)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_are_counted),
        cmocka_unit_test(values_have_a_maximum),
        cmocka_unit_test(zero_bytes_are_an_empty_semaphore),
        cmocka_unit_test(deadlines_are_checked_first),
        cmocka_unit_test(a_handler_ends_the_wait),
        cmocka_unit_test(a_handler_that_restarts_does_not),
        cmocka_unit_test(who_is_cancelled_takes_no_unit),
        cmocka_unit_test(waiting_is_a_cancellation_point_without_a_wait),
        NAMED(one_file_has_one_address),
        NAMED(names_are_the_c_librarys),
        NAMED(the_c_library_has_the_same_files),
        NAMED(a_child_has_it_open),
        NAMED(modes_and_links_are_heeded),
    };
    return cmocka_run_group_tests_name("POSIX semaphores", tests, NULL, NULL);
}
