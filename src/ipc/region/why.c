/* SPDX-License-Identifier: MIT */
/*
 * Why a call on regions failed.  Contract: why.h, furwock/ipc/region.h.
 *
 * The text is a thread's own, and allocated by its first error: the static TLS block has no space
 * for it, which all copies of the library in a process share with all other libraries.
 */
#include "ipc/region/why.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <furwock/ipc/region.h>

enum { LONGEST = 400 };

static pthread_key_t key;
static bool has_key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_key(void)
{
    has_key = pthread_key_create(&key, free) == 0;
}

/* NULL: the thread has none. */
static char *text_of_thread(void)
{
    pthread_once(&once, make_key);
    return has_key ? pthread_getspecific(key) : NULL;
}

/* NULL: no memory for one. */
static char *make_text(void)
{
    char *text = text_of_thread();

    if (text != NULL || !has_key)
        return text;
    text = calloc(1, LONGEST);
    if (text != NULL && pthread_setspecific(key, text) != 0) {
        free(text);
        text = NULL;
    }
    return text;
}

void fw_region_forget_(void)
{
    char *text = text_of_thread();

    if (text != NULL)
        text[0] = '\0';
}

int fw_region_fail_(int error, const char *format, ...)
{
    char *text = make_text();
    va_list arguments;

    va_start(arguments, format);
    if (text != NULL)
        vsnprintf(text, LONGEST, format, arguments);
    va_end(arguments);
    return error;
}

int fw_region_ended_(int error)
{
    char *text = error != 0 ? make_text() : NULL;

    if (error == 0)
        fw_region_forget_(); /* what was tried before */
    if (text != NULL && text[0] == '\0')
        snprintf(text, LONGEST, "%s", strerror(error)); /* which every thread may call, by now */
    return error;
}

const char *fw_region_strerror(void)
{
    const char *text = text_of_thread();

    return text != NULL ? text : "";
}
