// SPDX-License-Identifier: MIT
#include <furwock/coro.hpp>

#include "check.hpp"

#include "furwock_coro_example.hpp"

/* The example of coro.hpp: money goes to and fro, and none is lost. */
int main()
{
    enum { TRANSFERS = 1000 };
    account a, b;
    fw::latch finished(TRANSFERS + 1);
    fw::co::loop loop;

    a.balance = b.balance = 100;
    in_threads(2, [&](int i) {
        fw::co::loop here;

        for (int n = 0; n < TRANSFERS / 2; n++)
            here.run(i == 0 ? transfer(a, b, n % 7, finished) : transfer(b, a, n % 5, finished));
    });
    CHECK(!loop.run(transfer(a, b, 201, finished)));
    CHECK(finished.try_wait() && a.balance + b.balance == 200);
    return 0;
}
