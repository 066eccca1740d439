/* SPDX-License-Identifier: MIT */
/*
 * The contract tests of the locks on the module (bench/classics/adapters_kernel.c), where it is
 * loaded; elsewhere they are not among the locks.
 *
 *     kmod_contracts CONTRACT MODULE.ko [PART [TIMES]]
 *
 * PART: only those with it in GROUP or LOCK; TIMES: how often.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device.h"
#include "test/support/run_program.h"

enum { MOST_SAID = 1 << 16, MOST_PAIRS = 256 };

static const char *program, *part = "";
static unsigned times = 1;
static char list[MOST_SAID], said[MOST_SAID];

/* As comments of the protocol. */
static void repeat_what_it_said(void)
{
    char *rest = said;

    for (char *line; (line = strsep(&rest, "\n")) != NULL && *line != '\0';)
        printf("# %s\n", line);
}

static int run_all(void)
{
    const char *const ask[] = {program, "--pairs", "kernel-", NULL};
    char *pairs[MOST_PAIRS], *rest = list, *line;
    unsigned n = 0, failed = 0;

    if (run_program(0, ask, list, sizeof list) != 0 || list[0] == '\0') {
        printf("Bail out! no lock is on the module: %s\n", list);
        return 1;
    }
    while ((line = strsep(&rest, "\n")) != NULL && *line != '\0')
        for (unsigned i = 0; i < times && n < MOST_PAIRS && strstr(line, part) != NULL; i++)
            pairs[n++] = line;
    printf("TAP version 13\n1..%u\n", n);
    for (unsigned i = 0; i < n; i++) {
        char words[200];
        int status;

        snprintf(words, sizeof words, "--brief %s", pairs[i]);
        fflush(stdout);
        status = run_line(0, program, words, said, sizeof said);
        if (status != 0)
            repeat_what_it_said();
        failed += status != 0;
        printf("%s %u %s\n", status == 0 ? "ok" : "not ok", i + 1, pairs[i]);
    }
    return failed != 0;
}

int main(int argc, char **argv)
{
    if (argc < 3 || access(argv[1], X_OK) != 0) {
        printf("1..0 # SKIP needs the program contract: make test-kmod\n");
        return 77;
    }
    program = argv[1];
    if (argc > 3)
        part = argv[3];
    if (argc > 4)
        times = (unsigned)strtoul(argv[4], NULL, 10);
    setenv("TESTS_PATIENCE", "400", 0); /* one CPU in software serves what two are meant for */
    return with_module(argv[2], run_all);
}
