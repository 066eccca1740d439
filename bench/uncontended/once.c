/* SPDX-License-Identifier: MIT */
/* Those who run something once: what a call costs when it has been done long ago. */
#include <furwock/once.h>
#include <pthread.h>

#include "uncontended.h"

static int succeed(void *arg)
{
    (void)arg;
    return 0;
}

static void do_nothing(void) {}

static int init_furwock(void *once, bool shared)
{
    (void)shared;
    *(fw_once *)once = (fw_once)FW_ONCE_INIT;
    return fw_once_call(once, succeed, NULL);
}

static void loop_furwock(void *once, uint64_t n)
{
    for (; n != 0; n--)
        fw_once_call(once, succeed, NULL);
}

static int init_pthread(void *once, bool shared)
{
    (void)shared;
    *(pthread_once_t *)once = PTHREAD_ONCE_INIT;
    return pthread_once(once, do_nothing);
}

static void loop_pthread(void *once, uint64_t n)
{
    for (; n != 0; n--)
        pthread_once(once, do_nothing);
}

static const struct once_adapter furwock = {
    .name = "furwock",
    .about = "fw_once",
    .family = FAMILY_FURWOCK,
    .size = sizeof(fw_once),
    .align = _Alignof(fw_once),
    .init = init_furwock,
    .loop = loop_furwock,
};

static const struct once_adapter posix = {
    .name = "pthread",
    .about = "pthread_once_t of the C library",
    .family = FAMILY_RIVAL,
    .size = sizeof(pthread_once_t),
    .align = _Alignof(pthread_once_t),
    .init = init_pthread,
    .loop = loop_pthread,
};

const struct once_adapter *const once_adapter_list[] = {&furwock, &posix, NULL};
