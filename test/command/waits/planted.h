/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_COMMAND_WAITS_PLANTED_H
#define FW_TEST_COMMAND_WAITS_PLANTED_H

#include <stdbool.h>

struct planted {
    const char *name;
    const char *kind;  /* as furwock top calls it */
    const char *class; /* "lock" or "other" */
    void *object;
    void *shown; /* what is found; NULL: the object */
    void (*prepare)(struct planted *p);
    void (*lock)(void *object);
    void (*unlock)(void *object);
    int type; /* of a mutex: its attributes */
    bool is_deep;
    unsigned sleepers; /* 0: workers instead */
};

/* NULL: there is none of this name. */
struct planted *planted_find(const char *name);

/* Prints a line for each: name, class, kind. */
void planted_list(void);

#endif
