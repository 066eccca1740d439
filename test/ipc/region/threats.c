/* SPDX-License-Identifier: MIT */
/*
 * What another process can do to the users of a region, by what it may do with the file; the table
 * "What each user can do" in doc/design/region.md names the functions of this file.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <furwock/bits/atomic.h>
#include <furwock/futex.h>
#include <furwock/ipc.h>

#include "ipc/region/head.h"
#include "ipc/wait.h"
#include "processes.h"
#include "test/support/deadline.h"

enum { SIZE = FW_REGION_MIN_SIZE };

static int fd; /* of the region */

static fw_region *join(void)
{
    fw_region *r;

    CHECK(fw_region_open_fd(fd, SIZE, FW_REGION_CREATE, &r) == 0);
    return r;
}

static fw_ipc_mutex *mutex_in(fw_region *r)
{
    fw_ipc_mutex *m;

    CHECK(fw_region_mutex(r, "m", FW_REGION_CREATE, &m) == 0);
    return m;
}

static void make_memfd(void)
{
    fd = memfd_create("threats", MFD_CLOEXEC);
    CHECK(fd >= 0);
}

static void expect_success(void)
{
    int status;

    CHECK(wait(&status) > 0 && status == 0);
}

/* --- With the right to write: any word, at any time ------------------------------------------- */

/* A word that can be: that a living thread holds the mutex, which is not so, or nobody does. */
static void possible_words_are_believed(void)
{
    fw_deadline d = in_ms(50);
    fw_ipc_mutex *m;

    make_memfd();
    m = mutex_in(join());
    CHECK(fw_ipc_mutex_lock(m) == 0);
    if (fork() == 0)
        _exit(fw_ipc_mutex_trylock(m) != EBUSY || fw_ipc_mutex_timedlock(m, &d) != ETIMEDOUT);
    expect_success();
    m->word_ = 0;
    if (fork() == 0)
        _exit(fw_ipc_mutex_trylock(m) != 0);
    expect_success();
    close(fd);
}

/* --- With the right to write: cut it short --- */

static void use_after_cut(void *arg)
{
    fw_region *r = join();
    fw_ipc_mutex *m = mutex_in(r);

    (void)arg;
    CHECK(ftruncate(fd, 0) == 0);
    (void)!fw_ipc_mutex_lock(m);
}

static void a_cut_file_ends_its_users(void)
{
    char name[64];
    int status;
    pid_t child;

    snprintf(name, sizeof name, "/furwock-threats-%d", (int)getpid());
    fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
    CHECK(fd >= 0 && shm_unlink(name) == 0);
    child = start(use_after_cut, NULL);
    CHECK(waitpid(child, &status, 0) == child);
    if (is_constrained) /* a sanitizer says so, and exits */
        CHECK(status != 0);
    else
        CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS);
    close(fd);
}

/* Where the kernel is the first one to find no memory, it is named. */
static void wake_on_nothing(void *ends)
{
    void *memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    CHECK(dup2(((int *)ends)[1], STDERR_FILENO) == STDERR_FILENO);
    CHECK(memory != MAP_FAILED && munmap(memory, SIZE) == 0);
    fw_ipc_wake_(memory, 1);
}

static void a_call_without_memory_says_so(void)
{
    char text[512] = "";
    int ends[2], status;
    pid_t child;

    CHECK(pipe(ends) == 0);
    child = start(wake_on_nothing, ends);
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    CHECK(read(ends[0], text, sizeof text - 1) > 0);
    CHECK(strstr(text, "its file was cut short") != NULL);
    close(ends[0]);
    close(ends[1]);
}

static void a_sealed_memfd_cannot_be_cut(void)
{
    fw_region *r;

    fd = memfd_create("threats", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    CHECK(fd >= 0);
    r = join();
    CHECK(ftruncate(fd, 0) != 0 && errno == EPERM);
    CHECK(fw_region_close(r) == 0);
    close(fd);
}

/* A file that was cut before somebody comes: an error, and no signal. */
static void a_cut_file_is_refused(void)
{
    fw_region *r, *again;

    make_memfd();
    r = join();
    CHECK(fw_region_close(r) == 0);
    CHECK(ftruncate(fd, SIZE / 2) == 0);
    CHECK(fw_region_open_fd(fd, SIZE, FW_REGION_CREATE, &again) == EUCLEAN);
    close(fd);
}

/* --- With the right to read ------------------------------------------------------------------- */

/* Sleeps on the mutex's word, as a process with a mapping for reading can: takes a wake away. */
static void swallow_wakes(void *nothing)
{
    char *base = mmap(NULL, SIZE, PROT_READ, MAP_SHARED, fd, 0);
    struct fw_ipc_plan_ plan;
    const fw_ipc_mutex *m;

    (void)nothing;
    CHECK(base != MAP_FAILED && fw_ipc_plan_(SIZE, 0, &plan) == 0);
    m = (const fw_ipc_mutex *)(base + plan.objects_at);
    for (;;) {
        const uint32_t *word = (const uint32_t *)(const void *)&m->word_;
        fw_deadline d = in_ms(1000);
        fw_futex_wait(word, fw_load32_relaxed(word), FW_FUTEX_SHARED, &d);
    }
}

static void *lock_and_unlock(void *m)
{
    for (int i = 0; i < 200; i++)
        CHECK(fw_ipc_mutex_lock(m) == 0 && fw_ipc_mutex_unlock(m) == 0);
    return NULL;
}

static void a_reader_delays_wakes_only(void)
{
    fw_ipc_mutex *m;
    pthread_t threads[3];
    pid_t reader;

    make_memfd();
    m = mutex_in(join());
    reader = start(swallow_wakes, NULL);
    for (int i = 0; i < 3; i++)
        CHECK(pthread_create(&threads[i], NULL, lock_and_unlock, m) == 0);
    for (int i = 0; i < 3; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    kill_and_wait(reader);
    close(fd);
}

/* A thread that has left has nothing there that says where its process has the C library. */
static void who_left_leaves_no_address(void)
{
    struct fw_ipc_plan_ plan;
    const struct fw_ipc_participant_ *slot;
    fw_region *r;

    make_memfd();
    r = join();
    CHECK(fw_ipc_mutex_lock(mutex_in(r)) == 0 && fw_ipc_mutex_unlock(mutex_in(r)) == 0);
    CHECK(fw_ipc_plan_(SIZE, 0, &plan) == 0);
    slot = (const struct fw_ipc_participant_ *)((char *)fw_region_base(r) + plan.participants_at);
    CHECK(fw_region_leave(r) == 0);
    for (unsigned i = 0; i < sizeof slot->list_ / sizeof *slot->list_; i++)
        CHECK(slot->list_[i] == 0);
    CHECK(fw_region_close(r) == 0);
    close(fd);
}

int main(void)
{
    limit(120, "what another process can do");
    possible_words_are_believed();
    a_cut_file_ends_its_users();
    a_call_without_memory_says_so();
    a_sealed_memfd_cannot_be_cut();
    a_cut_file_is_refused();
    a_reader_delays_wakes_only();
    who_left_leaves_no_address();
    printf("as the table says\n");
    return EXIT_SUCCESS;
}
