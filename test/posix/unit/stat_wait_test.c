/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "place.h"
#include "stat.h"
#include "test/support/unit.h"

/* Nothing has a name here (posix/counting/name.c). */
void fw_stat_copy_names_(struct fw_stat_file_ *f)
{
    (void)f;
}

/*
 * posix/counting/wait.c and place.c: what a thread leaves in the file.  The environment is read
 * when a program begins, so this one begins anew, with a directory.
 */

static pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static char directory[64];

static struct fw_stat_file_ *file(void)
{
    struct fw_stat_file_ *f = fw_stat_file_here_();

    assert_non_null(f);
    return f;
}

static struct fw_stat_thread_ *entry_of(struct fw_stat_file_ *f, uint32_t thread)
{
    for (unsigned i = 1; i < FW_STAT_THREADS; i++)
        if (f->threads[i].key == thread)
            return &f->threads[i];
    return NULL;
}

static uint64_t waits_in_tables(const struct fw_stat_file_ *f)
{
    uint64_t waits = 0;

    for (unsigned i = 0; i < FW_STAT_LOCKS; i++)
        waits += f->locks[i].waits;
    return waits;
}

static void wait_once(int result)
{
    struct fw_stat_ s;

    fw_stat_begin_(&s, FW_STAT_MUTEX, &mutex, FW_SITE_);
    fw_stat_holder_(&s, 17, directory);
    fw_stat_end_(&s, result);
}

TEST(the_last_wait_is_in_the_entry)
{
    struct fw_stat_file_ *f = file();
    const struct fw_stat_wait_ *w;
    uint64_t before = waits_in_tables(f);

    errno = 5;
    wait_once(ETIMEDOUT);
    assert_int_equal(errno, 5);
    w = &entry_of(f, (uint32_t)getpid())->wait;
    assert_int_equal(w->key, fw_stat_key_(&mutex, FW_STAT_MUTEX));
    assert_int_equal(w->holder, 17);
    assert_int_equal(w->holder_site, (uintptr_t)directory);
    assert_int_equal(w->result, ETIMEDOUT);
    assert_int_equal(w->kind, PTHREAD_MUTEX_RECURSIVE_NP);
    assert_true(w->ended >= w->began);
    assert_int_equal(waits_in_tables(f), before);
    wait_once(0);
    assert_int_equal(waits_in_tables(f), before + 1);
}

TEST(a_wait_within_a_wait_is_counted_at_once)
{
    struct fw_stat_file_ *f = file();
    uint64_t before;
    struct fw_stat_ outer;

    fw_stat_begin_(&outer, FW_STAT_COND, directory, FW_SITE_);
    before = waits_in_tables(f);
    wait_once(0);
    assert_int_equal(waits_in_tables(f), before + 1);
    assert_int_equal(entry_of(f, (uint32_t)getpid())->wait.key,
                     fw_stat_key_(directory, FW_STAT_COND));
    assert_int_equal(entry_of(f, (uint32_t)getpid())->wait.ended, 0);
    fw_stat_end_(&outer, 0);
    assert_int_not_equal(entry_of(f, (uint32_t)getpid())->wait.ended, 0);
}

static void *wait_and_leave(void *arg)
{
    struct fw_stat_ s;

    pthread_setname_np(pthread_self(), "leaves");
    fw_stat_begin_(&s, FW_STAT_SEM, arg, FW_SITE_);
    *(uint32_t *)arg = (uint32_t)gettid();
    return NULL; /* as if cancelled */
}

TEST(who_never_returns_is_seen_waiting)
{
    uint32_t thread = 0;
    const struct fw_stat_thread_ *t;
    pthread_t id;

    assert_int_equal(pthread_create(&id, NULL, wait_and_leave, &thread), 0);
    pthread_join(id, NULL);
    t = entry_of(file(), thread);
    assert_non_null(t);
    assert_string_equal(t->name, "leaves");
    assert_int_equal(t->wait.ended, 0);
}

TEST(a_chain_of_calls_is_taken)
{
    struct fw_stat_file_ *f = file();
    unsigned found = 0;

    for (unsigned i = 0; i <= FW_STAT_CHAIN_EVERY; i++)
        wait_once(0);
    for (unsigned i = 1; i < FW_STAT_CHAINS; i++)
        found += f->chains[i].samples != 0 && f->chains[i].depth > 1;
    assert_true(found > 0);
}

TEST(the_memory_map_lies_beside_it)
{
    struct stat about;
    char path[128];

    snprintf(path, sizeof path, "%s/%d.1.maps", directory, (int)getpid());
    assert_int_equal(stat(path, &about), 0);
    assert_true(about.st_size > 100);
}

/* A child has a file of its own, which begins with nothing, and leaves its parent's alone. */
TEST(a_forked_child_makes_its_own)
{
    struct fw_stat_file_ *parents = file();
    uint64_t before = waits_in_tables(parents);
    char path[128];
    int status;
    pid_t child = fork();

    if (child == 0) {
        wait_once(0);
        wait_once(0);
        _exit(fw_stat_file_here_() != parents && waits_in_tables(fw_stat_file_here_()) == 1 &&
                      fw_stat_file_here_()->head.process == (uint32_t)getpid()
                  ? 0
                  : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(waits_in_tables(parents), before);
    snprintf(path, sizeof path, "%s/%d.0", directory, (int)child);
    assert_int_equal(access(path, F_OK), 0);
}

TEST(a_child_that_cannot_make_one_is_not_counted)
{
    int status;
    pid_t child;

    chmod(directory, 0500);
    child = fork();
    if (child == 0) {
        if (geteuid() == 0 && seteuid(65534) != 0)
            _exit(1);
        wait_once(0);
        wait_once(0);
        _exit(fw_stat_file_here_() == NULL ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    chmod(directory, 0700);
    assert_int_equal(status, 0);
}

static int clean_up(void)
{
    char command[128];

    snprintf(command, sizeof command, "rm -r %s", directory);
    return system(command);
}

int main(int argc, char **argv)
{
    const char *given = getenv("FURWOCK_STAT");
    int failed;

    (void)argc;
    if (given == NULL || getenv("AGAIN") == NULL) {
        if (given == NULL) {
            /* Not a name that furwock run, in a test beside this one, takes for left behind. */
            strcpy(directory, "/dev/shm/furwock-unit-XXXXXX");
            if (mkdtemp(directory) == NULL)
                return 77;
            setenv("FURWOCK_STAT", directory, 1);
        } else {
            setenv("AGAIN", "1", 1); /* the second program of this process */
        }
        execv("/proc/self/exe", argv);
        return 1;
    }
    snprintf(directory, sizeof directory, "%s", given);
    failed = unit_run(NULL, NULL);
    return clean_up() != 0 || failed;
}
