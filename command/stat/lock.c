/* SPDX-License-Identifier: MIT */
/* One lock of furwock run --stat: a line of the table with what belongs under it, or an object. */
#include <inttypes.h>
#include <string.h>

#include "show.h"

/* At most this many are shown in text; JSON has all. */
enum { SITES = 4, HOLDERS = 4, CALLERS = 4 };

enum { NAME = -30, KIND = -18, FIGURE = 9 }; /* widths of columns */

static unsigned percent(uint64_t part, uint64_t whole)
{
    return whole != 0 ? (unsigned)((double)part / (double)whole * 100 + 0.5) : 0;
}

/* --- Calls that led there --------------------------------------------------------------------- */

/* What the C library calls first is of no interest. */
static bool is_beginning(struct locations *locations, uint64_t address)
{
    static const char *const first[] = {"start_thread", "__libc_start_call_main",
                                        "__libc_start_main", "_start"};
    struct location location = locations_call(locations, address);

    for (unsigned i = 0; i < sizeof first / sizeof *first; i++)
        if (location.symbol != NULL && strncmp(location.symbol, first[i], strlen(first[i])) == 0)
            return true;
    return false;
}

/* "      called by f (x.c:1) < g < h" */
static void print_chain(const struct printer *p, const struct fw_stat_chain_ *c,
                        struct locations *locations)
{
    char word[STAT_WORD];

    if (c == NULL || c->depth < 2 || is_beginning(locations, c->frames[1]))
        return;
    print_words(p, "            called by");
    for (unsigned i = 1; i < c->depth && i <= CALLERS && !is_beginning(locations, c->frames[i]);
         i++)
        print_words(p, "%s %s", i > 1 ? " <" : "", stat_call_at(locations, c->frames[i], word));
    print_words(p, "\n");
}

static json_t *chain_json(const struct fw_stat_chain_ *c, struct locations *locations)
{
    json_t *calls = json_array();

    for (unsigned i = 1; c != NULL && i < c->depth; i++)
        json_array_append_new(calls, stat_call_json(locations, c->frames[i]));
    return calls;
}

/* --- Where threads wait for it ---------------------------------------------------------------- */

struct site {
    uint64_t waits, ns;
    const struct fw_stat_site_ *at;
    bool is_repeated; /* the one before is of the same call */
};

static const struct print_field site_fields[] = {
    {PRINT_FIELD("waits", NULL, PRINT_U64, site, waits)},
    {PRINT_FIELD("ns", NULL, PRINT_U64, site, ns)},
};

static void end_site(const struct printer *p, const void *record, const void *context)
{
    const struct site *site = record;
    const struct stat_lock *l = context;
    const struct fw_stat_site_ *at = site->at;
    const struct fw_stat_chain_ *chain = stat_chain(l->process, l->index, at->waiter);
    char word[STAT_WORD];

    if (p->json != NULL) {
        print_member(p, "waiter", stat_call_json(l->locations, at->waiter));
        print_member(p, "holder", stat_call_json(l->locations, at->holder));
        print_member(p, "callers", chain_json(chain, l->locations));
        return;
    }
    print_words(p, "    %3u %%  in %s", percent(site->ns, l->ns),
                stat_call_at(l->locations, at->waiter, word));
    if (at->holder != 0)
        print_words(p, ", while taken in %s", stat_call_at(l->locations, at->holder, word));
    print_words(p, "\n");
    if (!site->is_repeated)
        print_chain(p, chain, l->locations);
}

static const struct print_record site_record = PRINT_RECORD(site_fields, end_site);

static void print_sites(const struct printer *p, const struct stat_lock *l)
{
    static uint16_t found[FW_STAT_SITES];
    static struct site sites[FW_STAT_SITES];
    unsigned most = p->json != NULL ? FW_STAT_SITES : l->is_brief ? 1 : SITES;
    unsigned n = stat_sites(l->process, l->index, found, most);

    for (unsigned i = 0; i < n; i++) {
        const struct fw_stat_site_ *at = &l->process->file->sites[found[i]];
        sites[i] = (struct site){.waits = at->waits,
                                 .ns = at->ns,
                                 .at = at,
                                 .is_repeated = i > 0 && at->waiter == sites[i - 1].at->waiter};
    }
    print_list(p, "sites", &site_record, sites, n, sizeof *sites, l);
}

/* --- The holders meanwhile -------------------------------------------------------------------- */

