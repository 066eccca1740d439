/* SPDX-License-Identifier: MIT */
/*
 * Whether the caller is the owner; also in a forked child, where fw_mutex_owner gives the id that
 * the thread had before the fork.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
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
    return NULL;
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
