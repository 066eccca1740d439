/* SPDX-License-Identifier: MIT */
/*
 * The two libraries, and for every other lock a shim: one lock, under which an object is copied,
 * or compared and copied.  All shims are the same text; only the lock differs.
 */
#include <pthread.h>
#include <stdalign.h>
#include <string.h>

#include <furwock/mutex.h>

#include "atomic/word_lock.h"
#include "bench/classics/gustedt.h"
#include "bench/classics/gustedt_text.h"
#include "bench/classics/musl.h"
#include "lifo.h"
#include "sys/clock.h"

enum { LINE_PAIR = 128 };

/* --- A spin lock ----------------------------------------------------------------------------- */

/* Polls between two tries, so that those who wait do not fight for the cache line. */
static void spin_lock(uint32_t *word)
{
    while (__atomic_exchange_n(word, 1, __ATOMIC_ACQUIRE) != 0)
        while (__atomic_load_n(word, __ATOMIC_RELAXED) != 0)
            fw_pause_();
}

static void spin_unlock(uint32_t *word)
{
    __atomic_store_n(word, 0, __ATOMIC_RELEASE);
}

/* --- The shims ------------------------------------------------------------------------------- */

/* A lock alone on its cache lines, and STEM_calls.  The statements see the lock as `l`. */
#define SHIM(stem, type, initial, lock_statement, unlock_statement)                    \
    static struct {                                                                    \
        alignas(LINE_PAIR) type lock;                                                  \
    } stem##_shim = {initial};                                                         \
                                                                                       \
    static void stem##_load(size_t size, const void *object, void *out, int order)     \
    {                                                                                  \
        type *l = &stem##_shim.lock;                                                   \
        (void)order; /* a lock gives the strongest */                                  \
        lock_statement;                                                                \
        memcpy(out, object, size);                                                     \
        unlock_statement;                                                              \
    }                                                                                  \
                                                                                       \
    static bool stem##_compare_exchange(size_t size, void *object, void *expected,     \
                                        const void *desired, int success, int failure) \
    {                                                                                  \
        type *l = &stem##_shim.lock;                                                   \
        (void)success;                                                                 \
        (void)failure;                                                                 \
        lock_statement;                                                                \
        bool same = memcmp(object, expected, size) == 0;                               \
        if (same)                                                                      \
            memcpy(object, desired, size);                                             \
        else                                                                           \
            memcpy(expected, object, size);                                            \
        unlock_statement;                                                              \
        return same;                                                                   \
    }                                                                                  \
                                                                                       \
    static const struct libatomics stem##_calls = {.load = stem##_load,                \
                                                   .compare_exchange = stem##_compare_exchange};

/* The classics are for the threads of a process here, as those they are compared with. */
#define LISTING1_FREE      \
    {                      \
        0, CLASSIC_PRIVATE \
    }
#define TEXT_FREE             \
    {                         \
        0, CLASSIC_PRIVATE, 1 \
    } /* primitives_offer() calibrates it */
#define MUSL_UNUSED           \
    {                         \
        0, 0, CLASSIC_PRIVATE \
    }

SHIM(futex, fw_word_lock, FW_WORD_LOCK_INIT, fw_word_lock_lock_(l), fw_word_lock_unlock_(l))
SHIM(listing1, classic_gustedt, LISTING1_FREE, classic_gustedt_lock(l, GUSTEDT_SPINS),
     classic_gustedt_unlock(l))
SHIM(text, classic_gustedt_text, TEXT_FREE, classic_gustedt_text_lock(l),
     classic_gustedt_text_unlock(l))
SHIM(mutex, pthread_mutex_t, PTHREAD_MUTEX_INITIALIZER, pthread_mutex_lock(l),
     pthread_mutex_unlock(l))
SHIM(furwock_mutex, fw_mutex, FW_MUTEX_INIT, fw_mutex_lock(l), fw_mutex_unlock(l))
SHIM(musl, classic_musl, MUSL_UNUSED, classic_musl_lock(l), classic_musl_unlock(l))
SHIM(spin, uint32_t, 0, spin_lock(l), spin_unlock(l))

/* --- The list -------------------------------------------------------------------------------- */

enum { BLOCKING = ADAPTER_BLOCKS | ADAPTER_SPINS };

