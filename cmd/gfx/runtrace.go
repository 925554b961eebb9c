package main

import (
	"bufio"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/gfx-toolchain/gfx/internal/kernelrun"
)

// traceFlags select the instructions to trace, and the destination.
type traceFlags struct {
	file  string
	wave  int
	group string
	pc    string
}

func (f *traceFlags) defineFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.file, "trace", "", "write every executed instruction to standard error or a `file`")
	flags.Lookup("trace").NoOptDefVal = "-"
	flags.IntVar(&f.wave, "trace-wave", -1, "trace only the wave with this `number` in its work-group")
	flags.StringVar(&f.group, "trace-group", "", "trace only the work-group `X,Y,Z`")
	flags.StringVar(&f.pc, "trace-pc", "", "trace only the addresses `LO:HI`, as shown by gfx dis")
}

// options converts the flags to the filter.
func (f *traceFlags) options(o *kernelrun.Options) error {
	if f.file == "" {
		if f.wave >= 0 || f.group != "" || f.pc != "" {
			return usageErrorf("--trace-wave, --trace-group and --trace-pc require --trace")
		}
		return nil
	}
	var group [3]uint32
	if f.group != "" {
		if _, err := parseDims("trace-group", f.group, group[:], 0, 1<<32-1); err != nil {
			return err
		}
	}
	if f.pc != "" {
		pcs, err := parseRange(f.pc)
		if err != nil {
			return err
		}
		o.TracePC = pcs
	}
	anyGroup, wave := f.group == "", f.wave
	o.Simulator.TraceFilter = func(g [3]uint32, w int, _ uint64) bool {
		return (anyGroup || g == group) && (wave < 0 || w == wave)
	}
	return nil
}

// parseRange parses LO:HI, hexadecimal with or without 0x.
func parseRange(text string) (*[2]uint64, error) {
	lo, hi, ok := strings.Cut(text, ":")
	var pcs [2]uint64
	for i, word := range []string{lo, hi} {
		n, err := strconv.ParseUint(strings.TrimPrefix(word, "0x"), 16, 64)
		if err != nil || !ok {
			return nil, usageErrorf("--trace-pc=%s: expected two hexadecimal addresses LO:HI", text)
		}
		pcs[i] = n
	}
	if pcs[0] > pcs[1] {
		return nil, usageErrorf("--trace-pc=%s: the first address is greater than the last one", text)
	}
	return &pcs, nil
}

// open opens the trace's file. The returned function closes it.
func (f *traceFlags) open(cmd *cobra.Command, o *kernelrun.Options) (closeFile func() error, err error) {
	if f.file == "" {
		return func() error { return nil }, nil
	}
	var w io.Writer = cmd.ErrOrStderr()
	file := (*os.File)(nil)
	name := "<stderr>"
	if f.file != "-" {
		if file, err = os.Create(f.file); err != nil {
			return nil, fileError(f.file, err)
		}
		w, name = file, f.file
	}
	t := &traceWriter{buf: bufio.NewWriterSize(&namedWriter{w: w, name: name}, 1<<16)}
	o.Simulator.Trace = t
	return func() error {
		err := t.flush()
		if file != nil {
			err = errors.Join(err, file.Close())
		}
		return err
	}, nil
}

// traceWriter buffers lines from several goroutines. It drops all lines after
// an error.
type traceWriter struct {
	mu  sync.Mutex
	buf *bufio.Writer
}

func (t *traceWriter) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.buf.Write(p)
}

func (t *traceWriter) flush() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.buf.Flush()
}
