/* SPDX-License-Identifier: MIT */
/*
 * A service in C++: worker threads, a queue of requests with a deadline, and a cache that many read
 * and few write.  The classes have the names and the meaning of the standard's, and work with its
 * guards.
 *
 *     $ c++ -std=c++17 -o service service.cc $(pkg-config --cflags --libs furwock)
 *     $ ./service
 *     300 answers; each of 10 keys was computed once
 */
#include <chrono>
#include <deque>
#include <functional>
#include <iostream>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include <furwock.hpp>

using namespace std::chrono_literals;

/* Threads that run functions; the destructor runs what is left, and joins them. */
class pool {
  public:
    explicit pool(unsigned workers)
    {
        while (workers-- > 0)
            threads_.emplace_back([this] { work(); });
    }

    ~pool()
    {
        {
            std::lock_guard hold(lock_);
            is_closed_ = true;
        }
        is_ready_.notify_all();
        for (auto &thread : threads_)
            thread.join();
    }

    /* Returns false if the lock could not be had in time: the caller sheds the load. */
    bool submit(std::function<void()> job, std::chrono::milliseconds patience)
    {
        std::unique_lock hold(lock_, patience);
        if (!hold)
            return false;
        jobs_.push_back(std::move(job));
        is_ready_.notify_one();
        return true;
    }

  private:
    void work()
    {
        std::unique_lock hold(lock_);
        for (;;) {
            is_ready_.wait(hold, [this] { return is_closed_ || !jobs_.empty(); });
            if (jobs_.empty())
                return;
            auto job = std::move(jobs_.front());
            jobs_.pop_front();
            hold.unlock();
            job();
            hold.lock();
        }
    }

    fw::mutex lock_;
    fw::condition_variable is_ready_;
    std::deque<std::function<void()>> jobs_;
    std::vector<std::thread> threads_;
    bool is_closed_ = false;
};

class cache {
  public:
    long get(int key)
    {
        {
            std::shared_lock reading(lock_);
            if (auto found = values_.find(key); found != values_.end())
                return found->second;
        }
        std::lock_guard writing(lock_);
        auto [found, is_new] = values_.try_emplace(key, 0);
        if (is_new) {
            found->second = long{key} * key;
            computed_++;
        }
        return found->second;
    }

    int computed() const
    {
        return computed_;
    }

  private:
    fw::shared_mutex lock_; /* phase-fair: neither readers nor writers starve */
    std::unordered_map<int, long> values_;
    int computed_ = 0;
};

int main()
{
    constexpr int requests = 300, keys = 10;
    cache squares;
    fw::latch answered(requests);
    fw::counting_semaphore<> right(0);
    {
        pool workers(4);
        for (int i = 0; i < requests; i++) {
            auto job = [&, key = i % keys] {
                if (squares.get(key) == long{key} * key)
                    right.release();
                answered.count_down();
            };
            while (!workers.submit(job, 100ms))
                std::cerr << "overloaded: once more\n";
        }
        answered.wait();
    }
    int answers = 0;
    while (right.try_acquire())
        answers++;
    std::cout << answers << " answers; each of " << squares.computed()
              << " keys was computed once\n";
    return answers == requests ? 0 : 1;
}
