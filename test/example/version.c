/* SPDX-License-Identifier: MIT */
/* The example of furwock/version.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <furwock/version.h>

int describe(char *text, size_t size);

#include "version_example.h"

static void expect(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "version: %s\n", what);
        exit(1);
    }
}

int main(void)
{
    const char *said =
        "compiled with furwock " FURWOCK_VERSION_STRING ", running with " FURWOCK_VERSION_STRING;
    char text[120], digits[40];

    describe(text, sizeof text);
    expect(strcmp(text, said) == 0, text);
    expect(fw_version() == FURWOCK_VERSION, "the library is of another version than its headers");
    snprintf(digits, sizeof digits, "%d.%d.%d", fw_version() / 1000000, fw_version() / 1000 % 1000,
             fw_version() % 1000);
    expect(strcmp(digits, fw_version_string()) == 0, "the number and the text differ");
    expect(FURWOCK_VERSION_NUMBER(1, 0, 0) > FURWOCK_VERSION_NUMBER(0, 999, 999), "order");
    return 0;
}
