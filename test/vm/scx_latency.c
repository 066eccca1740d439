/* SPDX-License-Identifier: MIT */
/*
 * What lock and unlock cost in instructions, in a virtual machine that counts them: runs rtlatency
 * under tier A, and then, with the scheduler, under tier B.  test/vm/icount.py starts this, and
 * cuts the results out of what the machine says: they stand between "results: A" and "results end".
 *
 *     scx_latency RTLATENCY [OPTION...]
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scx.h"

enum { WORDS = 24 };

static void show(const char *tier, const char *path)
{
    FILE *results = fopen(path, "re");
    int c;

    if (results == NULL)
        return;
    printf("results: %s\n", tier);
    while ((c = fgetc(results)) != EOF)
        putchar(c);
    printf("\nresults end\n");
    fclose(results);
}

static void run(char **given, char *tier)
{
    static char emulated[] = "--emulated", option[] = "--tier", json[] = "--json",
                path[] = "/tmp/results.json";
    char *words[WORDS] = {given[0], emulated, option, tier, json, path};
    unsigned n = 6;
    int status = 0;
    pid_t child;

    for (unsigned i = 1; given[i] != NULL && n < WORDS - 1; i++)
        words[n++] = given[i];
    fflush(NULL);
    child = fork();
    scx_check(child >= 0, "no process: %s", strerror(errno));
    if (child == 0) {
        execv(words[0], words);
        fprintf(stderr, "%s: %s\n", words[0], strerror(errno));
        _exit(SCX_SKIPPED);
    }
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == SCX_SKIPPED)
        exit(SCX_SKIPPED);
    scx_check(WIFEXITED(status) && WEXITSTATUS(status) == 0, "tier %s: status %d", tier, status);
    show(tier, path);
    unlink(path);
}

int main(int argc, char **argv)
{
    static char a[] = "A", b[] = "B";

    scx_need_vm();
    scx_check(argc > 1, "no program");
    run(&argv[1], a);
    scx_start();
    run(&argv[1], b);
    scx_stop();
    return EXIT_SUCCESS;
}
