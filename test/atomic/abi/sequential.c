/* SPDX-License-Identifier: MIT */
/*
 * usage: sequential [--control | --others]
 *
 * One thread, alone or not, and what it can see of the library that the program is linked with.
 * With --control the same test has to notice each of the ways to be wrong.  With --others the
 * library is not ours: it need not do with misplaced objects in calls for a size; and where it
 * writes when it loads a pair (libatomic 12 does so on CPUs that are not Intel's), objects in
 * memory that is read-only are left out.
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "calls.h"
#include "sequential.h"

static bool with_read_only = true, misplaces = true;

static bool all_holds(const struct abi *abi)
{
    const struct calls writable = {.abi = abi, .misplaces = misplaces};
    const struct calls read_only = {.abi = abi, .is_read_only = true};

    return calls_are_right(&writable) && (!with_read_only || calls_are_right(&read_only));
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
        _exit(all_holds(&abi) ? 0 : 1);
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
    if (argc == 2 && strcmp(argv[1], "--control") == 0)
        return control();
    if (argc == 2 && strcmp(argv[1], "--others") == 0) {
        misplaces = false;
        with_read_only = loads_only_read();
    }
    if (!answers_are_right(&linked_abi) || !all_holds(&linked_abi))
        return 1;
    become_multithreaded();
    if (!all_holds(&linked_abi))
        return 1;
    printf("all calls and their model agree%s\n",
           with_read_only ? "" : " (none on memory that is read-only: its loads write)");
    return 0;
}
