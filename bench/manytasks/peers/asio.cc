// SPDX-License-Identifier: MIT
/* Asio has no lock; its users are told to take a channel of one place: who sends has the lock. */
#include "run.hpp"

#include <asio.hpp>
#include <asio/experimental/concurrent_channel.hpp>

#include "pin.h"

#include <memory>

namespace {

/* (Of void(error_code) alone Asio 1.22 has two specialisations, and cannot choose.) */
using channel = asio::experimental::concurrent_channel<void(asio::error_code, int)>;

struct library {
    asio::io_context context;
    std::vector<std::unique_ptr<channel>> locks;

    explicit library(unsigned n)
    {
        for (unsigned i = 0; i < n; i++)
            locks.push_back(std::make_unique<channel>(context, 1));
    }

    auto lock(unsigned i)
    {
        return locks[i]->async_send(asio::error_code(), 0, asio::use_awaitable);
    }

    auto yield()
    {
        return asio::post(context, asio::use_awaitable);
    }

    void hold(unsigned i)
    {
        if (!locks[i]->try_send(asio::error_code(), 0))
            std::abort();
    }

    void unlock(unsigned i)
    {
        if (!locks[i]->try_receive([](asio::error_code, int) {}))
            std::abort();
    }

    void let_go(unsigned i)
    {
        unlock(i);
    }
};

} // namespace

int main(int argc, char **argv)
{
    manytasks::run r(argc, argv);
    library all(r.locks);
    auto work = asio::make_work_guard(all.context);
    std::vector<std::thread> threads;

    for (unsigned i = 0; i < r.threads; i++)
        threads.emplace_back([&all, i] {
            pin_if_wanted(i);
            all.context.run();
        });
    const int status = manytasks::conduct(all, r, [&](unsigned task) {
        asio::co_spawn(all.context, manytasks::body<asio::awaitable<void>>(all, r, task),
                       asio::detached);
    });
    work.reset();
    for (std::thread &t : threads)
        t.join();
    return status;
}
