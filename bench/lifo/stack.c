/* SPDX-License-Identifier: MIT */
#include "stack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ThreadSanitizer sees locks, but no instructions on sixteen bytes: of these it has to be told. */
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#else
#define __tsan_acquire(address) ((void)(address))
#define __tsan_release(address) ((void)(address))
#endif

enum { CHUNK_LINKS = 63, WORD = sizeof(uint64_t) };

struct chunk {
    struct chunk *next;
    struct link links[CHUNK_LINKS];
};

static void *or_exit(void *memory)
{
    if (memory == NULL) {
        fputs("lifo: no memory\n", stderr);
        exit(1);
    }
    return memory;
}

/* --- The head -------------------------------------------------------------------------------- */

static void look(struct stack *s, struct head *seen)
{
    if (s->pair) {
        libatomics_u128 both = s->calls->load_16(&s->head, __ATOMIC_SEQ_CST);
        memcpy(seen, &both, sizeof both);
        __tsan_acquire(&s->head);
    } else {
        s->calls->load(s->size, &s->head, seen, __ATOMIC_SEQ_CST);
    }
}

/* {top, t, t ...} -> {other top, t+1, t+1 ...}; a failure stores what is there in *seen. */
static bool swing(struct stack *s, struct head *seen, struct link *top)
{
    struct head wanted;

    wanted.top = top;
    for (size_t i = 0; i < s->size / WORD - 1; i++)
        wanted.tag[i] = seen->tag[0] + 1;
    if (s->pair) {
        libatomics_u128 both;
        memcpy(&both, &wanted, sizeof both);
        __tsan_release(&s->head);
        bool done =
            s->calls->compare_exchange_16(&s->head, seen, both, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
        __tsan_acquire(&s->head);
        return done;
    }
    return s->calls->compare_exchange(s->size, &s->head, seen, &wanted, __ATOMIC_SEQ_CST,
                                      __ATOMIC_SEQ_CST);
}

static bool is_torn(const struct stack *s, const struct head *seen)
{
    return seen->tag[0] != seen->tag[s->size / WORD - 2];
}

void stack_init(struct stack *s, const struct libatomics *calls, size_t size)
{
    *s = (struct stack){.calls = calls, .size = size};
    s->pair = size == sizeof(libatomics_u128) && calls->load_16 != NULL;
}

/* --- Links ----------------------------------------------------------------------------------- */

static struct link *next_of(const struct link *l)
{
    return __atomic_load_n(&l->next, __ATOMIC_RELAXED);
}

static void set_next(struct link *l, struct link *next)
{
    __atomic_store_n(&l->next, next, __ATOMIC_RELAXED);
}

static void put_spare(struct worker *w, struct link *l)
{
    set_next(l, w->spare);
    w->spare = l;
}

static struct link *take_spare(struct worker *w)
{
    if (w->spare == NULL) {
        struct chunk *more = or_exit(aligned_alloc(STACK_LINE, sizeof *more));
        memset(more, 0, sizeof *more);
        more->next = w->chunks;
        w->chunks = more;
        for (size_t i = CHUNK_LINKS; i-- > 0;)
            put_spare(w, &more->links[i]);
    }
    struct link *l = w->spare;
    w->spare = next_of(l);
    return l;
}

/* --- Operations ------------------------------------------------------------------------------ */

static void count_up(uint64_t *counter)
{
    __atomic_store_n(counter, *counter + 1, __ATOMIC_RELAXED);
}

uint64_t stack_handled(const struct worker *w)
{
    return __atomic_load_n(&w->pushed, __ATOMIC_RELAXED) +
           __atomic_load_n(&w->popped, __ATOMIC_RELAXED);
}

void stack_push(struct worker *w, uint64_t value)
{
    struct link *l = take_spare(w);
    struct head seen;

    l->element = or_exit(malloc(sizeof *l->element));
    l->element->value = value;
    look(w->stack, &seen);
    do {
        w->torn += is_torn(w->stack, &seen);
        set_next(l, seen.top);
    } while (!swing(w->stack, &seen, l));
    count_up(&w->pushed);
    w->sum += value;
}

bool stack_pop(struct worker *w)
{
    struct head seen;

    look(w->stack, &seen);
    do {
        w->torn += is_torn(w->stack, &seen);
        if (seen.top == NULL)
            return false;
    } while (!swing(w->stack, &seen, next_of(seen.top)));

    struct link *l = seen.top;
    count_up(&w->popped);
    if (l->element == NULL) {
        w->fault = "an element was popped twice";
        return true; /* somebody else has the link in its pool */
    }
    w->sum -= l->element->value;
    free(l->element);
    l->element = NULL;
    put_spare(w, l);
    return true;
}

/* By clang all of these have other names (CMakeLists.txt). */
const struct stack_code stack_code = {stack_push, stack_pop};

/* --- Judgement ------------------------------------------------------------------------------- */

/* Goes along a list of links; false where one of them was seen before. */
static bool walk(struct link *l, bool on_stack, uint64_t *length, uint64_t *sum)
{
    for (; l != NULL; l = next_of(l), ++*length) {
        if (l->seen || (l->element != NULL) != on_stack)
            return false;
        l->seen = true;
        *sum += on_stack ? l->element->value : 0;
    }
    return true;
}

const char *stack_check(struct stack *s, struct worker *workers, size_t n)
{
    uint64_t length = 0, there = 0, spare = 0, made = 0, pushed = 0, popped = 0, sum = 0;

    for (size_t i = 0; i < n; i++) {
        const struct worker *w = &workers[i];
        for (const struct chunk *c = w->chunks; c != NULL; c = c->next)
            made += CHUNK_LINKS;
        pushed += w->pushed;
        popped += w->popped;
        sum += w->sum;
        if (w->fault != NULL)
            return w->fault;
        if (w->torn != 0)
            return "a load of the head was torn";
    }
    if (!walk(s->head.top, true, &length, &there))
        return "an element is on the stack twice";
    for (size_t i = 0; i < n; i++)
        if (!walk(workers[i].spare, false, &spare, &there))
            return "a popped element is on the stack";
    if (length != pushed - popped || made != length + spare)
        return "elements were lost";
    if (sum != there)
        return "other elements were popped than were pushed";
    return is_torn(s, &s->head) ? "the head is torn" : NULL;
}

void stack_clear(struct stack *s, struct worker *workers, size_t n)
{
    s->head.top = NULL;
    for (size_t i = 0; i < n; i++)
        for (struct chunk *c = workers[i].chunks, *next; c != NULL; c = next) {
            for (size_t k = 0; k < CHUNK_LINKS; k++)
                free(c->links[k].element);
            next = c->next;
            free(c);
        }
}
