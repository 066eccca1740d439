/* SPDX-License-Identifier: MIT */
#include "beside.h"

unsigned char whole(const unsigned char *bytes, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (bytes[i] != bytes[0])
            return TORN;
    return bytes[0];
}

bool is_explained_beside_store(enum kind mine, bool answer, unsigned char saw, unsigned char end)
{
    switch (mine) {
    case LOAD:
        return end == THEIRS && (saw == OLD || saw == THEIRS);
    case EXCHANGE:
        return (end == THEIRS && saw == OLD) || (end == MINE && saw == THEIRS);
    case COMPARE_EXCHANGE:
        return end == THEIRS && saw == (answer ? OLD : THEIRS);
    default:
        return end == THEIRS || end == MINE;
    }
}

bool is_explained_beside_load(enum kind mine, bool answer, unsigned char saw, unsigned char end,
                              unsigned char they_saw)
{
    bool good = mine == LOAD ? end == OLD && they_saw == OLD
                             : end == MINE && (they_saw == OLD || they_saw == MINE);

    if (mine == LOAD || mine == EXCHANGE)
        good = good && saw == OLD;
    return good && (mine != COMPARE_EXCHANGE || answer);
}
