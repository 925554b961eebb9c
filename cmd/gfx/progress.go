package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"
)

// slowAfter is how long a step may take before it shows that it is running.
const slowAfter = 2 * time.Second

// working shows on a terminal that a step takes long, one line on standard
// error that counts seconds, unless the output itself goes to the terminal. The
// function that it gives takes the line away.
func working(cmd *cobra.Command, step, output string) (done func()) {
	return workingOn(cmd, func() string { return step }, output)
}

// workingOn is working with a text that may change, of one line.
func workingOn(cmd *cobra.Command, step func() string, output string) (done func()) {
	w := cmd.ErrOrStderr()
	if !isTerminal(w) || output == "-" && isTerminal(cmd.OutOrStdout()) {
		return func() {}
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		start := time.Now()
		select {
		case <-stop:
			return
		case <-time.After(slowAfter):
		}
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			fmt.Fprintf(w, "\r%s … %d s\x1b[K", step(), int(time.Since(start).Seconds()))
			select {
			case <-stop:
				fmt.Fprint(w, "\r\x1b[K")
				return
			case <-tick.C:
			}
		}
	}()
	return func() {
		close(stop)
		<-stopped
	}
}
