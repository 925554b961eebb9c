package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"
)

// statusInterrupted is the exit status after an interrupt by the user, as in
// shells (128 + SIGINT).
const statusInterrupted = 130

// writeOutput writes the output of fill to a file, or to standard output for
// "-". A file appears under its name only when it is complete: an error or an
// interrupt creates no file and leaves an existing one unchanged.
func writeOutput(cmd *cobra.Command, name string, fill func(w io.Writer) error) error {
	return writeTo(cmd, name, fill, replaceFile)
}

// smallOutput is the maximum size, in bytes, of outputs whose writing takes
// negligible time.
const smallOutput = 1 << 20

// writeLast is writeOutput for complete data, as the last step of a command. It
// does not handle interrupts while it writes a small output, which saves a
// thread.
func writeLast(cmd *cobra.Command, name string, data []byte) error {
	replace := replacer(replaceFile)
	if len(data) <= smallOutput {
		replace = replaceQuickly
	}
	return writeTo(cmd, name, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}, replace)
}

// replacer writes a file in place of old, which is nil if no file exists.
type replacer func(name string, old os.FileInfo, fill func(w io.Writer) error) error

// writeTo writes to standard output or a device, or to a file with replace.
func writeTo(cmd *cobra.Command, name string, fill func(w io.Writer) error, replace replacer) error {
	if name == "-" {
		return fillBuffered(cmd.OutOrStdout(), "<stdout>", fill)
	}
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target
	}
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		return fmt.Errorf("%s: is a folder, expected the name of an output file", name)
	case err == nil && !info.Mode().IsRegular():
		return writeDevice(name, fill)
	}
	return replace(name, info, fill)
}

// fillBuffered calls fill with a buffered w, and adds the file's name to w's
// errors.
func fillBuffered(w io.Writer, name string, fill func(w io.Writer) error) error {
	out := &namedWriter{w: w, name: name}
	buffered := newBehindWriter(out)
	if err := fill(buffered); err != nil {
		// Flush the output that precedes the error, so that it is visible.
		return errors.Join(err, buffered.Flush())
	}
	return buffered.Flush()
}

// namedWriter adds a file's name to write errors.
type namedWriter struct {
	w    io.Writer
	name string
}

func (n *namedWriter) Write(p []byte) (int, error) {
	k, err := n.w.Write(p)
	if err != nil {
		err = fileError(n.name, err)
	}
	return k, err
}

// writeDevice writes to a file that is not regular (a device, a pipe) and so
// cannot be replaced.
func writeDevice(name string, fill func(w io.Writer) error) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return fileError(name, err)
	}
	err = fillBuffered(f, name, fill)
	return errors.Join(err, f.Close())
}

// replaceFile is replaceWith, and removes the temporary file on an interrupt.
func replaceFile(name string, old os.FileInfo, fill func(w io.Writer) error) error {
	// From here on, interrupts are delivered to removeOnInterrupt.
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt, syscall.SIGTERM)
	defer close(interrupts)
	defer signal.Stop(interrupts)
	return replaceWith(name, old, fill, func(temp string) { go removeOnInterrupt(interrupts, temp) })
}

// replaceQuickly is replaceWith without handling of interrupts.
func replaceQuickly(name string, old os.FileInfo, fill func(w io.Writer) error) error {
	signal.Ignore(os.Interrupt, syscall.SIGTERM)
	return replaceWith(name, old, fill, func(string) {})
}

// replaceWith writes to a temporary file in the folder of name, and renames it
// when it is complete. old is the file to be replaced, or nil if no file
// exists. replaceWith calls begun with the name of the temporary file.
func replaceWith(name string, old os.FileInfo, fill func(w io.Writer) error, begun func(temp string)) (err error) {
	f, err := createBeside(name)
	if err != nil {
		return fileError(name, err)
	}
	begun(f.Name())
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if err := fillBuffered(f, name, fill); err != nil {
		return err
	}
	if old != nil {
		if err := f.Chmod(old.Mode().Perm()); err != nil && !errors.Is(err, errors.ErrUnsupported) {
			return fileError(name, err)
		}
	}
	// Windows only renames closed files.
	if err := f.Close(); err != nil {
		return fileError(name, err)
	}
	if err := os.Rename(f.Name(), name); err != nil {
		return fmt.Errorf("%s: %w", name, errors.Unwrap(err))
	}
	return nil
}

// createBeside creates a new file in the folder of name, with the permissions
// of a new file of that name.
func createBeside(name string) (*os.File, error) {
	dir, base := filepath.Split(name)
	for range 100 {
		temp := filepath.Join(dir, fmt.Sprintf(".%s.%08x.tmp", base, rand.Uint32()))
		f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
	return nil, errors.New("no free temporary name beside it")
}

// removeOnInterrupt removes a file and ends the program on an interrupt, until
// the channel is closed.
func removeOnInterrupt(interrupts <-chan os.Signal, name string) {
	if _, ok := <-interrupts; ok {
		os.Remove(name)
		os.Exit(statusInterrupted)
	}
}
