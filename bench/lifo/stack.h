/* SPDX-License-Identifier: MIT */
#ifndef FW_BENCH_LIFO_STACK_H
#define FW_BENCH_LIFO_STACK_H

#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/adapters/libatomics.h"

/*
 * A stack of elements without a lock of its own: its head is one atomic object, a pointer to the
 * top and a tag that every change makes greater, so that a head which was looked at, and has been
 * changed and changed back since, is not taken for unchanged (ABA; IBM, "System/370 Extended
 * Architecture, Principles of Operation", 1983).  The head is loaded and compare-exchanged by
 * generic atomic operations, whatever stands behind them.
 *
 * Who pops reads the `next` of a top that another thread may pop at that moment.  So links are
 * never freed while a stack is in use: a popped link goes into the pool of the worker that popped
 * it, and is pushed again with another element.  Reading the `next` of such a link yields some
 * pointer, and the compare-exchange then fails by the tag.  The element at a link is its owner's
 * alone until it is pushed and once it is popped: it is malloc's when created, and free's when
 * deleted.
 */
enum {
    STACK_LINE = 64,
    STACK_HEAD_LEAST = 16, /* a pointer and a tag */
    STACK_HEAD_MOST = 256
};

struct element {
    uint64_t value;
    uint64_t unused; /* the size of a small element of a list */
};

struct link {
    alignas(STACK_LINE) struct link *next; /* atomic: read by whoever saw the link at the top */
    struct element *element;               /* NULL: not on the stack */
    bool seen;                             /* by stack_check */
};

/* The tag is repeated up to the end of the head, so that a torn load shows. */
struct head {
    struct link *top;
    uint64_t tag[STACK_HEAD_MOST / sizeof(uint64_t) - 1];
};

struct stack {
    alignas(2 * STACK_LINE) struct head head;
    alignas(2 * STACK_LINE) const struct libatomics *calls;
    size_t size; /* of the head, in bytes: a multiple of 8 */
    bool pair;   /* by the calls for 16 bytes */
};

struct chunk;

/* What one thread has of a stack.  Zeroed, except the stack. */
struct worker {
    alignas(2 * STACK_LINE) struct stack *stack;
    struct link *spare;
    struct chunk *chunks;
    uint64_t pushed; /* atomic: others look at these two while the thread counts on */
    uint64_t popped;
    uint64_t sum; /* of the values pushed, less those popped */
    uint64_t torn;
    const char *fault; /* NULL: none seen */
};

void stack_init(struct stack *s, const struct libatomics *calls, size_t size);

/* How many elements a worker has pushed and popped so far; any thread may ask. */
uint64_t stack_handled(const struct worker *w);

/* Creates an element.  Exits where there is no memory. */
void stack_push(struct worker *w, uint64_t value);

/* Deletes the youngest element; false where there is none. */
bool stack_pop(struct worker *w);

/* The two by one compiler: where a second one is here, stack.c is compiled by both. */
struct stack_code {
    void (*push)(struct worker *w, uint64_t value);
    bool (*pop)(struct worker *w);
};
extern const struct stack_code stack_code;

/*
 * When all threads are done: whether each element that was pushed was popped once or is there
 * once.  NULL, or what is wrong.
 */
const char *stack_check(struct stack *s, struct worker *workers, size_t n);

/* Frees all links and elements, even of a damaged stack. */
void stack_clear(struct stack *s, struct worker *workers, size_t n);

#endif
