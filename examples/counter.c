/* SPDX-License-Identifier: MIT */
/*
 * Accounting across processes: three numbers that must agree, and processes that are killed while
 * they change them.  The smallest program with a mutex and its undo journal.
 *
 *     $ cc -o counter counter.c $(pkg-config --cflags --libs furwock)
 *     $ ./counter /counter-demo add 1000 & ./counter /counter-demo add 2000; wait
 *     $ ./counter /counter-demo check
 *     3000 calls, 1500 even and 1500 odd
 *     $ ./counter /counter-demo remove
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <furwock/ipc.h>

struct counts {
    unsigned long calls, even, odd; /* calls = even + odd, always */
};

static void must(int error, const char *what)
{
    if (error == 0)
        return;
    fprintf(stderr, "counter: %s: %s\n", what, strerror(error));
    exit(EXIT_FAILURE);
}

int main(int argc, char **argv)
{
    const char *what = argc > 2 ? argv[2] : "";
    fw_ipc_journal *journal;
    struct counts *counts;
    fw_ipc_mutex *lock;
    fw_region *region;
    void *object;

    if (argc == 3 && strcmp(what, "remove") == 0)
        return fw_region_remove(argv[1]) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
    if (argc < 3 || (strcmp(what, "add") != 0 && strcmp(what, "check") != 0)) {
        fprintf(stderr, "usage: counter /NAME add N | check | remove\n");
        return 2;
    }
    must(fw_region_open(argv[1], FW_REGION_MIN_SIZE, FW_REGION_CREATE | 0600, &region), argv[1]);
    must(fw_region_mutex_with_journal(region, "lock", 64, FW_REGION_CREATE, &lock, &journal),
         "lock");
    must(fw_region_object(region, "counts", FW_REGION_DATA, sizeof *counts, FW_REGION_CREATE,
                          &object),
         "counts");
    counts = object;
    for (long n = argc > 3 ? atol(argv[3]) : 0; n > 0; n--) {
        must(fw_ipc_mutex_lock(lock), "lock"); /* undoes what a dead owner had begun */
        must(fw_ipc_journal_record(journal, counts, sizeof *counts), "journal");
        counts->calls++;
        if (counts->calls % 2 == 0)
            counts->even++;
        else
            counts->odd++;
        must(fw_ipc_mutex_unlock(lock), "unlock");
    }
    must(fw_ipc_mutex_lock(lock), "lock");
    if (strcmp(what, "check") == 0)
        printf("%lu calls, %lu even and %lu odd\n", counts->calls, counts->even, counts->odd);
    must(counts->calls == counts->even + counts->odd ? 0 : EILSEQ, "the numbers");
    must(fw_ipc_mutex_unlock(lock), "unlock");
    fw_region_close(region);
    return EXIT_SUCCESS;
}
