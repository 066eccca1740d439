/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "atomic/stripe.h"
#include "stripes.h"

enum {
    SEEDS = 32,         /* places of a set, over which is averaged */
    WORST_SEEDS = 8,    /* the same in the search for the worst stride */
    WORST_OBJECTS = 64, /* of such an array */
    WORST_LEAST = 24,
    WORST_MOST = 4096,
    LINE = 64
};

struct hash {
    const char *name;
    unsigned (*index)(uintptr_t object, unsigned log2);
    unsigned log2; /* of the table's size */
};

static unsigned by_library(uintptr_t object, unsigned log2)
{
    return (unsigned)(fw_stripe_hash_((const void *)object) >> (64 - log2));
}

/* Without the fold before it. */
static unsigned by_product(uintptr_t object, unsigned log2)
{
    return (unsigned)(object * UINT64_C(0x9e3779b97f4a7c15) >> (64 - log2));
}

static unsigned by_line(uintptr_t object, unsigned log2)
{
    return (unsigned)(object / LINE & ((1u << log2) - 1));
}

static const struct hash hashes[] = {
    {"library", by_library, 6},
    {"library", by_library, 8},
    {"library", by_library, 10},
    {"library", by_library, 12},
    {"product", by_product, FW_STRIPES_LOG2},
    {"line", by_line, 6},
    {"line", by_line, FW_STRIPES_LOG2},
};
enum { HASHES = sizeof hashes / sizeof *hashes };

/* How many pairs of objects share a stripe. */
static double pairs_shared(const struct hash *h, const uintptr_t *objects, size_t n)
{
    static unsigned count[1 << LOG2_MOST];
    double shared = 0;

    memset(count, 0, sizeof count);
    for (size_t i = 0; i < n; i++)
        shared += count[h->index(objects[i], h->log2)]++;
    return shared;
}

static double chance(const struct hash *h, const struct address_set *set, unsigned seeds)
{
    static uintptr_t objects[OBJECTS_MAX];
    double shared = 0;

    for (unsigned seed = 0; seed < seeds; seed++) {
        address_set_make(set, seed, objects);
        shared += pairs_shared(h, objects, set->n);
    }
    return shared / seeds / ((double)set->n * (double)(set->n - 1) / 2);
}

/* The array that a hash likes least. */
static double worst_chance(const struct hash *h)
{
    struct address_set set = {.n = WORST_OBJECTS};
    double worst = 0;

    for (set.stride = WORST_LEAST; set.stride <= WORST_MOST; set.stride += 8)
        worst = fmax(worst, chance(h, &set, WORST_SEEDS));
    return worst;
}

static void print_chance(double chance, FILE *out)
{
    if (chance == 0)
        fprintf(out, " %8s", "never");
    else
        fprintf(out, " %8.*f", 1 / chance < 10 ? 1 : 0, 1 / chance);
}

static void print_heads(FILE *out)
{
    fprintf(out, "\nTwo objects share a stripe: one pair in N\n%-36s %5s", "", "hash");
    for (size_t i = 0; i < HASHES; i++)
        fprintf(out, " %8s", hashes[i].name);
    fprintf(out, "\n%-34s %7s", "objects", "stripes");
    for (size_t i = 0; i < HASHES; i++)
        fprintf(out, " %8u", 1u << hashes[i].log2);
    fputc('\n', out);
}

/* The chance that of a number of objects that are in use at once some two share a stripe. */
static void print_many(FILE *out)
{
    fprintf(out,
            "\nChance that among objects in use at once some two share a stripe, ideal hash\n"
            "%10s",
            "objects");
    for (unsigned log2 = LOG2_LEAST; log2 <= LOG2_MOST; log2 += LOG2_STEP)
        fprintf(out, " %6u", 1u << log2);
    for (unsigned n = 2; n <= 64; n *= 2) {
        fprintf(out, "\n%10u", n);
        for (unsigned log2 = LOG2_LEAST; log2 <= LOG2_MOST; log2 += LOG2_STEP) {
            double none = 1;
            for (unsigned i = 0; i < n; i++)
                none *= 1 - (double)i / (1 << log2);
            fprintf(out, " %5.1f%%", 100 * (1 - none));
        }
    }
    fputc('\n', out);
}

void share_print(FILE *out)
{
    print_heads(out);
    for (size_t k = 0; k < address_sets_n; k++) {
        const struct address_set *set = &address_sets[k];
        fprintf(out, "%-36s %5zu", set->name, set->n);
        for (size_t i = 0; i < HASHES; i++)
            print_chance(chance(&hashes[i], set, SEEDS), out);
        fputc('\n', out);
    }
    fprintf(out, "%-36s %5d", "array, worst stride up to 4 KiB", WORST_OBJECTS);
    for (size_t i = 0; i < HASHES; i++)
        print_chance(worst_chance(&hashes[i]), out);
    fprintf(out, "\nlibrary: furwock's; product: the same without the fold; line: address / 64\n");
    print_many(out);
}
