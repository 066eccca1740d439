// SPDX-License-Identifier: MIT
#ifndef FURWOCK_GUARDS_HPP
#define FURWOCK_GUARDS_HPP

#include <furwock/thread_safety.h>

namespace fw {

/* std::lock_guard, known to clang's thread safety analysis: furwock/thread_safety.h. */
template <class Lock> class FW_SCOPED_CAPABILITY lock_guard {
  public:
    explicit lock_guard(Lock &lock) FW_ACQUIRE(lock) : lock_(lock)
    {
        lock_.lock();
    }
    lock_guard(const lock_guard &) = delete;
    lock_guard &operator=(const lock_guard &) = delete;
    ~lock_guard() FW_RELEASE()
    {
        lock_.unlock();
    }

  private:
    Lock &lock_;
};

/* The same for reading what others may read, too. */
template <class Lock> class FW_SCOPED_CAPABILITY shared_lock_guard {
  public:
    explicit shared_lock_guard(Lock &lock) FW_ACQUIRE_SHARED(lock) : lock_(lock)
    {
        lock_.lock_shared();
    }
    shared_lock_guard(const shared_lock_guard &) = delete;
    shared_lock_guard &operator=(const shared_lock_guard &) = delete;
    ~shared_lock_guard() FW_RELEASE()
    {
        lock_.unlock_shared();
    }

  private:
    Lock &lock_;
};

} // namespace fw

#endif
