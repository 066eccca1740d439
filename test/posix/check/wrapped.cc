// SPDX-License-Identifier: MIT
//
// A cycle of two std::mutex on the heap, among others that are locked in any order, each by
// std::scoped_lock, which is no fault.  Not optimised: all locks go through the same functions of
// the C++ library.
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

struct account {
    std::mutex lock;
    int value = 0;
};

using accounts = std::vector<std::unique_ptr<account>>;

static void transfer(account &from, account &to)
{
    std::scoped_lock both(from.lock, to.lock);

    from.value--;
    to.value++;
}

static void in_order(account &first, account &second)
{
    std::lock_guard<std::mutex> one(first.lock);
    std::lock_guard<std::mutex> other(second.lock);

    first.value += second.value;
}

static void in_no_order(account &first, account &second)
{
    std::lock_guard<std::mutex> one(first.lock);
    std::lock_guard<std::mutex> other(second.lock);

    first.value -= second.value;
}

int main()
{
    enum { ACCOUNTS = 10 };
    accounts all;

    for (int i = 0; i < ACCOUNTS; i++)
        all.push_back(std::make_unique<account>());
    std::thread([&all] {
        for (int i = 0; i + 1 < ACCOUNTS; i++) {
            transfer(*all[i], *all[i + 1]);
            in_order(*all[i], *all[i + 1]);
        }
    }).join();
    std::thread([&all] {
        for (int i = 0; i + 1 < ACCOUNTS; i++)
            transfer(*all[i + 1], *all[i]);
        in_no_order(*all[5], *all[4]);
    }).join();
    return 0;
}
