/* SPDX-License-Identifier: MIT */
#include <furwock/once.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

double *get_table(size_t size);

/* The first time there is no memory, so the second call initialises. */
static void *scarce(size_t n, size_t size)
{
    static int calls;

    return calls++ == 0 ? NULL : calloc(n, size);
}

#define calloc scarce
#include "once_example.h"
#undef calloc

int main(void)
{
    double *none = get_table(10);
    double *first = get_table(10);

    printf("first try: %s, second: %s\n", none != NULL ? "a table" : "no memory",
           first != NULL ? "a table" : "no memory");
    if (none != NULL || first == NULL || get_table(20) != first)
        return EXIT_FAILURE;
    free(table);
    return EXIT_SUCCESS;
}
