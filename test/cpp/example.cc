// SPDX-License-Identifier: MIT
#include <furwock.hpp>

#include <cstdio>
#include <deque>
#include <optional>
#include <thread>

#include "furwock_example.hpp"

/* The example of furwock.hpp: two threads empty the queue that a third one fills. */
int main()
{
    enum { ITEMS = 1000, CONSUMERS = 2 };
    queue q;
    long sums[CONSUMERS] = {};
    std::thread consumers[CONSUMERS];

    for (int i = 0; i < CONSUMERS; i++)
        consumers[i] = std::thread([&q, &sum = sums[i]] {
            while (std::optional<int> item = q.get())
                sum += *item;
        });
    for (int item = 1; item <= ITEMS; item++)
        q.put(item);
    q.close();
    for (std::thread &t : consumers)
        t.join();
    std::printf("sums: %ld, %ld\n", sums[0], sums[1]);
    return sums[0] + sums[1] == ITEMS * (ITEMS + 1L) / 2 ? 0 : 1;
}
