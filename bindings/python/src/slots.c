/* SPDX-License-Identifier: MIT */
/* Allocation of slots, and what this process knows of them.  slots.h has the reasons. */
#include "slots.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "table.h"

enum { BUCKETS = 1024 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static PyThreadState *let_go; /* of the thread that has the lock, if it has released the GIL */

void fwpy_enter(void)
{
    PyThreadState *released = NULL;

    if (pthread_mutex_trylock(&lock) != 0) {
        released = PyEval_SaveThread();
        pthread_mutex_lock(&lock);
    }
    let_go = released;
}

void fwpy_let_go(void)
{
    if (let_go == NULL)
        let_go = PyEval_SaveThread();
}

void fwpy_leave(void)
{
    PyThreadState *released = let_go;

    let_go = NULL;
    pthread_mutex_unlock(&lock);
    if (released != NULL)
        PyEval_RestoreThread(released);
}

void fwpy_lock_for_fork(void)
{
    pthread_mutex_lock(&lock);
}

void fwpy_unlock_after_fork(void)
{
    let_go = NULL;
    pthread_mutex_unlock(&lock);
}

/* --- Cells ------------------------------------------------------------------------------------ */

static struct fwpy_cell **bucket(struct fwpy_region *r, uint64_t at)
{
    return &r->cells[at / FWPY_SLOT % r->cell_buckets];
}

static struct fwpy_cell *find_cell(struct fwpy_region *r, uint64_t at)
{
    struct fwpy_cell *cell = r->cells == NULL ? NULL : *bucket(r, at);

    while (cell != NULL && cell->at != at)
        cell = cell->next;
    return cell;
}

static struct fwpy_cell *add_cell(struct fwpy_region *r, uint64_t at, uint32_t slots, uint32_t tag)
{
    struct fwpy_cell *cell;

