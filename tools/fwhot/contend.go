// SPDX-License-Identifier: MIT

// Goroutines that sleep for a moment with a mutex that all of them want.
package main

import (
	"fmt"
	"os"
	"strconv"
	"sync"
	"time"
)

const seconds = 3

func main() {
	var lock sync.Mutex
	var all sync.WaitGroup
	turns := 0
	threads, _ := strconv.Atoi(os.Args[1])
	until := time.Now().Add(seconds * time.Second)

	for i := 0; i < threads; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			for time.Now().Before(until) {
				lock.Lock()
				time.Sleep(500 * time.Microsecond)
				turns++
				lock.Unlock()
			}
		}()
	}
	all.Wait()
	fmt.Printf("turns %.1f\n", float64(turns)/seconds)
}
