// SPDX-License-Identifier: MIT
#include <cstdio>
#include <mutex>

#include <furwock.hpp>

static fw::mutex mutex;
static fw::once_flag once;

int main()
{
    std::lock_guard guard(mutex);

    fw::call_once(once, [] { std::puts("furwock is ready"); });
    return 0;
}
