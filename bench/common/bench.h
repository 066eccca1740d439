/* SPDX-License-Identifier: MIT */
#ifndef FW_BENCH_COMMON_H
#define FW_BENCH_COMMON_H

#include <argp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include "bench/adapters/adapter_head.h"
#include "measure/stats.h"

/*
 * What the benchmarks share: the command line, the taking of turns, statistics, tables and the
 * result file.
 *
 * An experiment has points: sets of parameters, as 256 waiters and a section of 2 us.  At each
 * point some locks compete.  A repetition runs every lock once at every point, each time starting
 * with another.  So whatever slows the machine for a while slows all of them, and the ratio of two
 * locks is taken within a repetition.
 */
enum { BENCH_LOCKS_MAX = 64, BENCH_NOTES_MAX = 16, BENCH_EXIT_USAGE = 2 };

/* What a benchmark can run, and what it could run if it were here. */
struct bench_catalogue {
    const adapter_head *locks[BENCH_LOCKS_MAX];
    size_t n;
    const struct missing_adapter *missing[BENCH_LOCKS_MAX];
    size_t n_missing;
};

/* What one run found. */
struct bench_run {
    double seconds;   /* per unit of the benchmark */
    double voluntary; /* context switches per piece */
    double involuntary;
};

/* One lock at one point. */
struct bench_entry {
    const adapter_head *lock;
    struct bench_run *runs; /* one of each repetition */
    double system_calls;    /* per piece; NAN: not counted */
    double fences;          /* membarrier, calls per second; NAN: not counted */
    unsigned faults;        /* what went wrong, and was mended */
    const char *fault;
};

struct bench_point {
    char title[96];     /* as tables show it */
    json_t *parameters; /* as the result file has them */
    double pieces;      /* into which tables divide a unit */
    double run_seconds; /* about, of one run of one lock; 0: not known */
    const void *detail; /* the benchmark's own */
    struct bench_entry *entries;
    size_t n;
    size_t baseline; /* the entry whose time is 1; SIZE_MAX: none */
};

struct bench {
    const char *name;
    const char *unit;  /* for what the seconds of a run are: "round" */
    const char *piece; /* "waiter"; NULL: a unit has no pieces */
    struct bench_catalogue catalogue;
    struct bench_point *points;
    size_t n;
    unsigned repetitions; /* wanted, of this sitting */
    unsigned finished;    /* done */
    unsigned done;        /* before this sitting (--resume) */
    double spent;         /* seconds, of those */
    double seconds;       /* of this sitting */
    json_t *earlier;      /* the result so far; NULL: none */
    double budget;        /* seconds after which no repetition begins once there are six; 0: none */
    const char *no_system_calls; /* why they are not counted; "": they are */
    char notes[BENCH_NOTES_MAX][160];
    size_t n_notes;
    json_t *settings; /* of the program, for the result file; may be NULL */

    /* Runs a lock once.  False, with a line on standard error: it cannot be run here. */
    bool (*run)(struct bench_point *point, struct bench_entry *entry, struct bench_run *out);

    /* Its own tables in place of the common ones; tables after them; members of a cell.  Each may
     * be NULL. */
    void (*print_points)(const struct bench *b, FILE *out);
    void (*print_more)(const struct bench *b, FILE *out);
    void (*describe)(const struct bench *b, const struct bench_point *p,
                     const struct bench_entry *e, json_t *cell);
};

/* --- cli.c ----------------------------------------------------------------------------------- */

/* Set by an interrupt: the repetition under way is dropped, the others count. */
extern volatile sig_atomic_t bench_interrupted;

/* Names the program in every message; from now on an interrupt only sets bench_interrupted. */
void bench_begin(const char *program);

/* Sleeps for that time, or until soon after an interrupt. */
void bench_sleep_ns(uint64_t ns);

/* "program: ..." on standard error; bench_die exits with BENCH_EXIT_USAGE then. */
void bench_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
void bench_die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/* The number that an option was given; refuses anything else by the name of the option. */
unsigned long bench_number(const char *option, const char *text, unsigned long least,
                           unsigned long most);

/* The same for several: "100,256,1000".  How many there are; more than `max` are refused. */
size_t bench_numbers(const char *option, const char *text, unsigned long least, unsigned long most,
                     unsigned *list, size_t max);

/* --cpus and --pin: a child parser without input, which needs nothing else of a benchmark. */
extern const struct argp bench_cpus_argp;

/* The options that all have: those, --json, --resume, --list, --repeat, --budget, and names. */
struct bench_options {
    const char *json;
    unsigned repetitions; /* 0: not told */
    double budget;
    bool list, resume, dry_run;
    const char *names[BENCH_LOCKS_MAX];
    size_t n;
};
extern const struct argp bench_argp; /* a child parser; its input is a struct bench_options */

