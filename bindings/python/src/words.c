/* SPDX-License-Identifier: MIT */
/* The words that an event loop watches.  Contract: words.h. */
#include "words.h"

#include <stdlib.h>

#include "ipc/region/agent.h"

enum word_kind { WORD_OBJECT, WORD_LIFE, WORD_BESIDE, WORD_ALARM };

struct fwpy_word {
    struct fw_kernel_wait_ wait; /* first */
    struct fwpy_word *next;
    const uint32_t *at;
    uint32_t users;
    enum word_kind kind;
    const uint32_t *alarm;                 /* of one beside an object: the region's */
    const struct fw_ipc_mapping_ *mapping; /* of an alarm: the region's, whose agent is used */
};

enum { FIRST_BUCKETS = 64 };

static struct fwpy_word **bucket_of(struct fwpy_word **table, uint32_t buckets, const uint32_t *at)
{
    uint64_t hash = ((uintptr_t)at >> 2) * UINT64_C(0x9e3779b97f4a7c15);

    return &table[(uint32_t)(hash >> 32) & (buckets - 1)];
}

int fwpy_words_open(struct fwpy_words *ws)
{
    int error;

    *ws = (struct fwpy_words){.buckets = FIRST_BUCKETS};
    ws->table = calloc(FIRST_BUCKETS, sizeof(struct fwpy_word *));
    if (ws->table == NULL)
        return ENOMEM;
    error = fw_engine_open_(&ws->engine, FW_ENGINE_AUTO_);
    if (error != 0)
        free(ws->table);
    return error;
}

/*
 * PYA4.  If there is no agent, what a killed process takes with it is found by those that look at
 * intervals.
 */
static void use_agent(struct fwpy_word *word, const struct fw_ipc_mapping_ *mapping)
{
    struct fw_ipc_me_ agent;

    if (word->mapping != NULL)
        return;
    word->mapping = mapping;
    fw_ipc_agent_use_(mapping);
    (void)fw_ipc_agent_(mapping, &agent);
}

static void free_word(struct fwpy_word *word, bool is_child)
{
    if (word->mapping != NULL && !is_child)
        fw_ipc_agent_unuse_(word->mapping);
    free(word);
}

void fwpy_words_close(struct fwpy_words *ws, bool is_child)
{
    if (ws->engine == NULL)
        return;
    if (is_child)
        fw_engine_forget_(ws->engine);
    else
        fw_engine_close_(ws->engine);
    ws->engine = NULL;
    for (uint32_t i = 0; i < ws->buckets; i++)
        while (ws->table[i] != NULL) {
            struct fwpy_word *word = ws->table[i];
            ws->table[i] = word->next;
            if (!is_child) /* it may have taken a wake with it */
                fw_ipc_wake_(word->at, word->kind == WORD_OBJECT ? 1 : FW_FUTEX_ALL);
            free_word(word, is_child);
        }
    free(ws->table);
}

/* --- The table -------------------------------------------------------------------------------- */

static void drop(struct fwpy_words *ws, struct fwpy_word *word)
{
    struct fwpy_word **link = bucket_of(ws->table, ws->buckets, word->at);

    while (*link != word)
        link = &(*link)->next;
    *link = word->next;
    ws->count--;
    free_word(word, false);
}

static int grow(struct fwpy_words *ws)
{
    uint32_t buckets = 2 * ws->buckets;
    struct fwpy_word **table = calloc(buckets, sizeof(struct fwpy_word *));

    if (table == NULL)
        return ENOMEM;
    for (uint32_t i = 0; i < ws->buckets; i++)
        while (ws->table[i] != NULL) {
            struct fwpy_word *word = ws->table[i];
            struct fwpy_word **bucket = bucket_of(table, buckets, word->at);
            ws->table[i] = word->next;
            word->next = *bucket;
            *bucket = word;
        }
    free(ws->table);
    ws->table = table;
    ws->buckets = buckets;
    return 0;
}

static struct fwpy_word *add(struct fwpy_words *ws, const uint32_t *at, enum word_kind kind)
{
    struct fwpy_word *word, **bucket;

    if (ws->count >= ws->buckets && grow(ws) != 0)
        return NULL;
    word = calloc(1, sizeof *word);
    if (word == NULL)
        return NULL;
    bucket = bucket_of(ws->table, ws->buckets, at);
    word->next = *bucket;
    word->at = at;
    word->kind = kind;
    *bucket = word;
    ws->count++;
    return word;
}

