/* SPDX-License-Identifier: MIT */
/* The user's wishes.  Contract: settings.h. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <furwock/wait.h>

#include "settings.h"
#include "sys/say.h"

struct fw_settings_ fw_settings_;

/* spin=US: a number of microseconds, in decimal digits, and nothing behind it. */
static bool set_spin(const char *text, size_t length)
{
    fw_wait_policy policy = {.kind = FW_WAIT_SPIN_THEN_BLOCK};
    uint64_t us = 0;

    if (length == 0)
        return false;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        us = us * 10 + (uint64_t)(text[i] - '0');
        if (us > FW_WAIT_SPIN_MAX_NS / 1000)
            return false;
    }
    if (us == 0)
        policy.kind = FW_WAIT_BLOCK;
    policy.spin_ns = (uint32_t)us * 1000;
    return fw_wait_set_default(&policy) == 0;
}

static bool is_word(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && strncmp(text, word, length) == 0;
}

static bool read_one(const char *text, size_t length, struct fw_settings_ *to)
{
    static const char spin[] = "spin=";
    size_t prefix = sizeof(spin) - 1;

    if (is_word(text, length, "greedy") || is_word(text, length, "fair")) {
        to->fair = text[0] == 'f';
        return true;
    }
    return length > prefix && strncmp(text, spin, prefix) == 0 &&
           set_spin(text + prefix, length - prefix);
}

bool fw_settings_read_(const char *text, struct fw_settings_ *to)
{
    for (;;) {
        size_t length = strcspn(text, ",");

        if (!read_one(text, length, to))
            return false;
        if (text[length] == '\0')
            return true;
        text += length + 1;
    }
}

/*
 * How long a thread polls before it sleeps, where the user says nothing.  Less than what the
 * library does by itself: programs that were written for locks that sleep at once have more threads
 * than processors, and hold a lock for longer than it pays to poll.  Of 0, 2 and 7 us, 2 lost least
 * on SQLite (0.6, 0.8 and 0.8 of the C library's throughput through one connection; 0.6, 1.2 and
 * 0.9 with databases of their own), and kccachetest had the same from all.
 */
#define SPIN_NS 2000u

/* Locks that were taken before this has run were taken by the default. */
__attribute__((constructor)) static void read_environment(void)
{
    const char *text = getenv("FURWOCK_POLICY");
    fw_wait_policy policy = {.kind = FW_WAIT_ADAPTIVE, .spin_ns = SPIN_NS};

    fw_wait_set_default(&policy);
    if (text != NULL && text[0] != '\0' && !fw_settings_read_(text, &fw_settings_))
        fw_say_("FURWOCK_POLICY is not understood: use greedy, fair or spin=MICROSECONDS");
}
