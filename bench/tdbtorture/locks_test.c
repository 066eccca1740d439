/* SPDX-License-Identifier: MIT */
/* The locks in fcntl's point hold and exclude as the kernel's do, between processes. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "locks.h"

enum { WALK = 8, FREELIST = 164, CHAIN_0 = 168, CHAINS = 3, RECORD = 1000 };

static int file;

static int ask(int command, short type, off_t start, off_t length)
{
    struct flock f = {.l_type = type, .l_whence = SEEK_SET, .l_start = start, .l_len = length};

    return tdbtorture_fcntl(file, command, &f);
}

static int lock(short type, off_t start)
{
    return ask(F_SETLK, type, start, 1);
}

static void unlock(off_t start)
{
    assert_int_equal(ask(F_SETLKW, F_UNLCK, start, 1), 0);
}

/* In another process: 0, or the errno of what it answers. */
static int elsewhere(short type, off_t start, off_t length)
{
    int status;
    pid_t child = fork();

    if (child == 0)
        _exit(ask(F_SETLK, type, start, length) == 0 ? 0 : errno);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static bool shares(void)
{
    return strcmp(getenv("TDBTORTURE_KIND"), "furwock-mutex") != 0;
}

static void test_writers_exclude(void **state)
{
    (void)state;
    for (off_t byte = FREELIST; byte <= CHAIN_0 + 4 * (CHAINS - 1); byte += 4) {
        assert_int_equal(lock(F_WRLCK, byte), 0);
        assert_int_equal(lock(F_WRLCK, byte), 0); /* the kernel's do not stack */
        assert_int_equal(elsewhere(F_WRLCK, byte, 1), EAGAIN);
        assert_int_equal(elsewhere(F_RDLCK, byte, 1), EAGAIN);
        unlock(byte);
        unlock(byte);
        assert_int_equal(lock(F_WRLCK, byte), 0);
        unlock(byte);
    }
}

static void test_readers_share(void **state)
{
    const off_t bytes[] = {WALK, CHAIN_0, RECORD};

    (void)state;
    for (int i = 0; i < 3; i++) {
        if (!shares() && bytes[i] == CHAIN_0)
            continue;
        assert_int_equal(lock(F_RDLCK, bytes[i]), 0);
        assert_int_equal(elsewhere(F_WRLCK, bytes[i], 1), EAGAIN);
        unlock(bytes[i]);
    }
}

static void test_a_share_is_not_upgraded(void **state)
{
    (void)state;
    assert_int_equal(lock(F_RDLCK, CHAIN_0), 0);
    assert_int_equal(lock(F_WRLCK, CHAIN_0), -1);
    assert_int_equal(errno, EDEADLK);
    unlock(CHAIN_0);
}

static void test_ranges_are_everything(void **state)
{
    (void)state;
    assert_int_equal(ask(F_SETLKW, F_RDLCK, CHAIN_0, 4 * CHAINS), 0);
    assert_int_equal(ask(F_SETLKW, F_RDLCK, CHAIN_0 + 4 * CHAINS, 0), 0);
    assert_int_equal(elsewhere(F_WRLCK, CHAIN_0 + 4, 1), EAGAIN);
    assert_int_equal(ask(F_SETLKW, F_UNLCK, FREELIST, 0), 0);
    assert_int_equal(lock(F_WRLCK, CHAIN_0 + 4), 0);
    assert_int_equal(ask(F_SETLK, F_WRLCK, FREELIST, 0), -1);
    assert_int_equal(errno, EAGAIN);
    unlock(CHAIN_0 + 4);
}

/* Two processes at the same chain, often: no count is lost. */
static void test_counting(void **state)
{
    enum { ROUNDS = 2000 };
    volatile unsigned *count =
        mmap(NULL, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int status;

    (void)state;
    pid_t child = fork();
    for (int i = 0; i < ROUNDS; i++) {
        if (ask(F_SETLKW, F_WRLCK, CHAIN_0, 1) != 0)
            abort();
        *count = *count + 1;
        if (ask(F_SETLKW, F_UNLCK, CHAIN_0, 1) != 0)
            abort();
    }
    if (child == 0)
        _exit(0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(*count, 2 * ROUNDS);
}

/* Each kind in a process of its own: a process has one database. */
static int run_kind(const char *name, const char *folder)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_writers_exclude),
        cmocka_unit_test(test_readers_share),
        cmocka_unit_test(test_a_share_is_not_upgraded),
        cmocka_unit_test(test_ranges_are_everything),
        cmocka_unit_test(test_counting),
    };
    char region[256], chains[16];
    int status;

    snprintf(region, sizeof region, "%s/%s", folder, name);
    snprintf(chains, sizeof chains, "%d", CHAINS);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        setenv("TDBTORTURE_KIND", name, 1);
        setenv("TDBTORTURE_REGION", region, 1);
        setenv("TDBTORTURE_CHAINS", chains, 1);
        exit(cmocka_run_group_tests_name(name, tests, NULL, NULL) == 0 ? 0 : 1);
    }
    waitpid(child, &status, 0);
    unlink(region);
    return status == 0 ? 0 : 1;
}

int main(void)
{
    char folder[] = "/tmp/tdbtorture-XXXXXX";
    int failed = 0;

    file = memfd_create("database", 0);
    if (file < 0 || mkdtemp(folder) == NULL)
        return 1;
    for (const struct lock_kind *const *k = lock_kinds; *k != NULL; k++) {
        const char *why = lock_kind_missing(*k);

        if (why != NULL)
            printf("%s: not tested: %s\n", (*k)->name, why);
        else
            failed |= run_kind((*k)->name, folder);
    }
    rmdir(folder);
    return failed;
}
