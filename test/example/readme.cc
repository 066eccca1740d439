// SPDX-License-Identifier: MIT
// README's account, by two threads.
#include "readme_cpp.h"

#include <cstdlib>
#include <thread>

int main()
{
    account a;
    std::thread other([&] {
        a.deposit(60);
        a.deposit(50);
    });

    a.withdraw(100);
    other.join();
    return a.balance == 10 ? EXIT_SUCCESS : EXIT_FAILURE;
}
