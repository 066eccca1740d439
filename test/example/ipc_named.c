/* SPDX-License-Identifier: MIT */
#include <furwock/ipc/named.h>

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int use_place(fw_region *region, int (*use)(void));

#include "ipc_named_example.h"

/* One object of each type is made, found again, and used. */

static fw_region *region;

static int use_the_rest(void)
{
    fw_ipc_permits *places;
    int error = fw_region_permits(region, "places", 4, 0, &places);

    for (int i = 0; i < 3 && error == 0; i++)
        error = fw_ipc_permits_trywait(places);
    if (error == 0 && fw_ipc_permits_trywait(places) != EBUSY)
        error = EDOM;
    for (int i = 0; i < 3 && error == 0; i++)
        error = fw_ipc_permits_post(places);
    return error;
}

static bool is_found_again(unsigned flags)
{
    fw_ipc_rwlock *l;
    fw_ipc_cond *c;
    fw_ipc_once *o;
    fw_ipc_sem *s;
    fw_ipc_barrier *b;
    fw_ipc_journal *j;

    return fw_region_rwlock(region, "table", flags, &l) == 0 && fw_ipc_rwlock_rdlock(l) == 0 &&
           fw_ipc_rwlock_unlock(l) == 0 && fw_region_cond(region, "change", flags, &c) == 0 &&
           fw_ipc_cond_signal(c) == 0 && fw_region_once(region, "begin", flags, &o) == 0 &&
           fw_region_sem(region, "jobs", 5, 10, flags, &s) == 0 && fw_ipc_sem_value(s) == 5 &&
           fw_region_barrier(region, "step", 1, FW_IPC_BARRIER_FAIL, flags, &b) == 0 &&
           fw_ipc_barrier_wait(b) == FW_IPC_BARRIER_SERIAL &&
           fw_region_journal(region, "journal", 256, flags, &j) == 0 &&
           fw_ipc_journal_record(j, s, 8) == 0 && fw_ipc_journal_commit(j) == 0;
}

int main(void)
{
    fw_ipc_barrier *b;
    fw_ipc_cond *c;
    int fd = memfd_create("named", MFD_CLOEXEC);

    if (fw_region_open_fd(fd, FW_REGION_MIN_SIZE, FW_REGION_CREATE, &region) != 0 ||
        use_place(region, use_the_rest) != 0 || !is_found_again(FW_REGION_CREATE) ||
        !is_found_again(0) ||
        fw_region_barrier(region, "step", 1000, FW_IPC_BARRIER_FAIL, 0, &b) != EPROTO ||
        b != NULL || fw_region_cond(region, "none", 0, &c) != ENOENT || c != NULL)
        return EXIT_FAILURE;
    printf("all of them are there\n");
    return fw_region_close(region) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
