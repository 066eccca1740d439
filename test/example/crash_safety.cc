// SPDX-License-Identifier: MIT
// The bank of doc/guide/crash-safety.md is C++, too.
#include "crash_safety_example.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <unistd.h>

int main()
{
    const std::string name = "/furwock-bank-" + std::to_string(getpid());
    bank b;
    bool is_good = open_bank(name.c_str(), &b) == 0;

    fw_region_remove(name.c_str());
    is_good = is_good && transfer(&b, 7) == 0 && b.account[0] == -7 && b.account[1] == 7;
    std::printf("%ld %ld\n", b.account[0], b.account[1]);
    return is_good ? EXIT_SUCCESS : EXIT_FAILURE;
}
