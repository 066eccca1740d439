/* SPDX-License-Identifier: MIT */
#include "operation.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__extension__ typedef unsigned __int128 u128;

const char *const kind_names[N_KINDS] = {
    "load", "store", "exchange", "compare_exchange", "fetch_modify", "modify_fetch", "test_and_set",
};

static u128 modified(enum modify how, u128 a, u128 b)
{
    switch (how) {
    case MODIFY_ADD:
        return a + b;
    case MODIFY_SUB:
        return a - b;
    case MODIFY_AND:
        return a & b;
    case MODIFY_OR:
        return a | b;
    case MODIFY_XOR:
        return a ^ b;
    default:
        return ~(a & b);
    }
}

/* Little-endian: n bytes are the low ones. */
static void imitate_modify(const struct operation *o, unsigned char *object,
                           const unsigned char *in, unsigned char *out)
{
    u128 before = 0, operand = 0, after;

    memcpy(&before, object, o->n);
    memcpy(&operand, in, o->n);
    after = modified(o->modify, before, operand);
    memcpy(out, o->kind == FETCH_MODIFY ? &before : &after, o->n);
    memcpy(object, &after, o->n);
}

bool imitate(const struct operation *o, unsigned char *object, const unsigned char *in,
             unsigned char *out)
{
    unsigned char kept[OPERATION_MAX];
    bool answer = false;

    switch (o->kind) {
    case LOAD:
        memcpy(out, object, o->n);
        break;
    case STORE:
        memcpy(object, in, o->n);
        break;
    case EXCHANGE: /* in and out may be the same */
        memcpy(kept, object, o->n);
        memcpy(object, in, o->n);
        memcpy(out, kept, o->n);
        break;
    case COMPARE_EXCHANGE:
        answer = memcmp(object, out, o->n) == 0;
        if (answer)
            memcpy(object, in, o->n);
        else
            memcpy(out, object, o->n);
        break;
    case SET: /* a flag is one byte, whatever the size of the call */
        answer = object[0] != 0;
        object[0] = 1;
        break;
    default:
        imitate_modify(o, object, in, out);
        break;
    }
    return answer;
}

static bool perform_sized(const struct operation *o, void *object, const void *in, void *out)
{
    const struct abi_sized *s = o->sized;

    switch (o->kind) {
    case LOAD:
        s->load(object, out, o->order);
        return false;
    case STORE:
        s->store(object, in, o->order);
        return false;
    case EXCHANGE:
        s->exchange(object, in, out, o->order);
        return false;
    case COMPARE_EXCHANGE:
        return s->compare_exchange(object, out, in, o->order, o->failure);
    case FETCH_MODIFY:
        s->fetch_modify[o->modify](object, in, out, o->order);
        return false;
    case MODIFY_FETCH:
        s->modify_fetch[o->modify](object, in, out, o->order);
        return false;
    default:
        return s->test_and_set(object, o->order);
    }
}

bool perform(const struct operation *o, const struct abi *abi, void *object, const void *in,
             void *out)
{
    if (o->sized != NULL)
        return perform_sized(o, object, in, out);
    switch (o->kind) {
    case LOAD:
        abi->load(o->n, object, out, o->order);
        return false;
    case STORE:
        abi->store(o->n, object, in, o->order);
        return false;
    case EXCHANGE:
        abi->exchange(o->n, object, in, out, o->order);
        return false;
    default:
        return abi->compare_exchange(o->n, object, out, in, o->order, o->failure);
    }
}

static void *do_nothing(void *unused)
{
    for (;;)
        pause();
    return unused;
}

void become_multithreaded(void)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, do_nothing, NULL) != 0) {
        perror("pthread_create");
        exit(2);
    }
    pthread_detach(thread);
}
