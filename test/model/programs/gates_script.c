/* SPDX-License-Identifier: MIT */
#include "gates_script.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

unsigned gates_words[MODEL_MAX_THREADS][GATES_MAX_WORDS];

static unsigned word_of(const char *text, const char *const *names, unsigned n)
{
    for (unsigned w = 1; w < n; w++)
        if (strcmp(text, names[w]) == 0)
            return w;
    fprintf(stderr, "fw-model: bad script word: %s\n", text);
    exit(3);
}

void gates_script_read(const struct gates_script *script, const char *const *names, unsigned n)
{
    memset(gates_words, 0, sizeof gates_words);
    for (unsigned i = 0; i < model_thread_count; i++) {
        char copy[160];
        unsigned count = 0;

        snprintf(copy, sizeof copy, "%s", script->threads[i]);
        for (char *word = strtok(copy, " "); word != NULL && count < GATES_MAX_WORDS - 1;
             word = strtok(NULL, " "))
            gates_words[i][count++] = word_of(word, names, n);
    }
}
