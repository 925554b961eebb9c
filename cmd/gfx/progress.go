package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"
)

// slowAfter is the running time after which a step shows its progress.
const slowAfter = 2 * time.Second

// working shows the progress of a long step on a terminal: one line on standard
// error that counts seconds, unless the output itself is written to the
// terminal. The returned function removes the line.
func working(cmd *cobra.Command, step, output string) (done func()) {
	return workingOn(cmd, func() string { return step }, output)
}

// workingOn is working with a text of one line that may change.
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
