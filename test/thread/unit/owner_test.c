/* SPDX-License-Identifier: MIT */
/*
 * Whether the caller is the owner, and assertions that it is; also in a forked child, where
 * fw_mutex_owner gives the id that the thread had before the fork.
 */
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <furwock.h>

static fw_mutex mutex = FW_MUTEX_INIT;
static fw_rwlock rwlock = FW_RWLOCK_INIT;
static fw_brlock brlock;

static bool holds_all(void)
{
    return fw_mutex_is_held_by_me(&mutex) && fw_rwlock_is_held_by_me(&rwlock) &&
           fw_brlock_is_held_by_me(&brlock);
}

static bool holds_any(void)
{
    return fw_mutex_is_held_by_me(&mutex) || fw_rwlock_is_held_by_me(&rwlock) ||
           fw_brlock_is_held_by_me(&brlock);
}

/* Aborts, or not, as the caller holds them. */
static void assert_all(void)
{
    fw_mutex_assert_held(&mutex);
    fw_rwlock_assert_held(&rwlock);
    fw_rwlock_assert_rdheld(&rwlock);
    fw_brlock_assert_held(&brlock);
}

/* Does this assertion abort the program? */
static bool aborts(void (*assertion)(void))
{
    int status;
    pid_t child = fork();

    if (child == 0) {
        struct rlimit no_core = {0, 0};

        setrlimit(RLIMIT_CORE, &no_core);
        assertion();
        _exit(0);
    }
    return child > 0 && waitpid(child, &status, 0) == child && WIFSIGNALED(status) &&
           WTERMSIG(status) == SIGABRT;
}

static void assert_mutex(void)
{
    fw_mutex_assert_held(&mutex);
}

static void assert_rwlock(void)
{
    fw_rwlock_assert_held(&rwlock);
}

static void assert_rwlock_to_read(void)
{
    fw_rwlock_assert_rdheld(&rwlock);
}

static void assert_brlock(void)
{
    fw_brlock_assert_held(&brlock);
}

/* What is wrong with assertions about locks of which a reader holds one, and nobody the others. */
static const char *wrong_assertion(void)
{
    fw_rwlock_rdlock(&rwlock);
    fw_rwlock_assert_rdheld(&rwlock);
    if (!aborts(assert_rwlock))
        return "a reader may assert that it writes";
    fw_rwlock_rdunlock(&rwlock);
    if (!aborts(assert_mutex) || !aborts(assert_rwlock) || !aborts(assert_rwlock_to_read) ||
        !aborts(assert_brlock))
        return "a free lock may be asserted to be held";
    return NULL;
}

static void lock_all(void)
{
    fw_mutex_lock(&mutex);
    fw_rwlock_wrlock(&rwlock);
    fw_brlock_wrlock(&brlock);
}

static void unlock_all(void)
{
    fw_brlock_wrunlock(&brlock);
    fw_rwlock_wrunlock(&rwlock);
    fw_mutex_unlock(&mutex);
}

static void *look(void *unused)
{
    (void)unused;
    return holds_any() ? "another thread holds them, too" : NULL;
}

/* What is wrong, in a thread that has just locked them all; NULL: nothing. */
static const char *wrong(void)
{
    pthread_t other;
    void *found;

    if (!holds_all())
        return "the owner does not hold them";
    assert_all();
    if (pthread_create(&other, NULL, look, NULL) != 0 || pthread_join(other, &found) != 0)
        return "no thread";
    if (found != NULL)
        return found;
    fw_rwlock_downgrade_upgradable(&rwlock);
    if (!holds_all())
        return "the upgradable holder does not";
    fw_rwlock_upgrade(&rwlock);
    unlock_all();
    if (holds_any())
        return "the thread that has unlocked them holds them";
    fw_rwlock_rdlock(&rwlock);
    if (fw_rwlock_is_held_by_me(&rwlock))
        return "a reader is taken for a writer";
    fw_rwlock_rdunlock(&rwlock);
    return wrong_assertion();
}

static int report(const char *where, const char *what)
{
    if (what != NULL)
        fprintf(stderr, "%s: %s\n", where, what);
    return what != NULL;
}

int main(void)
{
    int status, bad;
    pid_t child;

    if (fw_brlock_init(&brlock) != 0)
        return 1;
    lock_all();
    child = fork();
    if (child == 0) {
        bad = report("held at the fork", wrong());
        lock_all();
        _exit(bad | report("taken after the fork", wrong()));
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        return 1;
    return report("parent", wrong()) | (status != 0);
}
