/* SPDX-License-Identifier: MIT */
/* Names of Rust, as rustc 1.95 mangles them. */
#include "command/stat/rust_name.h"

#include <string.h>

#include "support/unit.h"

static const struct {
    const char *symbol, *path;
} rows[] = {
    {"_RNvMNtNtNtNtCsjrHSEGnQ3l9_3std3sys4sync5mutex5futexNtB2_5Mutex14lock_contended",
     "std::sys::sync::mutex::futex::Mutex::lock_contended"},
    {"_RNvNtNtNtNtCsjrHSEGnQ3l9_3std12backtrace_rs9symbolize5gimli3elf17debug_path_exists",
     "std::backtrace_rs::symbolize::gimli::elf::debug_path_exists"},
    {"_RNvXsq_NtCslNYArtu3iFV_5alloc6stringNtB5_6StringNtNtCsgEmfK2I1SDS_4core3fmt7Display3fmt",
     "alloc::string::String::fmt"},
    {"_RNvMs4_NtCslNYArtu3iFV_5alloc7raw_vecNtB5_11RawVecInner14grow_amortizedCsduwmD7cSIQq_5gimli",
     "alloc::raw_vec::RawVecInner::grow_amortized"},
    {"_RNvNvMNtNtCsjrHSEGnQ3l9_3std6thread2idNtB4_8ThreadId3new7COUNTER",
     "std::thread::id::ThreadId::new::COUNTER"},
    {"_RINvMs4_NtCsgY6Mt91CT9J_14rustc_demangle2v0NtB6_7Printer17skipping_printing"
     "NCNvB2_10print_path0EB8_",
     "rustc_demangle::v0::Printer::skipping_printing"},
    {"_RNCNvCs1_4main3run0", "main::run::{closure}"},
    {"_RNvNvMs0_NtNtNtCsjrHSEGnQ3l9_3std3sys6thread4unixNtB7_6Thread3new12thread_start",
     "std::sys::thread::unix::Thread::new::thread_start"},
};

TEST(paths)
{
    char path[200];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_true(rust_name(rows[i].symbol, path, sizeof path));
        assert_string_equal(path, rows[i].path);
    }
}

/* Each beginning, and each with a letter changed: whatever it says, it ends within its bounds. */
TEST(damaged)
{
    char symbol[300], path[64];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t at = 0; at < strlen(rows[i].symbol); at++) {
            strcpy(symbol, rows[i].symbol);
            for (const char *c = "_BNIMs9E"; *c != '\0'; c++) {
                symbol[at] = *c;
                rust_name(symbol, path, sizeof path);
            }
            symbol[at] = '\0';
            rust_name(symbol, path, sizeof path);
        }
    assert_false(rust_name("main", path, sizeof path));
    assert_false(rust_name("_R", path, sizeof path));
    assert_false(rust_name(rows[0].symbol, path, 10));
}

TEST(hashes)
{
    char with[] = "rhot::hot_pl::h45518ff372e93d7d", without[] = "rhot::hot::h45518ff372e93d7";

    rust_cut_hash(with);
    assert_string_equal(with, "rhot::hot_pl");
    rust_cut_hash(without);
    assert_string_equal(without, "rhot::hot::h45518ff372e93d7");
}

UNIT_MAIN(NULL, NULL)
