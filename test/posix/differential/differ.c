// SPDX-License-Identifier: MIT
// Contract: differ.h.
//
//     differ FAMILY SEED COUNT         a line for each sequence: its seed, and a sum of its text
//     differ FAMILY SEED               the text of one
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "differ.h"

#define STEPS 40       // orders in a sequence
#define PATIENCE_S 300 // for one sequence

static const struct family *const families[] = {
    &mutex_family,        &rwlock_family,     &sem_family, &named_family,
    &barrier_spin_family, &attributes_family, &c11_family,
};

static uint64_t state;
static uint64_t sum = 14695981039346656037U; // FNV-1a
static bool aloud;

unsigned draw(unsigned below)
{
    uint64_t z = state += 0x9e3779b97f4a7c15U; // splitmix64

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return (unsigned)((z ^ (z >> 31)) >> 33) % below;
}

void say(const char *format, ...)
{
    char line[200];
    va_list words;

    va_start(words, format);
    vsnprintf(line, sizeof(line), format, words);
    va_end(words);
    for (const char *p = line; *p != '\0'; p++)
        sum = (sum ^ (unsigned char)*p) * 1099511628211U;
    if (aloud) {
        fputs(line, stdout);
        fflush(stdout);
    }
}

static void sequence(const struct family *family, uint64_t seed)
{
    state = seed * 1000003;
    alarm(PATIENCE_S);
    actors_start(family);
    family->begin();
    for (int i = 0; i < STEPS; i++)
        family->step();
    if (family->end != NULL)
        family->end();
    if (!aloud)
        printf("%llu %016llx\n", (unsigned long long)seed, (unsigned long long)sum);
    fflush(stdout);
    _exit(0);
}

int main(int argc, char **argv)
{
    const struct family *family = NULL;
    uint64_t seed, count;

    for (unsigned i = 0; argc > 1 && i < sizeof(families) / sizeof(families[0]); i++)
        if (strcmp(families[i]->name, argv[1]) == 0)
            family = families[i];
    if (family == NULL || argc < 3) {
        fprintf(stderr, "usage: %s FAMILY SEED [COUNT]\n", argv[0]);
        return 2;
    }
    seed = strtoull(argv[2], NULL, 10);
    count = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
    aloud = argc == 3;
    for (uint64_t end = seed + count; seed < end; seed++) {
        int status;
        pid_t child = fork();

        if (child == 0)
            sequence(family, seed);
        if (child < 0 || waitpid(child, &status, 0) != child)
            return 1;
        if (status != 0)
            printf("%llu ended by %s %d\n", (unsigned long long)seed,
                   WIFSIGNALED(status) ? "signal" : "status",
                   WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
        fflush(stdout);
    }
    return 0;
}
