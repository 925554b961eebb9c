// Package parallel runs parts of one piece of work at the same time.
package parallel

import "sync"

// Run calls f(0) to f(n-1), each in a goroutine of its own but for the last, which the
// caller runs. It returns when all have. When some of them panic, Run panics in the caller's
// goroutine with the value of one of them.
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
