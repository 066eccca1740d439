/* SPDX-License-Identifier: MIT */
/*
 * usage: sequential [SEED | --control | --others]
 *
 * One thread, alone or not, and what it can see of the library that the program is linked with.
 * With --control the same test has to notice each of the ways to be wrong.  With --others the
 * library is not ours: where it writes when it loads a pair (libatomic 12 does so on CPUs
 * that are not Intel's), objects in memory that is read-only are left out.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "operation.h"
#include "sequential.h"

enum { USUAL_SEED = 20151236 }; /* OPERATIONS is for the build to say */

static bool with_read_only = true;

static bool all_holds(const struct abi *abi, uint64_t seed)
{
    return property_holds(abi, false, seed, OPERATIONS / 2) &&
           (!with_read_only || property_holds(abi, true, seed, OPERATIONS / 8));
}

/* Can the linked library load a pair that cannot be written to?  A child of ours tries. */
static bool loads_only_read(void)
{
    static const _Alignas(16) char pair[16];
    char copy[sizeof pair];
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        signal(SIGSEGV, SIG_DFL);
        linked_abi.load(sizeof pair, (void *)(uintptr_t)pair, copy, __ATOMIC_RELAXED);
        _exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child) {
        perror("fork");
        exit(2);
    }
    return status == 0;
}

/* In a process of its own: what is wrong may end in a signal. */
static bool is_noticed(const struct wrong *w)
{
    struct abi abi = linked_abi;
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        signal(SIGSEGV, SIG_DFL);
        if (freopen("/dev/null", "w", stderr) == NULL)
            _exit(0);
        w->spoil(&abi);
        _exit(all_holds(&abi, USUAL_SEED) ? 0 : 1);
    }
    if (child < 0 || waitpid(child, &status, 0) != child) {
        perror("fork");
        exit(2);
    }
    printf("%-60s %s\n", w->name, status != 0 ? "noticed" : "NOT NOTICED");
    fflush(stdout);
    return status != 0;
}

static int control(void)
{
    int missed = 0;

    for (const struct wrong *w = wrongs; w->name != NULL; w++)
        missed += !is_noticed(w);
    return missed == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
    uint64_t seed = USUAL_SEED;

    if (argc == 2 && strcmp(argv[1], "--control") == 0)
        return control();
    if (argc == 2 && strcmp(argv[1], "--others") == 0)
        with_read_only = loads_only_read();
    else if (argc == 2)
        seed = strtoull(argv[1], NULL, 0);
    if (!answers_are_right(&linked_abi) || !all_holds(&linked_abi, seed))
        return 1;
    become_multithreaded();
    if (!all_holds(&linked_abi, seed + 1))
        return 1;
    printf("%d operations and their model agree%s\n", OPERATIONS / 4 * 5,
           with_read_only ? "" : " (none on memory that is read-only: its loads write)");
    return 0;
}
