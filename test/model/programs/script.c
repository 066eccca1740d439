/* SPDX-License-Identifier: MIT */
#include "script.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../kernel.h"

const fw_wait_policy script_blocking = {FW_WAIT_BLOCK, 0}, script_spinning = {FW_WAIT_SPIN, 0};

#define BOOT_S (KERNEL_BOOT_NS / 1000000000u)
const fw_deadline script_soon = {{BOOT_S, KERNEL_TICK_NS}, CLOCK_MONOTONIC},
                  script_deadline = {{BOOT_S, 2 * (long)KERNEL_TICK_NS}, CLOCK_MONOTONIC},
                  script_deadline_real = {{BOOT_S, 2 * (long)KERNEL_TICK_NS}, CLOCK_REALTIME};

unsigned script_words[MODEL_MAX_THREADS][SCRIPT_MAX_WORDS];

_Noreturn static void die(const char *script)
{
    fprintf(stderr, "fw-model: bad script: %s\n", script);
    exit(3);
}

/* Is `name`, which ends with a comma or with the list, as an identifier what `word` says? */
static bool is_name(const char *name, const char *word, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (word[i] != (name[i] == '_' ? '-' : tolower((unsigned char)name[i])))
            return false;
    return name[length] == ',' || name[length] == '\0';
}

/* Its place in the list, from 1; 0: it is not there. */
static unsigned word_of(const char *word, size_t length, const char *words)
{
    unsigned n = 1;

    for (const char *name = words; name != NULL; n++) {
        name += strspn(name, ", \n");
        if (is_name(name, word, length))
            return n;
        name = strchr(name, ',');
    }
    return 0;
}

static void read_thread(unsigned thread, const char *script, const char *words)
{
    unsigned count = 0;

    for (const char *word = script; *word != '\0'; word += strspn(word, " ")) {
        size_t length = strcspn(word, " ");
        unsigned n = word_of(word, length, words);

        if (n == 0 || count == SCRIPT_MAX_WORDS - 1)
            die(script);
        script_words[thread][count++] = n;
        word += length;
    }
}

void script_read(const char *const *threads, const char *words)
{
    memset(script_words, 0, sizeof script_words);
    for (unsigned i = 0; i < model_thread_count; i++)
        read_thread(i, threads[i], words);
}
