/* SPDX-License-Identifier: MIT */
#include "script.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

unsigned script_words[MODEL_MAX_THREADS][SCRIPT_MAX_WORDS];
char script_text[MODEL_MAX_THREADS][SCRIPT_MAX_TEXT];

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

/* Its number in the list, from 1; 0: it is not there. */
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

static void read_words(unsigned thread, const char *words)
{
    const char *script = script_text[thread];
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

unsigned script_read(void)
{
    const char *words = model_program->hooks->words;
    const char *rest = model_program->script;
    unsigned n = 0;

    memset(script_words, 0, sizeof script_words);
    for (; rest != NULL && *rest != '\0'; n++) {
        size_t length = strcspn(rest, "|");
        bool is_last = rest[length] == '\0';

        if (n == MODEL_MAX_THREADS || length >= SCRIPT_MAX_TEXT)
            die(model_program->script);
        memcpy(script_text[n], rest, length);
        script_text[n][is_last ? length : length - 1] = '\0'; /* without the space in front of it */
        if (words != NULL)
            read_words(n, words);
        rest += is_last ? length : length + 2;
    }
    return n;
}

void script_run(unsigned self)
{
    const struct model_hooks *hooks = model_program->hooks;

    if (hooks->begin != NULL)
        hooks->begin(self);
    for (const unsigned *w = script_words[self]; *w != 0; w++)
        hooks->act(self, *w);
}
