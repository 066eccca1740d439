/* SPDX-License-Identifier: MIT */
/* A writer is alone, and readers see all that it wrote, or nothing of it. */
#include "rw.h"

static void check_cells(unsigned tasks, unsigned kind, unsigned reads, const char *what)
{
    struct load l = rw_load(tasks, kind, 20000, reads);

    load_run(what, &l);
}

TEST(test_readers_see_whole_writes)
{
    check_cells(2, WORKER_THREADS, 8, "two threads read and write");
    check_cells(5, WORKER_THREADS, 4, "five threads read, and mostly write");
    check_cells(5, WORKER_THREADS, 15, "five threads mostly read");
}

TEST(test_processes_see_whole_writes)
{
    if (!subject_is(ADAPTER_SHARED))
        skip();
    check_cells(2, WORKER_PROCESSES, 8, "two processes read and write");
    check_cells(4, WORKER_PROCESSES, 12, "four processes mostly read");
}

const struct contract_group group_rw_exclusion = {
    "rw-exclusion", &family_rw, always,
    TESTS(cmocka_unit_test(test_readers_see_whole_writes),
          cmocka_unit_test(test_processes_see_whole_writes)),
    ALSO(&group_exclusion)};
