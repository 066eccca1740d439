/* SPDX-License-Identifier: MIT */
#include <furwock/once.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

double *get_table(size_t size);

#include "once_example.h"

/* The first try asks for more memory than there is, so the second one initialises. */
int main(void)
{
    double *none = get_table((size_t)-1 / 16);
    double *first = get_table(10);

    printf("first try: %s, second: %s\n", none != NULL ? "a table" : "no memory",
           first != NULL ? "a table" : "no memory");
    if (none != NULL || first == NULL || get_table(20) != first)
        return EXIT_FAILURE;
    free(table);
    return EXIT_SUCCESS;
}