/* One more user; armed, if it is not.  NULL: no memory. */
static struct fwpy_word *use(struct fwpy_words *ws, const uint32_t *at, enum word_kind kind,
                             uint32_t expected)
{
    struct fwpy_word *word = *bucket_of(ws->table, ws->buckets, at);

    while (word != NULL && word->at != at)
        word = word->next;
    if (word == NULL)
        word = add(ws, at, kind);
    if (word == NULL)
        return NULL;
    word->users++;
    if (!word->wait.is_armed)
        fw_engine_arm_(ws->engine, &word->wait, at, expected);
    return word;
}

/* PYA3 */
static void unuse(struct fwpy_words *ws, struct fwpy_word *word)
{
    if (word == NULL || --word->users != 0)
        return;
    if (word->wait.is_armed)
        fw_engine_disarm_(ws->engine, &word->wait);
    else
        drop(ws, word);
}

/* --- Of tasks --------------------------------------------------------------------------------- */

static void release(struct fwpy_words *ws, const struct fwpy_watches *watches)
{
    unuse(ws, watches->word);
    unuse(ws, watches->alarm);
    unuse(ws, watches->beside);
    for (unsigned i = 0; i < watches->lives; i++)
        unuse(ws, watches->life[i]);
}

static int watch_life(struct fwpy_words *ws, struct fwpy_watches *watches, struct fwpy_look *look,
                      uint64_t holder)
{
    const struct fw_ipc_participant_ *m = fw_ipc_participant_of_(look->mapping, holder);
    uint64_t life = m != NULL ? fw_load64_acquire(&m->life) : 0;
    struct fwpy_word *word;

    if (life >> 32 != holder >> 32 || (life & FW_ROBUST_OWNER) == 0)
        return EAGAIN;
    if ((life & FW_ROBUST_WAITERS) == 0) {
        look->rechecks = true; /* the kernel does not know it */
        return 0;
    }
    word = use(ws, fw_ipc_life_half_(m), WORD_LIFE, (uint32_t)life);
    if (word == NULL)
        return ENOMEM;
    watches->life[watches->lives++] = word;
    return 0;
}

int fwpy_words_watch(struct fwpy_words *ws, struct fwpy_watches *watches, struct fwpy_look *look)
{
    const uint32_t *alarm = &look->mapping->head->alarm;
    struct fwpy_watches next = {
        .word = use(ws, look->word, WORD_OBJECT, look->expected),
        .alarm = use(ws, alarm, WORD_ALARM, fw_load32_relaxed(alarm)),
    };
    int error = next.word != NULL && next.alarm != NULL ? 0 : ENOMEM;

    if (next.alarm != NULL)
        use_agent(next.alarm, look->mapping);
    if (look->beside != NULL && error == 0) {
        next.beside = use(ws, look->beside, WORD_BESIDE, look->beside_expected);
        error = next.beside != NULL ? 0 : ENOMEM;
        if (error == 0)
            next.beside->alarm = alarm;
    }
    for (unsigned i = 0; i < look->holders && error == 0; i++)
        error = watch_life(ws, &next, look, look->holder[i]);
    release(ws, watches);
    *watches = next;
    return error;
}

bool fwpy_words_is_told(const struct fwpy_watches *watches)
{
    return watches->word != NULL && !watches->word->wait.is_armed; /* PYA3 */
}

void fwpy_words_leave(struct fwpy_words *ws, struct fwpy_watches *watches)
{
    const uint32_t *at = watches->word != NULL ? watches->word->at : NULL;

    release(ws, watches);
    *watches = (struct fwpy_watches){.lives = 0};
    if (at != NULL)
        fw_ipc_wake_(at, 1);
}

bool fwpy_words_flush(struct fwpy_words *ws)
{
    return fw_engine_flush_(ws->engine);
}

bool fwpy_words_reap(struct fwpy_words *ws)
{
    struct fw_kernel_wait_ *back = fw_engine_reap_(ws->engine), *next;
    bool any = false;

    for (; back != NULL; back = next) {
        struct fwpy_word *word = (struct fwpy_word *)(void *)back;
        bool is_told = back->told == FW_TOLD_LOOK_;
        next = back->next;
        if (is_told && word->kind == WORD_BESIDE) /* ICV6: whose life it was is not known */
            fw_ipc_wake_(word->alarm, FW_FUTEX_ALL);
        else if (is_told && word->kind != WORD_OBJECT) /* PYA2 */
            fw_ipc_wake_(word->at, FW_FUTEX_ALL);
        any |= is_told || word->users != 0;
        if (word->users == 0) {
            if (is_told && word->kind == WORD_OBJECT) /* PYA1 */
                fw_ipc_wake_(word->at, 1);
            drop(ws, word);
        }
    }
    return any;
}
