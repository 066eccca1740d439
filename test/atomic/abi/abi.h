/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_ATOMIC_ABI_H
#define FW_TEST_ATOMIC_ABI_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The functions of libatomic, as tables: of the library that the program is linked with.  The
 * calls are real ones; a compiler that sees __atomic_load_4 would put an instruction there.
 *
 * All values are passed by address, so that the sizes 1 to 16 look alike.
 */

enum modify { MODIFY_ADD, MODIFY_SUB, MODIFY_AND, MODIFY_OR, MODIFY_XOR, MODIFY_NAND, N_MODIFY };

extern const char *const modify_names[N_MODIFY];

/* The functions that end in _1 _2 _4 _8 _16. */
struct abi_sized {
    size_t size;
    void (*load)(const void *object, void *out, int order);
    void (*store)(void *object, const void *value, int order);
    void (*exchange)(void *object, const void *value, void *out, int order);
    bool (*compare_exchange)(void *object, void *expected, const void *desired, int success,
                             int failure);
    void (*fetch_modify[N_MODIFY])(void *object, const void *operand, void *out, int order);
    void (*modify_fetch[N_MODIFY])(void *object, const void *operand, void *out, int order);
    bool (*test_and_set)(void *object, int order);
};

enum { N_SIZED = 5 };

struct abi {
    void (*load)(size_t n, const void *object, void *out, int order);
    void (*store)(size_t n, void *object, const void *value, int order);
    void (*exchange)(size_t n, void *object, const void *value, void *out, int order);
    bool (*compare_exchange)(size_t n, void *object, void *expected, const void *desired,
                             int success, int failure);
    bool (*is_lock_free)(size_t n, const void *object);
    struct abi_sized sized[N_SIZED]; /* of 1, 2, 4, 8 and 16 bytes */
    void (*raise_exceptions)(int exceptions);
    void (*thread_fence)(int order);
    void (*signal_fence)(int order);
    bool (*flag_test_and_set)(volatile void *flag);
    bool (*flag_test_and_set_explicit)(volatile void *flag, int order);
    void (*flag_clear)(volatile void *flag);
    void (*flag_clear_explicit)(volatile void *flag, int order);
};

extern const struct abi linked_abi;

#endif
