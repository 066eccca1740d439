// SPDX-License-Identifier: MIT
// Threads that work on SQLite databases in memory: all through one connection ("one"), each through
// its own to a shared cache ("cache"), or each with a database of its own ("own"), where they still
// meet at the allocator.  Every increment must be found at the end.
#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const char SHARED[] = "file:work?mode=memory&cache=shared";

enum { ROWS = 64, THREADS_MOST = 256, READS = 8 };

static sqlite3 *common;
static char kind;
static atomic_int stop;
static atomic_ulong updates, operations, found_own;

static void fail(sqlite3 *db, const char *what)
{
    printf("%s: %s\n", what, sqlite3_errmsg(db));
    exit(1);
}

static sqlite3 *opened(const char *name)
{
    sqlite3 *db;
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI |
                SQLITE_OPEN_FULLMUTEX | SQLITE_OPEN_SHAREDCACHE;
    if (sqlite3_open_v2(name, &db, flags, NULL) != SQLITE_OK)
        fail(db, "open");
    sqlite3_extended_result_codes(db, 1);
    return db;
}

static sqlite3_stmt *prepared(sqlite3 *db, const char *text)
{
    sqlite3_stmt *made;
    for (;;) {
        int code = sqlite3_prepare_v2(db, text, -1, &made, NULL);
        if (code == SQLITE_OK)
            return made;
        if ((code & 0xff) != SQLITE_LOCKED && (code & 0xff) != SQLITE_BUSY)
            fail(db, text);
    }
}

/// Runs one statement on a row.  A shared cache may refuse: then nothing has happened.
static int done(sqlite3 *db, sqlite3_stmt *statement, int row)
{
    sqlite3_bind_int(statement, 1, row);
    int code = sqlite3_step(statement) & 0xff;
    sqlite3_reset(statement);
    if (code == SQLITE_DONE || code == SQLITE_ROW)
        return 1;
    if (code != SQLITE_LOCKED && code != SQLITE_BUSY)
        fail(db, "step");
    return 0;
}

static void fill(sqlite3 *db)
{
    sqlite3_exec(db, "create table t(id integer primary key, n integer)", NULL, NULL, NULL);
    sqlite3_stmt *insert = prepared(db, "insert into t values(?, 0)");
    for (int row = 0; row < ROWS; row++)
        done(db, insert, row);
    sqlite3_finalize(insert);
}

static unsigned long sum_of(sqlite3 *db)
{
    sqlite3_stmt *sum = prepared(db, "select sum(n) from t");
    sqlite3_step(sum);
    unsigned long found = (unsigned long)sqlite3_column_int64(sum, 0);
    sqlite3_finalize(sum);
    return found;
}

static void *work(void *seed)
{
    unsigned state = (unsigned)(size_t)seed * 2654435761u + 1;
    sqlite3 *db = kind == 'c' ? opened(SHARED) : kind == 'o' ? opened(":memory:") : common;
    if (kind == 'o')
        fill(db);
    sqlite3_stmt *update = prepared(db, "update t set n = n + 1 where id = ?");
    sqlite3_stmt *read = prepared(db, "select n from t where id = ?");
    unsigned long written = 0, all = 0;
    while (!atomic_load(&stop)) {
        state = state * 1664525u + 1013904223u;
        int row = (int)(state >> 16) % ROWS;
        int writes = all % READS == 0;
        if (done(db, writes ? update : read, row)) {
            written += (unsigned long)writes;
            all++;
        }
    }
    sqlite3_finalize(update);
    sqlite3_finalize(read);
    if (kind == 'o')
        atomic_fetch_add(&found_own, sum_of(db));
    if (kind != '1')
        sqlite3_close(db);
    atomic_fetch_add(&updates, written);
    atomic_fetch_add(&operations, all);
    return NULL;
}

int main(int count, char **words)
{
    int threads = count == 4 ? atoi(words[2]) : 0, ms = count == 4 ? atoi(words[3]) : 0;
    if (threads < 1 || threads > THREADS_MOST || ms < 1) {
        printf("usage: sqlite_threads 1|cache|own THREADS MILLISECONDS\n");
        return 2;
    }
    kind = words[1][0];
    common = opened(SHARED);
    if (kind != 'o')
        fill(common);
    pthread_t made[THREADS_MOST];
    for (int i = 0; i < threads; i++)
        pthread_create(&made[i], NULL, work, (void *)(size_t)(i + 1));
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000L}, NULL);
    atomic_store(&stop, 1);
    for (int i = 0; i < threads; i++)
        pthread_join(made[i], NULL);
    unsigned long found = kind == 'o' ? atomic_load(&found_own) : sum_of(common);
    sqlite3_close(common);
    printf("rate %.0f\n", (double)atomic_load(&operations) * 1000 / ms);
    if (found != atomic_load(&updates)) {
        printf("lost: %lu updates, %lu found\n", atomic_load(&updates), found);
        return 1;
    }
    printf("good\n");
    return 0;
}
