/* SPDX-License-Identifier: MIT */
/*
 * contract [--brief] GROUP LOCK
 *                         runs one group of tests on one lock, in a quarter of the rounds if
 *                         TESTS_IN_FULL is not in the environment; --brief: in a fifth, if
 *                         RIVALS_IN_FULL is not
 * contract --caught GROUP LOCK
 *                         the same on a lock that is wrong: status 0 where the tests fail
 * contract --ctest COMMAND...
 *                         writes what ctest has to know: one test for each lock and each group that
 *                         applies to it, run by COMMAND; that of a rival is for `make test
 *                         MODELS=most`, which .ci/run makes
 * contract --ctest-dropin COMMAND...
 *                         the same for the C library's locks only; COMMAND puts another library in
 *                         its place
 * contract --pairs BEGIN  GROUP LOCK, a line each, of the locks whose names begin so
 *
 * TESTS_PATIENCE in the environment: after that many seconds a test that has not ended hangs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "contract.h"
#include "measure/death.h"

static const struct contract_group *const groups[] = {
    &group_exclusion,      &group_trylock,          &group_timed,
    &group_order,          &group_wakeup,           &group_lifetime,
    &group_misuse,         &group_memory,           &group_idle,
    &group_rw_exclusion,   &group_rw_sharing,       &group_rw_try,
    &group_rw_timed,       &group_rw_preference,    &group_rw_wakeup,
    &group_rw_lifetime,    &group_rw_misuse,        &group_rw_memory,
    &group_rw_idle,        &group_cond_wakeup,      &group_cond_timed,
    &group_cond_lifetime,  &group_cond_cancel,      &group_cond_misuse,
    &group_cond_memory,    &group_cond_idle,        &group_cond_await,
    &group_sem_units,      &group_sem_wakeup,       &group_sem_timed,
    &group_sem_lifetime,   &group_sem_memory,       &group_sem_idle,
    &group_event_states,   &group_event_wakeup,     &group_event_timed,
    &group_event_lifetime, &group_event_memory,     &group_event_idle,
    &group_barrier_rounds, &group_barrier_lifetime, &group_barrier_idle,
};

enum {
    GROUPS = sizeof groups / sizeof *groups,
    EXIT_USAGE = 2,
    EXIT_SKIPPED = 77,
    RUNS_TO_CATCH = 8
};

static const struct contract_group *group_find(const char *name)
{
    for (int i = 0; i < GROUPS; i++)
        if (strcmp(groups[i]->name, name) == 0)
            return groups[i];
    return NULL;
}

static int run_own(const char *name, const struct CMUnitTest *tests)
{
    size_t n = 0;

    while (tests[n].name != NULL)
        n++;
    return _cmocka_run_group_tests(name, tests, n, NULL, NULL);
}

int group_run(const struct contract_group *g)
{
    int failed = 0;

    if (subject_is(ADAPTER_PROCESSES))
        return run_own(g->name, g->between_processes);
    if (g->tests != NULL)
        failed += run_own(g->name, g->tests);
    if (g->also != NULL && (g->also_applies == NULL || g->also_applies()))
        for (size_t i = 0; g->also[i] != NULL; i++)
            failed += group_run(g->also[i]);
    return failed;
}

/* Makes `a` the subject, and tells whether it claims what the group tests. */
static bool applies(const struct contract_group *g, const adapter_head *a)
{
    g->family->choose(a);
    if (subject_is(ADAPTER_NOTHING) ||
        (subject_is(ADAPTER_PROCESSES) && g->between_processes == NULL))
        return false;
    return g->applies();
}

static const adapter_head *lock_find(const struct contract_group *g, const char *name)
{
    const adapter_head *a;

    for (size_t i = 0; (a = g->family->at(i)) != NULL; i++)
        if (strcmp(a->name, name) == 0)
            return a;
    return NULL;
}