static json_t *holder_json(const struct stat_process *p, const struct fw_stat_holder_ *h)
{
    json_t *one = stat_thread_json(p, (uint32_t)h->key);

    json_object_set_new(one, "waits", json_integer((json_int_t)h->waits));
    json_object_set_new(one, "ns", json_integer((json_int_t)h->ns));
    return one;
}

static void print_holders(const struct printer *p, const struct stat_lock *l)
{
    static uint16_t found[FW_STAT_HOLDERS];
    unsigned n =
        stat_holders(l->process, l->index, found, p->json != NULL ? FW_STAT_HOLDERS : HOLDERS);
    json_t *all = json_array();
    char word[STAT_WORD];

    for (unsigned i = 0; i < n; i++) {
        const struct fw_stat_holder_ *h = &l->process->file->holders[found[i]];
        if (p->json != NULL)
            json_array_append_new(all, holder_json(l->process, h));
        print_words(p, "%s %s, %u %%", i == 0 ? "           held by" : ";",
                    stat_thread_at(l->process, (uint32_t)h->key, word), percent(h->ns, l->ns));
    }
    if (n != 0)
        print_words(p, "\n");
    print_member(p, "holders", all);
}

/* --- The lock --------------------------------------------------------------------------------- */

/* [[least ns, waits], ...] of the buckets that have any. */
static json_t *histogram_json(const struct fw_stat_lock_ *l)
{
    json_t *all = json_array();

    for (unsigned i = 0; i < FW_STAT_BUCKETS; i++)
        if (l->histogram[i] != 0)
            json_array_append_new(all, json_pack("[I,I]", (json_int_t)fw_stat_least_(i),
                                                 (json_int_t)l->histogram[i]));
    return all;
}

static void end_lock(const struct printer *p, const void *record, const void *context)
{
    const struct stat_lock *l = record;
    const struct fw_stat_lock_ *counted = &l->process->file->locks[l->index];

    (void)context;
    print_words(p, "\n");
    if (l->failed != 0)
        print_words(p, "           %" PRIu64 " of them timed out or failed\n", l->failed);
    print_sites(p, l);
    if (p->json != NULL || !l->is_brief)
        print_holders(p, l);
    if (p->json == NULL)
        return;
    print_member(p, "object", stat_lock_json(l->locations, counted->key));
    print_member(p, "histogram_ns", histogram_json(counted));
}

#define TIME .width = FIGURE, .format = stat_format_time

static const struct print_field lock_fields[] = {
    {PRINT_FIELD(NULL, "lock", PRINT_ARRAY, stat_lock, name), .width = NAME, .before = "  "},
    {PRINT_FIELD("kind", "kind", PRINT_ARRAY, stat_lock, kind), .width = KIND},
    {PRINT_FIELD("is_lock", NULL, PRINT_BOOL, stat_lock, is_lock)},
    {PRINT_FIELD("waits", "waits", PRINT_U64, stat_lock, waits), .width = FIGURE},
    {PRINT_FIELD("failed", NULL, PRINT_U64, stat_lock, failed)},
    {PRINT_FIELD("ns", "waited", PRINT_U64, stat_lock, ns), TIME},
    {PRINT_FIELD("p50_ns", "p50", PRINT_U64, stat_lock, half), TIME},
    {PRINT_FIELD("p99_ns", "p99", PRINT_U64, stat_lock, most), TIME},
    {PRINT_FIELD("longest_ns", "longest", PRINT_U64, stat_lock, longest), TIME},
};
static const struct print_record lock_record = PRINT_RECORD(lock_fields, end_lock);

/* The header of the table of locks, or of the others. */
static void print_title(const struct printer *p, bool is_lock)
{
    struct print_field fields[sizeof lock_fields / sizeof *lock_fields];
    struct print_record title = PRINT_RECORD(fields, NULL);

    memcpy(fields, lock_fields, sizeof fields);
    if (!is_lock)
        fields[0].title = "condition/event";
    print_words(p, "\n");
    print_header(p, &title);
}

void stat_print_lock(const struct printer *p, struct stat_lock *l, bool is_first)
{
    const struct fw_stat_lock_ *counted = &l->process->file->locks[l->index];

    stat_lock_at(l->locations, counted->key, l->name);
    fw_inspect_kind_(counted, l->kind, sizeof l->kind);
    l->is_lock = stat_is_lock(counted->key);
    l->waits = counted->waits;
    l->failed = counted->failed;
    l->ns = counted->ns;
    l->half = stat_percentile(counted, 0.5);
    l->most = stat_percentile(counted, 0.99);
    l->longest = counted->longest;
    if (is_first)
        print_title(p, l->is_lock);
    print_append(p, "locks", &lock_record, l, NULL);
}
