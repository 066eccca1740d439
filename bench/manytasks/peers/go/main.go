// SPDX-License-Identifier: MIT

// manytasks, the peer in Go: sync.Mutex, and a goroutine for each task.  As run.hpp has it.
package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"sort"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

const samples = 100000

type count struct {
	value uint64
	_     [56]byte
}

func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		fmt.Fprintf(os.Stderr, "%s is no number from 1 to 100000000\n", text)
		os.Exit(2)
	}
	return n
}

func resident() int64 {
	var all, pages int64
	file, err := os.Open("/proc/self/statm")
	if err != nil {
		panic(err)
	}
	defer file.Close()
	if _, err := fmt.Fscan(file, &all, &pages); err != nil {
		panic(err)
	}
	return pages * int64(os.Getpagesize())
}

func cpu() float64 {
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		panic(err)
	}
	return float64(use.Utime.Nano()+use.Stime.Nano()) / 1e9
}

func waitFor(n *int32, tasks int) {
	for int(atomic.LoadInt32(n)) != tasks {
		time.Sleep(200 * time.Microsecond)
	}
}

type chooser uint64

func (x *chooser) next(below int) int {
	*x ^= *x << 13
	*x ^= *x >> 7
	*x ^= *x << 17
	return int((uint64(*x) >> 32) % uint64(below))
}

func main() {
	if len(os.Args) < 6 {
		fmt.Fprintln(os.Stderr, "usage: manytasks TASKS LOCKS THREADS PASSES SEED")
		os.Exit(2)
	}
	tasks, locks, threads := number(os.Args[1]), number(os.Args[2]), number(os.Args[3])
	passes, seed := number(os.Args[4]), number(os.Args[5])
	runtime.GOMAXPROCS(threads)
	each := samples / tasks
	if each > passes {
		each = passes
	}
	if each < 1 {
		each = 1
	}
	every := passes / each
	waits := make([]int64, tasks*each)
	mutexes, counts := make([]sync.Mutex, locks), make([]count, locks)
	var arrived, ended int32
	for i := range mutexes {
		mutexes[i].Lock()
	}
	debug.FreeOSMemory()
	before := resident()
	for task := 0; task < tasks; task++ {
		go func(task int) {
			choose := chooser(uint64(seed)*0x9e3779b97f4a7c15 + uint64(task) + 1)
			choose.next(1)
			choose.next(1)
			atomic.AddInt32(&arrived, 1)
			for pass := 0; pass < passes; pass++ {
				i := task % locks
				if pass != 0 {
					i = choose.next(locks)
				}
				kept := pass != 0 && pass%every == every-1 && pass/every < each
				var asked time.Time
				if kept {
					asked = time.Now()
				}
				mutexes[i].Lock()
				if kept {
					waits[task*each+pass/every] = int64(time.Since(asked))
				}
				counts[i].value++
				runtime.Gosched()
				mutexes[i].Unlock()
			}
			atomic.AddInt32(&ended, 1)
		}(task)
	}
	waitFor(&arrived, tasks)
	time.Sleep(20 * time.Millisecond)
	bytes := resident() - before
	used, begun := cpu(), time.Now()
	for i := range mutexes {
		mutexes[i].Unlock()
	}
	waitFor(&ended, tasks)
	seconds := time.Since(begun).Seconds()
	used = cpu() - used
	report(counts, waits, tasks, passes, seconds, used, float64(bytes)/float64(tasks))
}

func report(counts []count, waits []int64, tasks, passes int, seconds, used, bytes float64) {
	var sum uint64
	for i := range counts {
		sum += counts[i].value
	}
	if sum != uint64(tasks)*uint64(passes) {
		fmt.Fprintf(os.Stderr, "%d passes were counted: there is no exclusion\n", sum)
		os.Exit(1)
	}
	kept := waits[:0]
	for _, wait := range waits {
		if wait != 0 {
			kept = append(kept, wait)
		}
	}
	sort.Slice(kept, func(a, b int) bool { return kept[a] < kept[b] })
	at := func(part float64) int64 {
		if len(kept) == 0 {
			return 0
		}
		return kept[int(part*float64(len(kept)-1))]
	}
	fmt.Printf("{\"locks\": %d, \"seconds\": %.9f, \"cpu_seconds\": %.9f, \"bytes\": %.1f, "+
		"\"operation_bytes\": 0, \"wait_ns\": [%d, %d, %d]}\n",
		sum, seconds, used, bytes, at(0.5), at(0.99), at(1))
}