/* Is the lock made of pthread_*, sem_*, mtx_* or cnd_* calls? */
static bool is_of_c_library(const char *lock)
{
    static const char *const names[] = {"pthread", "posix", "sem-", "c11", "std-"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(lock, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

static bool is_ours(const char *lock)
{
    return strncmp(lock, "furwock", strlen("furwock")) == 0;
}

static void list_one(const char *group, const char *lock, const char *suffix, char **command)
{
    bool is_rival = *suffix == '\0' && !is_ours(lock); /* it shows that the tests are right */

    printf("add_test([=[contract.%s.%s%s]=]", group, lock, suffix);
    for (; *command != NULL; command++)
        printf(" [=[%s]=]", *command);
    if (is_rival)
        printf(" --brief");
    printf(" %s %s)\n", group, lock);
    printf("set_tests_properties([=[contract.%s.%s%s]=] PROPERTIES LABELS \"contract%s\""
           " TIMEOUT 1000 SKIP_RETURN_CODE %d)\n",
           group, lock, suffix,
           is_rival          ? ";contract-most"
           : *suffix != '\0' ? ";preload"
                             : "",
           EXIT_SKIPPED);
}

static void list_for_ctest(bool dropin, char **command)
{
    const adapter_head *a;

    for (int g = 0; g < GROUPS; g++) {
        for (size_t i = 0; (a = groups[g]->family->at(i)) != NULL; i++) {
            if (applies(groups[g], a) && (!dropin || is_of_c_library(a->name)))
                list_one(groups[g]->name, a->name, dropin ? ".dropin" : "", command);
        }
    }
}

/* GROUP LOCK, a line each, of the locks whose names begin so. */
static void list_pairs(const char *begin)
{
    const adapter_head *a;

    for (int g = 0; g < GROUPS; g++)
        for (size_t i = 0; (a = groups[g]->family->at(i)) != NULL; i++)
            if (strncmp(a->name, begin, strlen(begin)) == 0 && applies(groups[g], a))
                printf("%s %s\n", groups[g]->name, a->name);
}

static int usage(const char *problem, const char *name)
{
    fprintf(stderr, "contract: %s%s; usage: contract GROUP LOCK\n", problem, name);
    for (int g = 0; g < GROUPS; g++) {
        const adapter_head *a;
        fprintf(stderr, "  %s:", groups[g]->name);
        for (size_t i = 0; (a = groups[g]->family->at(i)) != NULL; i++)
            fprintf(stderr, " %s", a->name);
        fputc('\n', stderr);
    }
    return EXIT_USAGE;
}

static void run_group(void *group)
{
    _exit(group_run(group) == 0 ? 0 : 1);
}

/*
 * In a child, because a wrong lock may end it in any way; and a few times, because some are wrong
 * only now and then, and the run that meets none of their faults is right to pass.
 */
static int expect_failure(const struct contract_group *group)
{
    struct death d;

    patience = 1; /* for whom it is too short, is wrong anyway */
    for (int run = 0; run < RUNS_TO_CATCH; run++) {
        if (death_run(run_group, (void *)group, 60000, &d) != 0)
            return 1;
        fputs(d.text, stdout);
        if (d.status != 0)
            return d.timed_out;
    }
    printf("%s passes %s, and should not\n", subject_head->name, group->name);
    return 1;
}

int main(int argc, char **argv)
{
    bool dropin = argc >= 3 && strcmp(argv[1], "--ctest-dropin") == 0;
    if (dropin || (argc >= 3 && strcmp(argv[1], "--ctest") == 0)) {
        list_for_ctest(dropin, argv + 2);
        return 0;
    }
    if (argc == 3 && strcmp(argv[1], "--pairs") == 0) {
        list_pairs(argv[2]);
        return 0;
    }
    bool to_be_caught = argc == 4 && strcmp(argv[1], "--caught") == 0;
    bool brief = argc == 4 && strcmp(argv[1], "--brief") == 0;
    argc -= to_be_caught || brief;
    argv += to_be_caught || brief;
    is_brief = brief && getenv("RIVALS_IN_FULL") == NULL;
    is_quick = !to_be_caught && getenv("TESTS_IN_FULL") == NULL;
    if (getenv("TESTS_PATIENCE") != NULL)
        patience = (unsigned)strtoul(getenv("TESTS_PATIENCE"), NULL, 10);
    if (argc != 3)
        return usage("two arguments are needed", "");

    const struct contract_group *group = group_find(argv[1]);
    if (group == NULL)
        return usage("no group ", argv[1]);
    const adapter_head *lock = lock_find(group, argv[2]);
    if (lock == NULL)
        return usage("no lock ", argv[2]);
    if (!applies(group, lock)) {
        printf("%s does not claim what %s tests\n", subject_head->name, group->name);
        return EXIT_SKIPPED;
    }
    if (to_be_caught)
        return expect_failure(group);
    return group_run(group) == 0 ? 0 : 1;
}