    if (r->cells == NULL) {
        r->cells = calloc(BUCKETS, sizeof(struct fwpy_cell *));
        if (r->cells == NULL)
            return NULL;
        r->cell_buckets = BUCKETS;
    }
    cell = calloc(1, sizeof *cell);
    if (cell == NULL)
        return NULL;
    *cell = (struct fwpy_cell){.at = at, .slots = slots, .tag = tag, .refs = 1};
    cell->next = *bucket(r, at);
    *bucket(r, at) = cell;
    return cell;
}

static void remove_cell(struct fwpy_region *r, struct fwpy_cell *cell)
{
    struct fwpy_cell **link = bucket(r, cell->at);

    while (*link != cell)
        link = &(*link)->next;
    *link = cell->next;
    free(cell);
}

int fwpy_cell_of(struct fwpy_region *r, uint64_t at, struct fwpy_cell **cell)
{
    *cell = find_cell(r, at);
    if (*cell != NULL)
        (*cell)->refs++;
    else
        *cell = add_cell(r, at, 0, 0);
    return *cell == NULL ? ENOMEM : 0;
}

/* --- The table -------------------------------------------------------------------------------- */

static int make_table(void *memory, void *arg)
{
    const struct fwpy_plan *p = arg;
    struct fwpy_table *t = memory;
    struct fwpy_slots s = {.table = t, .plan = *p};

    t->version = FWPY_TABLE_VERSION;
    t->rows = p->rows;
    t->slots = p->slots;
    t->row_limit = FWPY_PINNED + 1;
    fwpy_row_of(&s, FWPY_PINNED)->is_used = 1;
    return fw_ipc_mutex_init(&t->lock);
}

static int find_table(struct fwpy_region *r, struct fwpy_slots *s)
{
    void *memory;
    int error;

    s->plan = fwpy_plan_of(fw_region_size(r->region));
    error = fw_region_object_init(r->region, "furwock.python.slots", FW_REGION_DATA, s->plan.size,
                                  FW_REGION_CREATE, make_table, &s->plan, &memory);
    if (error != 0)
        return error;
    s->table = memory;
    s->base = (uint64_t)((char *)memory - (char *)fw_region_base(r->region));
    if (s->table->version != FWPY_TABLE_VERSION || s->table->slots != s->plan.slots ||
        s->table->rows != s->plan.rows)
        return EPROTO;
    return 0;
}

/* A row for this process, if it has none: with what it has references to. */
static int need_row(struct fwpy_region *r)
{
    struct fwpy_slots *s = r->slots;
    uint64_t *bits;
    int error;

    if (s->row != FWPY_NO_ROW)
        return 0;
    bits = calloc(s->plan.words, sizeof *bits);
    if (bits == NULL)
        return ENOMEM;
    fwpy_bits_of_cells(r, bits);
    error = fwpy_table_take_row(r, bits, &s->row, &s->life);
    if (error == 0)
        fwpy_life_keep_from_children(s->life);
    free(bits);
    return error;
}

/* With the table's lock: frees what has no references any more. */
static void free_slots(struct fwpy_region *r, struct fwpy_cell *cell)
{
    struct fwpy_slots *s = r->slots;
    uint32_t first = (uint32_t)((cell->at - s->base - s->plan.slots_at) / FWPY_SLOT);
    bool is_others = false;

    if (s->row != FWPY_NO_ROW)
        fwpy_clear_bits(fwpy_row_of(s, (unsigned)s->row)->bits, first, cell->slots);
    for (uint32_t i = 0; i < fwpy_row_limit(s) && !is_others; i++)
        is_others = fwpy_row_of(s, i)->is_used != 0 && fwpy_has_bit(fwpy_row_of(s, i)->bits, first);
    if (!is_others)
        fwpy_clear_bits(fwpy_used(s), first, cell->slots);
    remove_cell(r, cell);
}

static void free_dropped(struct fwpy_region *r)
{
    for (unsigned i = 0; r->dropped != 0 && i < r->cell_buckets; i++)
        for (struct fwpy_cell *cell = r->cells[i], *next; cell != NULL; cell = next) {
            next = cell->next;
            if (cell->refs == 0) {
                free_slots(r, cell);
                r->dropped--;
            }
        }
}

static int enter_table(struct fwpy_region *r)
{
    int error = r->slots == NULL ? fwpy_slots_open(r) : 0;

    if (error == 0)
        error = fwpy_table_lock(r, true);
    if (error != 0)
        return error;
    error = need_row(r);
    if (error != 0)
        fwpy_table_unlock(r->slots);
    else
        free_dropped(r);
    return error;
}

int fwpy_slots_open(struct fwpy_region *r)
{
    struct fwpy_slots *s = calloc(1, sizeof *s);
    int error;

    if (s == NULL)
        return ENOMEM;
    s->row = s->child_row = FWPY_NO_ROW;
    error = find_table(r, s);
    if (error != 0)
        free(s);
    else
        r->slots = s;
    return error;
}

void fwpy_slots_close(struct fwpy_region *r)
{
    if (r->slots != NULL) {
        fwpy_life_drop(r->slots->life);
        free(r->slots);
        r->slots = NULL;
    }
    for (unsigned i = 0; i < r->cell_buckets; i++)
        while (r->cells[i] != NULL)
            remove_cell(r, r->cells[i]);
    free(r->cells);
    r->cells = NULL;
}

/* `n` free slots one behind the other, from the hint on and then from the beginning; or NO_ROW. */
static int64_t find_free(const struct fwpy_slots *s, uint32_t n)
{
    const uint64_t *used = fwpy_used(s);
    uint32_t hint = s->table->hint < s->plan.slots ? s->table->hint : 0, run = 0;

    for (uint32_t pass = 0; pass < 2; pass++, run = 0)
        for (uint32_t i = pass == 0 ? hint : 0; i < s->plan.slots; i++) {
            if (run == 0 && i % 64 == 0 && used[i / 64] == UINT64_MAX) {
                i += 63;
                continue;
            }
            run = fwpy_has_bit(used, i) ? 0 : run + 1;
            if (run == n)
                return (int64_t)i - n + 1;
        }
    return -1;
}

static int make_object(struct fwpy_region *r, const struct fwpy_kind *kind,
                       const uint32_t *parameters, uint32_t first, uint32_t n,
                       struct fwpy_cell **cell)
{
    struct fwpy_slots *s = r->slots;
    char *object = fwpy_at(s, s->plan.slots_at + (size_t)first * FWPY_SLOT);
    uint32_t tag = fwpy_tags(s)[first] + (1u << 8);
    int error = 0;

