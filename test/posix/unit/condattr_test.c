/* SPDX-License-Identifier: MIT */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "c11.h"
#include "cond_kinds.h"

/* posix/condattr.c and c11.c with the real kernel. */

static const struct timespec past = {1, 0}, bad = {0, 1000000000};

/* --- Attributes ----------------------------------------------------------------------------- */

static void attributes_are_kept(void **state)
{
    pthread_condattr_t attr;
    clockid_t clock = -1;
    int shared = -1;

    (void)state;
    memset(&attr, 0xff, sizeof attr);
    assert_int_equal(fw_posix_condattr_init_(&attr), 0);
    assert_int_equal(fw_posix_condattr_getclock_(&attr, &clock), 0);
    assert_int_equal(clock, CLOCK_REALTIME);
    assert_int_equal(fw_posix_condattr_setclock_(&attr, CLOCK_MONOTONIC), 0);
    assert_int_equal(fw_posix_condattr_setclock_(&attr, CLOCK_BOOTTIME), EINVAL);
    assert_int_equal(fw_posix_condattr_getclock_(&attr, &clock), 0);
    assert_int_equal(clock, CLOCK_MONOTONIC);
    assert_int_equal(fw_posix_condattr_getpshared_(&attr, &shared), 0);
    assert_int_equal(shared, PTHREAD_PROCESS_PRIVATE);
    assert_int_equal(fw_posix_condattr_setpshared_(&attr, PTHREAD_PROCESS_SHARED), 0);
    assert_int_equal(fw_posix_condattr_setpshared_(&attr, 2), EINVAL);
    assert_int_equal(fw_posix_condattr_getpshared_(&attr, &shared), 0);
    assert_int_equal(shared, PTHREAD_PROCESS_SHARED);
    assert_int_equal(fw_posix_condattr_setclock_(&attr, CLOCK_REALTIME), 0);
    assert_int_equal(fw_posix_condattr_destroy_(&attr), 0);
}

static void the_clock_is_the_variables(void **state)
{
    pthread_condattr_t attr;
    struct timespec at;

    (void)state;
    for (int shared = 0; shared < 2; shared++) {
        make(&kinds[0], 0);
        fw_posix_condattr_init_(&attr);
        fw_posix_condattr_setclock_(&attr, CLOCK_MONOTONIC);
        fw_posix_condattr_setpshared_(&attr, shared);
        assert_int_equal(fw_posix_cond_init_(&c, &attr), 0);
        clock_gettime(CLOCK_MONOTONIC, &at); /* long ago on the other clock */
        at.tv_sec += 1000000;
        lock();
        assert_int_equal(fw_posix_cond_clockwait_(&c, &m, CLOCK_REALTIME, &at), ETIMEDOUT);
        at.tv_sec -= 1000000;
        assert_int_equal(fw_posix_cond_timedwait_(&c, &m, &at), ETIMEDOUT);
        unlock();
    }
}

/* --- Made by others ------------------------------------------------------------------------- */

static void expect_to_be_told(void)
{
    int pipes[2], status;
    char text[200] = "";
    pid_t child;

    assert_int_equal(pipe(pipes), 0);
    child = fork();
    if (child == 0) {
        dup2(pipes[1], STDERR_FILENO);
        fw_posix_cond_signal_(&c);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    assert_true(read(pipes[0], text, sizeof text - 1) > 0);
    assert_non_null(strstr(text, "condition variable"));
    assert_non_null(strstr(text, "without furwock"));
    close(pipes[0]);
    close(pipes[1]);
}

static void what_others_made_is_told(void **state)
{
    pthread_condattr_t attr;

    (void)state;
    pthread_condattr_init(&attr); /* the C library's */
    pthread_condattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
    pthread_cond_init(&c, &attr);
    expect_to_be_told();
}

/* The other process may have another glibc: its flags lie at byte 36, or at 28 since 2.41. */
static void whatever_their_layout(void **state)
{
    (void)state;
    for (size_t at = 28; at <= 36; at += 8) {
        memset(&c, 0, sizeof c);
        ((unsigned char *)&c)[at] = 1;
        expect_to_be_told();
    }
}

/* --- C11 ------------------------------------------------------------------------------------ */

static int take_in_c11(void *arg)
{
    mtx_t *mutex = arg;

    fw_c11_mtx_lock_(mutex);
    while (tokens == 0)
        fw_c11_cnd_wait_((cnd_t *)&c, mutex);
    return fw_c11_mtx_unlock_(mutex) == thrd_success ? 7 : 0;
}

static void c11_has_the_same(void **state)
{
    cnd_t *variable = (cnd_t *)&c;
    mtx_t mutex;
    thrd_t thread;
    int result = -1;

    (void)state;
    tokens = 0;
    assert_int_equal(fw_c11_cnd_init_(variable), thrd_success);
    assert_int_equal(fw_c11_mtx_init_(&mutex, mtx_plain), thrd_success);
    assert_int_equal(thrd_create(&thread, take_in_c11, &mutex), thrd_success);
    fw_c11_mtx_lock_(&mutex);
    assert_int_equal(fw_c11_mtx_trylock_(&mutex), thrd_busy);
    assert_int_equal(fw_c11_mtx_timedlock_(&mutex, &past), thrd_timedout);
    assert_int_equal(fw_c11_mtx_timedlock_(&mutex, &bad), thrd_error);
    assert_int_equal(fw_c11_cnd_timedwait_(variable, &mutex, &past), thrd_timedout);
    assert_int_equal(fw_c11_cnd_timedwait_(variable, &mutex, &bad), thrd_error);
    tokens = 1;
    assert_int_equal(fw_c11_cnd_broadcast_(variable), thrd_success);
    assert_int_equal(fw_c11_cnd_signal_(variable), thrd_success);
    fw_c11_mtx_unlock_(&mutex);
    thrd_join(thread, &result);
    assert_int_equal(result, 7);
    fw_c11_mtx_destroy_(&mutex);
    fw_c11_cnd_destroy_(variable);
    assert_int_equal(fw_c11_mtx_init_(&mutex, mtx_timed | mtx_recursive), thrd_success);
    assert_int_equal(fw_c11_mtx_lock_(&mutex), thrd_success);
    assert_int_equal(fw_c11_mtx_trylock_(&mutex), thrd_success);
    assert_int_equal(fw_c11_mtx_unlock_(&mutex), thrd_success);
    assert_int_equal(fw_c11_mtx_unlock_(&mutex), thrd_success);
    assert_int_equal(fw_c11_mtx_unlock_(&mutex), thrd_error);
    fw_c11_mtx_destroy_(&mutex);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attributes_are_kept),      cmocka_unit_test(the_clock_is_the_variables),
        cmocka_unit_test(what_others_made_is_told), cmocka_unit_test(whatever_their_layout),
        cmocka_unit_test(c11_has_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
