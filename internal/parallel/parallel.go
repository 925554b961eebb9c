// Package parallel runs the parts of one task concurrently.
package parallel

import "sync"

// Run calls f(0) to f(n-1) and waits for all of them. The caller's goroutine
// runs the last call, and each other call has its own goroutine. If calls
// panic, Run panics in the caller's goroutine with the value of one of them.
func Run(n int, f func(i int)) {
	var group sync.WaitGroup
	var once sync.Once
	var reason any
	run := func(i int) {
		defer func() {
			if r := recover(); r != nil {
				once.Do(func() { reason = r })
			}
		}()
		f(i)
	}
	for i := range n - 1 {
		group.Go(func() { run(i) })
	}
	if n > 0 {
		run(n - 1)
	}
	group.Wait()
	if reason != nil {
		panic(reason)
	}
}
