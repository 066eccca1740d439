/* SPDX-License-Identifier: MIT */
/* The user's wishes.  Contract: settings.h. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <furwock/wait.h>

#include "settings.h"
#include "sys/environment.h"
#include "sys/release.h"
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
 * How long a thread spins before it sleeps, where the user says nothing.  Less than what the
 * library does by itself: programs that were written for locks that sleep at once have more threads
 * than CPUs, and hold a lock for longer than it pays to spin.  The value is a guess by that
 * reasoning: the comparison of 0, 2 and 7 us on which it once rested was made while FURWOCK_POLICY
 * had no effect (doc/results/drop-in.md).
 */
#define SPIN_NS 2000u

/* Locks that were taken before this has run were taken by the default. */
__attribute__((constructor)) static void read_environment(int argc, char **argv, char **environment)
{
    const char *text = fw_environment_(environment, "FURWOCK_POLICY=");
    fw_wait_policy policy = {.kind = FW_WAIT_ADAPTIVE, .spin_ns = SPIN_NS};

    (void)argc;
    (void)argv;
    fw_release_begin_(environment);
    fw_wait_set_default(&policy);
    if (text != NULL && text[0] != '\0' && !fw_settings_read_(text, &fw_settings_))
        fw_say_("FURWOCK_POLICY is not understood: use greedy, fair or spin=MICROSECONDS");
}
