// SPDX-License-Identifier: MIT
/* The same in C++: furwock/guards.hpp, members of classes. */
#include <furwock.hpp>
#include <furwock/guards.hpp>

class account {
  public:
    void deposit(long amount)
    {
        fw::lock_guard<fw::mutex> hold(mutex_);
        balance_ += amount;
    }

    bool try_deposit(long amount)
    {
        if (!mutex_.try_lock_for(std::chrono::milliseconds(1)))
            return false;
        balance_ += amount;
        mutex_.unlock();
        return true;
    }

    void wait_for_money(long amount) FW_NO_THREAD_SAFETY_ANALYSIS // std::unique_lock has none
    {
        std::unique_lock<fw::mutex> hold(mutex_);

        if (!changed_.wait_for(hold, std::chrono::seconds(0),
                               [&]() FW_NO_THREAD_SAFETY_ANALYSIS { return balance_ >= amount; }))
            changed_.wait(hold, [] { return true; });
    }

    long rate()
    {
        fw::shared_lock_guard<fw::shared_mutex> hold(shared_);
        return rate_;
    }

    void set_rate(long rate)
    {
        shared_.lock_upgrade();
        if (rate != rate_) {
            shared_.upgrade();
            rate_ = rate;
            shared_.downgrade_upgradable();
        }
        shared_.unlock_upgrade();
    }

    long route()
    {
        fw::shared_lock_guard<fw::brlock> hold(routes_);
        return route_;
    }

    void wrong()
    {
#if WRONG == 1
        balance_++;
#elif WRONG == 2
        mutex_.lock();
#elif WRONG == 3
        fw::shared_lock_guard<fw::shared_mutex> hold(shared_);
        rate_++;
#elif WRONG == 4
        if (mutex_.try_lock())
            mutex_.unlock_fair();
        else
            balance_++;
#endif
    }

  private:
    fw::mutex mutex_;
    fw::condition_variable changed_;
    fw::recursive_mutex recursive_;
    fw::shared_mutex shared_;
    fw::brlock routes_;
    long balance_ FW_GUARDED_BY(mutex_) = 0;
    long rate_ FW_GUARDED_BY(shared_) = 0;
    long route_ FW_GUARDED_BY(routes_) = 0;
};

int main()
{
    account a;

    a.deposit(1);
    a.set_rate(2);
    a.wait_for_money(5);
    a.wrong();
    return !a.try_deposit(3) || a.rate() != 2 || a.route() != 0;
}
