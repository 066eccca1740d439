// SPDX-License-Identifier: MIT
// Threads that meet on a monitor, on a lock with a condition, at a queue, and in pairs that hand
// over to each other.  Each kind runs for a number of milliseconds and checks its own count.
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

public class Contend {
    interface Work {
        /** Does one piece; returns how many operations it was. */
        long once(int thread) throws InterruptedException;
    }

    static volatile boolean stop;
    static boolean good = true;

    static void run(String name, int threads, long ms, Work work, java.util.function.LongSupplier
            count) throws InterruptedException {
        AtomicLong done = new AtomicLong();
        List<Thread> all = new ArrayList<>();
        stop = false;
        long begun = System.nanoTime();
        for (int i = 0; i < threads; i++) {
            int me = i;
            Thread t = new Thread(() -> {
                long mine = 0;
                try {
                    while (!stop)
                        mine += work.once(me);
                } catch (InterruptedException e) {
                    good = false;
                }
                done.addAndGet(mine);
            });
            all.add(t);
            t.start();
        }
        Thread.sleep(ms);
        stop = true;
        for (Thread t : all)
            t.join();
        double seconds = (System.nanoTime() - begun) / 1e9;
        if (count.getAsLong() != done.get()) {
            System.out.println(name + ": " + done.get() + " done, " + count.getAsLong() + " found");
            good = false;
        }
        System.out.printf("%s %.0f%n", name, done.get() / seconds);
    }

    static long plain, guarded;

    static void monitor(int threads, long ms) throws InterruptedException {
        Object lock = new Object();
        run("monitor", threads, ms, me -> {
            synchronized (lock) {
                plain++;
                if (plain % 64 == 0)
                    lock.notifyAll();
                else if (plain % 64 == 1)
                    lock.wait(1);
            }
            return 1;
        }, () -> plain);
    }

    static void lock(int threads, long ms) throws InterruptedException {
        ReentrantLock lock = new ReentrantLock();
        Condition turn = lock.newCondition();
        run("lock", threads, ms, me -> {
            lock.lock();
            try {
                guarded++;
                if (guarded % 64 == 0)
                    turn.signalAll();
                else if (guarded % 64 == 1)
                    turn.await(1, TimeUnit.MILLISECONDS);
            } finally {
                lock.unlock();
            }
            return 1;
        }, () -> guarded);
    }

    static void queue(int threads, long ms) throws InterruptedException {
        ArrayBlockingQueue<Integer> queue = new ArrayBlockingQueue<>(16);
        AtomicLong put = new AtomicLong(), taken = new AtomicLong();
        run("queue", threads, ms, me -> {
            if (me % 2 == 0) {
                if (!queue.offer(me, 1, TimeUnit.MILLISECONDS))
                    return 0;
                put.incrementAndGet();
            } else {
                if (queue.poll(1, TimeUnit.MILLISECONDS) == null)
                    return 0;
                taken.incrementAndGet();
            }
            return 1;
        }, () -> put.get() == taken.get() + queue.size() ? put.get() + taken.get() : -1);
    }

    static void handoff(int threads, long ms) throws InterruptedException {
        SynchronousQueue<Integer> queue = new SynchronousQueue<>();
        AtomicLong put = new AtomicLong(), taken = new AtomicLong();
        run("handoff", threads, ms, me -> {
            if (me % 2 == 0) {
                if (!queue.offer(me, 1, TimeUnit.MILLISECONDS))
                    return 0;
                put.incrementAndGet();
            } else {
                if (queue.poll(1, TimeUnit.MILLISECONDS) == null)
                    return 0;
                taken.incrementAndGet();
            }
            return 1;
        }, () -> put.get() == taken.get() ? put.get() + taken.get() : -1);
    }

    public static void main(String[] words) throws InterruptedException {
        int threads = Integer.parseInt(words[0]);
        long ms = Long.parseLong(words[1]);
        monitor(threads, ms);
        lock(threads, ms);
        queue(threads, ms);
        handoff(threads, ms);
        System.out.println(good ? "good" : "bad");
        System.exit(good ? 0 : 1);
    }
}