#define PRIMITIVE(name_, about_, family_, flags_, calls_)                           \
    {                                                                               \
        .name = (name_), .about = (about_), .family = (family_), .flags = (flags_), \
        .calls = (calls_), .code = &stack_code                                      \
    }
#define BY_CLANG(name_, about_, family_, flags_)                                    \
    {                                                                               \
        .name = (name_), .about = (about_), .family = (family_), .flags = (flags_), \
        .compiler = LIFO_CLANG, .code = CLANG_CODE                                  \
    }

/* The stack by clang, where the build found one. */
#ifdef LIFO_CLANG
extern const struct stack_code stack_code_clang;
#define CLANG_CODE &stack_code_clang
#else
#define LIFO_CLANG NULL
#define CLANG_CODE NULL
#endif

#if defined(__clang__)
static const char own_compiler[] = "clang " __clang_version__;
#else
static const char own_compiler[] = "gcc " __VERSION__;
#endif

/* The libraries' calls are filled in once they are open. */
static struct primitive all[] = {
    PRIMITIVE("furwock", "furwock's library for generic atomics", FAMILY_FURWOCK, BLOCKING, NULL),
    PRIMITIVE("native", "the compiler's library, libatomic", FAMILY_RIVAL, ADAPTER_BLOCKS, NULL),
    BY_CLANG("furwock-clang", "furwock's library and the stack, compiled by clang", FAMILY_FURWOCK,
             BLOCKING),
    BY_CLANG("native-clang", "libatomic, called from a stack compiled by clang", FAMILY_RIVAL,
             ADAPTER_BLOCKS),
    PRIMITIVE("futex", "the lock of furwock's library, without its other ways to load",
              FAMILY_FURWOCK, BLOCKING, &futex_calls),
    PRIMITIVE("listing1", "the lock of Gustedt 2016, Listing 1, as published", FAMILY_CLASSIC,
              BLOCKING, &listing1_calls),
    PRIMITIVE("gustedt-text", "the same by its text: spins first, E calibrated (section 3)",
              FAMILY_CLASSIC, BLOCKING, &text_calls),
    PRIMITIVE("mutex", "pthread_mutex", FAMILY_RIVAL, ADAPTER_BLOCKS, &mutex_calls),
    PRIMITIVE("furwock-mutex", "fw_mutex", FAMILY_FURWOCK, BLOCKING, &furwock_mutex_calls),
    PRIMITIVE("musl", "the strategy of musl's low-level lock (Gustedt 2016, section 4.4)",
              FAMILY_CLASSIC, BLOCKING, &musl_calls),
    PRIMITIVE("spin", "a spin lock by atomic exchange (Gustedt 2016, section 4.2)", FAMILY_CLASSIC,
              ADAPTER_SPINS, &spin_calls),
};

enum { COUNT = sizeof all / sizeof *all };

static const char *library_of(const struct primitive *p)
{
    return strncmp(p->name, "native", strlen("native")) == 0 ? "libatomic" : p->name;
}

json_t *primitives_compilers(const struct bench_catalogue *c)
{
    json_t *all_of_them = json_object();

    for (size_t i = 0; i < c->n; i++) {
        const struct primitive *p = (const void *)c->locks[i];
        json_object_set_new(all_of_them, p->name,
                            json_string(p->compiler != NULL ? p->compiler : own_compiler));
    }
    return all_of_them;
}

void primitives_offer(struct bench_catalogue *c)
{
    static const struct primitive *here[COUNT + 1];
    static struct missing_adapter missing[COUNT + 1];
    static char reasons[COUNT][160];
    size_t n_here = 0, n_missing = 0;
    const char *why;

    text_shim.lock.spins = classic_gustedt_text_spins();
    for (size_t i = 0; i < COUNT; i++) {
        struct primitive *p = &all[i];
        if (p->code == NULL)
            why = "clang is not installed, or is the compiler of all";
        else if (p->calls == NULL)
            p->calls = libatomics_open(library_of(p), &why);
        if (p->calls != NULL) {
            here[n_here++] = p;
            continue;
        }
        snprintf(reasons[n_missing], sizeof reasons[0], "%s", why);
        missing[n_missing] = (struct missing_adapter){p->name, reasons[n_missing]};
        n_missing++;
    }
    bench_offer(c, here, missing);
}