/* --- catalogue.c ----------------------------------------------------------------------------- */

/* `list`: an adapter_list of any family; NULL-terminated, as `missing` is in its own way. */
void bench_offer(struct bench_catalogue *c, const void *list,
                 const struct missing_adapter *missing);

/* Prints the catalogue and exits where --list was given; refuses names that it does not have. */
void bench_check_names(const struct bench_catalogue *c, const struct bench_options *o);

/* Whether a lock takes part: it was named, or none was, or all are compared with it. */
bool bench_wanted(const struct bench_options *o, const char *name, const char *baseline);

/* --- experiment.c ----------------------------------------------------------------------------- */

/* Another point, without locks; steals the parameters. */
struct bench_point *bench_add_point(struct bench *b, double pieces, json_t *parameters);
void bench_add_entry(struct bench_point *p, const adapter_head *lock, const char *baseline);

/* A line for whoever reads the result; it is told on standard error at once. */
void bench_note(struct bench *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Takes turns, prints the table, writes the result file.  Returns the exit status. */
int bench_whole(struct bench *b, const struct bench_options *o);

/* Frees its points and settings, as bench_whole does at its end. */
void bench_release(struct bench *b);

/* Whether this run is made to count system calls: its time is not used. */
extern bool bench_counts_calls;

/* --- resume.c -------------------------------------------------------------------------------- */

/*
 * Goes on with the result in the file, if there is one: what was done before does not have to be
 * done again, and its time is part of the budget.  Refuses what is of other points, of another
 * benchmark or of another machine.
 */
void bench_resume(struct bench *b, const char *path);

/* The result of this sitting together with what there was before; steals and returns. */
json_t *bench_joined(const struct bench *b, json_t *now);

/* --- fit.c ----------------------------------------------------------------------------------- */

/*
 * The length of a run: `ms`, and with more tasks than CPUs not less than several turns of the
 * scheduler (measure/turns.h), unless it is to be exactly that.  Then it may be too short to say
 * much: that is asked, and noted, with the option that made it so.
 */
unsigned bench_run_ms(unsigned tasks, unsigned ms, bool is_exact);
bool bench_is_short(unsigned tasks, unsigned ms);
void bench_tell_short(struct bench *b, unsigned tasks, unsigned ms, const char *option);

/* What a repetition takes, in seconds, by what its points say. */
double bench_expected(const struct bench *b);

/*
 * Leaves out points until the least number of repetitions fits the budget: those with the longest
 * runs first.  Notes which.  Where the points do not say how long their runs are, nothing.
 */
void bench_fit(struct bench *b);
void bench_drop_point(struct bench *b, size_t i);

/* --- tally.c --------------------------------------------------------------------------------- */

/* What all threads but the calling one have done. */
struct tally {
    uint64_t voluntary; /* context switches */
    uint64_t involuntary;
    uint64_t system_calls; /* of the calling thread, too; 0 unless bench_counts_calls */
    uint64_t fences;       /* calls of membarrier among these */
    uint64_t ns;           /* the time; between two: what passed */
};
void tally_read(struct tally *t);
struct tally tally_between(const struct tally *before, const struct tally *now);
struct tally tally_since(const struct tally *before);

/* What to put into `out` and `entry`, given how many pieces were done meanwhile. */
void tally_share(const struct tally *t, double pieces, struct bench_entry *entry,
                 struct bench_run *out);

/* Opened before the threads whose calls are to be counted start.  False: they cannot be. */
bool tally_open(const char **why);
void tally_close(void);

/* --- figures.c ------------------------------------------------------------------------------- */

struct bench_figures {
    unsigned n;
    double median, low, high;      /* seconds per unit, with the interval of the median */
    struct stats_ratio ratio;      /* to the baseline; NAN: none */
    double voluntary, involuntary; /* medians, per piece */
};
struct bench_figures bench_figures(const struct bench *b, const struct bench_point *p,
                                   const struct bench_entry *e);

/* The rival with the least median time; NULL: none. */
const struct bench_entry *bench_best_rival(const struct bench *b, const struct bench_point *p);

/* --- table.c and result.c -------------------------------------------------------------------- */

void bench_print(const struct bench *b, FILE *out);
void bench_print_machine(FILE *out);
json_t *bench_machine_json(void);
json_t *bench_made_json(void); /* made.c: of which sources, in which state of the machine */
json_t *bench_interval_json(double low, double high); /* null: none */
json_t *bench_missing_json(const struct missing_adapter *const *missing, size_t n);
const char *bench_family_name(enum adapter_family family);
json_t *bench_json(const struct bench *b);

/* Opens a result file before anything is measured, or refuses. */
int bench_open_json(const char *path);
int bench_write_json(json_t *root, int fd); /* steals root.  0, or -1 with errno */

#endif
