/* SPDX-License-Identifier: MIT */
#include "fixture.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

struct fixture fixture;

static void open_objects(void)
{
    static const char *const names[LOCKS] = {"0", "1", "2", "3"};
    void *object;

    CHECK(fw_region_open_fd(fixture.fd, 0, FW_REGION_CREATE, &fixture.region) == 0);
    for (unsigned i = 0; i < LOCKS; i++)
        CHECK(fw_region_mutex(fixture.region, names[i], FW_REGION_CREATE, &fixture.m[i]) == 0);
    CHECK(fw_region_object(fixture.region, "rw", FW_REGION_RWLOCK, sizeof *fixture.rw,
                           FW_REGION_CREATE, &object) == 0);
    fixture.rw = object;
}

void fixture_make(size_t size)
{
    fixture.fd = memfd_create("furwock-hazards", MFD_CLOEXEC);
    CHECK(fixture.fd >= 0 && ftruncate(fixture.fd, (off_t)size) == 0);
    fixture.flags = share(FLAGS * sizeof *fixture.flags);
    open_objects();
}

void fixture_remap(void)
{
    CHECK(fw_region_close(fixture.region) == 0);
    open_objects();
}

void flag_raise(unsigned i)
{
    __atomic_store_n(&fixture.flags[i], 1, __ATOMIC_RELEASE);
}

void flag_await(unsigned i)
{
    uint64_t began = now_ns();

    while (__atomic_load_n(&fixture.flags[i], __ATOMIC_ACQUIRE) == 0) {
        usleep(200);
        if (now_ns() - began > LONG_MS * UINT64_C(1000000))
            fail("nobody raises flag %u", i);
    }
}

int lock_soon(fw_ipc_mutex *m)
{
    fw_deadline deadline = in_ms(LONG_MS);

    return fw_ipc_mutex_timedlock(m, &deadline);
}

void expect_held(fw_ipc_mutex *m)
{
    fw_deadline deadline = in_ms(SHORT_MS);

    int error = fw_ipc_mutex_trylock(m);

    if (error != EBUSY)
        fail("it is held, and trylock answers %s", error == 0 ? "0" : strerror(error));
    CHECK(fw_ipc_mutex_timedlock(m, &deadline) == ETIMEDOUT);
}

void expect_left(fw_ipc_mutex *m, pid_t process, pid_t thread)
{
    fw_ipc_death death;
    int error = lock_soon(m);

    if (error != EOWNERDEAD)
        fail("the holder died, and lock answers %s", error == 0 ? "0" : strerror(error));
    CHECK(fw_ipc_mutex_death(m, &death) == 0);
    if ((process != 0 && death.process != process) || (thread != 0 && death.thread != thread))
        fail("%d/%d died, and %d/%d is named", (int)process, (int)thread, (int)death.process,
             (int)death.thread);
    CHECK(fw_ipc_mutex_consistent(m) == 0);
    CHECK(fw_ipc_mutex_unlock(m) == 0);
}

void expect_free(fw_ipc_mutex *m)
{
    CHECK(fw_ipc_mutex_trylock(m) == 0);
    CHECK(fw_ipc_mutex_unlock(m) == 0);
}

static void hold(void *arg)
{
    unsigned i = *(unsigned *)arg;

    CHECK(lock_soon(fixture.m[i]) == 0);
    flag_raise(i);
    for (;;)
        pause();
}

pid_t start_holder(unsigned i)
{
    pid_t child;

    fixture.flags[i] = 0;
    child = start(hold, &i);
    flag_await(i);
    return child;
}

void run_case(const char *name, void (*body)(void))
{
    limit(3 * LONG_MS / 1000, name);
    memset(fixture.flags, 0, FLAGS * sizeof *fixture.flags);
    body();
    for (unsigned i = 0; i < LOCKS; i++)
        expect_free(fixture.m[i]);
    printf("%s\n", name);
    fflush(stdout);
}