    fwpy_set_bits(fwpy_row_of(s, (unsigned)s->row)->bits, first, n); /* PYS2 */
    fwpy_set_bits(fwpy_used(s), first, n);
    memset(object, 0, (size_t)n * FWPY_SLOT);
    tag = (tag & ~0xffu) | ((uint32_t)kind->kind & 0xffu);
    fwpy_tags(s)[first] = tag; /* PYS5 */
    if (kind->init != NULL)
        error = kind->init(object, parameters);
    *cell = error != 0
                ? NULL
                : add_cell(r, s->base + s->plan.slots_at + (uint64_t)first * FWPY_SLOT, n, tag);
    if (*cell == NULL) {
        fwpy_clear_bits(fwpy_row_of(s, (unsigned)s->row)->bits, first, n);
        fwpy_clear_bits(fwpy_used(s), first, n);
        return error != 0 ? error : ENOMEM;
    }
    s->table->hint = first + n;
    return 0;
}

int fwpy_slots_new(struct fwpy_region *r, const struct fwpy_kind *kind, const uint32_t *parameters,
                   struct fwpy_cell **cell)
{
    size_t size = kind->size(parameters);
    uint32_t n = (uint32_t)((size + FWPY_SLOT - 1) / FWPY_SLOT);
    int error = enter_table(r);
    int64_t first;

    if (error != 0)
        return error;
    first = find_free(r->slots, n);
    if (first < 0 && fwpy_table_sweep(r) != 0)
        first = find_free(r->slots, n);
    error = first < 0 ? ENOSPC : make_object(r, kind, parameters, (uint32_t)first, n, cell);
    fwpy_table_unlock(r->slots);
    return error;
}

int fwpy_slots_attach(struct fwpy_region *r, uint64_t at, uint32_t slots, uint32_t tag,
                      struct fwpy_cell **cell)
{
    int error = enter_table(r);
    struct fwpy_slots *s = r->slots;
    uint64_t first;

    if (error != 0)
        return error;
    first = (at - s->base - s->plan.slots_at) / FWPY_SLOT;
    *cell = find_cell(r, at);
    if (at % FWPY_SLOT != 0 || at < s->base + s->plan.slots_at || slots == 0 ||
        first >= s->plan.slots || slots > s->plan.slots - first)
        error = EINVAL;
    else if (!fwpy_has_bit(fwpy_used(s), (uint32_t)first) || fwpy_tags(s)[first] != tag ||
             (*cell != NULL && (*cell)->slots != slots))
        error = ESTALE;
    else if (*cell != NULL)
        (*cell)->refs++;
    else if ((*cell = add_cell(r, at, slots, tag)) == NULL)
        error = ENOMEM;
    else
        fwpy_set_bits(fwpy_row_of(s, (unsigned)s->row)->bits, (uint32_t)first, slots);
    fwpy_table_unlock(s);
    return error;
}

void fwpy_cell_drop(struct fwpy_region *r, struct fwpy_cell *cell)
{
    if (--cell->refs > 0)
        return;
    if (cell->slots == 0) {
        remove_cell(r, cell);
        return;
    }
    if (fwpy_table_lock(r, false) != 0) {
        r->dropped++;
        return;
    }
    free_slots(r, cell);
    free_dropped(r);
    fwpy_table_unlock(r->slots);
}

int fwpy_slots_collect(struct fwpy_region *r, size_t *freed)
{
    int error = enter_table(r);

    if (error != 0)
        return error;
    *freed = fwpy_table_sweep(r);
    fwpy_table_unlock(r->slots);
    return 0;
}

int fwpy_slots_count(struct fwpy_region *r, size_t *total, size_t *used)
{
    int error = enter_table(r);

    if (error != 0)
        return error;
    *total = r->slots->plan.slots;
    *used = fwpy_table_used(r->slots);
    fwpy_table_unlock(r->slots);
    return 0;
}
