/* SPDX-License-Identifier: MIT */
#include "history.h"

#include <stdio.h>
#include <stdlib.h>

enum { VALUES = 256 };

struct search {
    const struct history *h;
    unsigned at[HISTORY_THREADS];
    /* States from which no way led to the end; a bit for each value, in words of 64. */
    uint64_t (*failed)[VALUES / 64];
};

static size_t state_of(const struct search *s)
{
    size_t state = 0;

    for (unsigned t = 0; t < s->h->n_threads; t++)
        state = state * (s->h->n[t] + 1) + s->at[t];
    return state;
}

/* Could this be what the call does to a register with *value?  Then *value is what it leaves. */
static bool applies(const struct event *e, int *value)
{
    switch (e->call) {
    case CALL_LOAD:
        return e->seen == *value;
    case CALL_STORE:
        *value = e->stored;
        return true;
    case CALL_EXCHANGE:
        if (e->seen != *value)
            return false;
        *value = e->stored;
        return true;
    default:
        if (e->done != (e->expected == *value))
            return false;
        if (!e->done)
            return e->seen == *value;
        *value = e->stored;
        return true;
    }
}

/* When the first of the operations that are still to come ends: none that begins later is next. */
static uint64_t first_end(const struct search *s)
{
    uint64_t end = UINT64_MAX;

    for (unsigned t = 0; t < s->h->n_threads; t++)
        if (s->at[t] < s->h->n[t] && s->h->events[t][s->at[t]].end < end)
            end = s->h->events[t][s->at[t]].end;
    return end;
}

static bool leads_to_the_end(struct search *s, int value)
{
    size_t state = state_of(s);
    uint64_t bit = UINT64_C(1) << value % 64, *failed = &s->failed[state][value / 64];
    uint64_t end = first_end(s);

    if (*failed & bit)
        return false;
    if (end == UINT64_MAX)
        return true;
    for (unsigned t = 0; t < s->h->n_threads; t++) {
        const struct event *e = &s->h->events[t][s->at[t]];
        int next = value;

        if (s->at[t] == s->h->n[t] || e->begin > end || !applies(e, &next))
            continue;
        s->at[t]++;
        if (leads_to_the_end(s, next))
            return true;
        s->at[t]--;
    }
    *failed |= bit;
    return false;
}

bool history_is_linearizable(const struct history *h)
{
    struct search s = {.h = h};
    size_t states = 1;
    bool answer;

    for (unsigned t = 0; t < h->n_threads; t++)
        states *= h->n[t] + 1;
    s.failed = calloc(states, sizeof *s.failed);
    if (s.failed == NULL)
        abort();
    answer = leads_to_the_end(&s, h->first);
    free(s.failed);
    return answer;
}

void history_print(const struct history *h)
{
    static const char *const names[] = {"load", "store", "exchange", "compare_exchange"};

    printf("the value is %d at first\n", h->first);
    for (unsigned t = 0; t < h->n_threads; t++) {
        for (unsigned i = 0; i < h->n[t]; i++) {
            const struct event *e = &h->events[t][i];

            printf("  thread %u  %10llu - %10llu  %-16s", t, (unsigned long long)e->begin,
                   (unsigned long long)e->end, names[e->call]);
            if (e->call == CALL_COMPARE_EXCHANGE)
                printf(" expects %3d,", e->expected);
            if (e->call != CALL_LOAD)
                printf(" stores %3d", e->stored);
            if (e->call == CALL_COMPARE_EXCHANGE && e->done)
                printf(", done");
            else if (e->call != CALL_STORE)
                printf(", sees %3d", e->seen);
            printf("\n");
        }
    }
}
