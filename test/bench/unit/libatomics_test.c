/* SPDX-License-Identifier: MIT */
#include "test/support/unit.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "bench/adapters/libatomics.h"

TEST(unknown_name_is_refused)
{
    const char *why = NULL;
    assert_null(libatomics_open("libquantum", &why));
    assert_non_null(strstr(why, "libquantum"));
    assert_null(libatomics_open("libquantum", NULL));
}

TEST(says_which_file_is_missing)
{
    const char *why = NULL;
    setenv("LIBATOMICS_IPC", "/nowhere/libnone.so", 1);
    assert_null(libatomics_open("ipc", &why));
    assert_non_null(strstr(why, "/nowhere/libnone.so"));
    unsetenv("LIBATOMICS_IPC");
}

TEST(says_which_function_is_missing)
{
    const char *why = NULL;
    setenv("LIBATOMICS_IPC", "libc.so.6", 1);
    assert_null(libatomics_open("ipc", &why));
    assert_non_null(strstr(why, "__atomic_load"));
    unsetenv("LIBATOMICS_IPC");
}

/* Each call, once, on an object that no instruction covers, and on a pair. */
static void use(const struct libatomics *library)
{
    char object[24] = "abc", value[24] = "xyz", out[24];
    library->load(24, object, out, __ATOMIC_SEQ_CST);
    assert_string_equal(out, "abc");
    library->store(24, object, value, __ATOMIC_SEQ_CST);
    assert_string_equal(object, "xyz");
    char next[24] = "uvw";
    library->exchange(24, object, next, out, __ATOMIC_SEQ_CST);
    assert_string_equal(out, "xyz");
    assert_false(
        library->compare_exchange(24, object, value, out, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
    assert_string_equal(value, "uvw");
    assert_true(
        library->compare_exchange(24, object, value, out, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
    assert_string_equal(object, "xyz");
    assert_false(library->is_lock_free(24, NULL));

    libatomics_u128 pair __attribute__((aligned(16))) = 1, expected = 2;
    assert_true(library->load_16(&pair, __ATOMIC_SEQ_CST) == 1);
    library->store_16(&pair, 2, __ATOMIC_SEQ_CST);
    assert_true(library->exchange_16(&pair, 3, __ATOMIC_SEQ_CST) == 2);
    assert_false(
        library->compare_exchange_16(&pair, &expected, 4, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
    assert_true(expected == 3);
    assert_non_null(libatomics_symbol(library, "__atomic_fetch_add_8"));
    assert_null(libatomics_symbol(library, "__atomic_fetch_add_3"));
}

TEST(libraries_work_side_by_side)
{
    const struct libatomics *seen[8] = {NULL};
    size_t found = 0;
    for (size_t i = 0; libatomics_names[i] != NULL && strcmp(libatomics_names[i], "ipc") != 0;
         i++) {
        const char *why = NULL;
        const struct libatomics *library = libatomics_open(libatomics_names[i], &why);
        if (library == NULL) {
            print_message("left out: %s\n", why);
            continue;
        }
        assert_string_equal(library->name, libatomics_names[i]);
        assert_ptr_equal(library, libatomics_open(libatomics_names[i], NULL));
        use(library);
        for (size_t j = 0; j < found; j++) {
            assert_ptr_not_equal(seen[j]->load, library->load);
            assert_string_not_equal(seen[j]->path, library->path);
        }
        seen[found++] = library;
    }
    if (found == 0) {
        skip();
    }
}

UNIT_MAIN(NULL, NULL)
