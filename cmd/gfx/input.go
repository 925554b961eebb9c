package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/diag"
)

// maxInput is the maximum size of an input, in bytes, so that an endless one (a
// device, a pipe) ends in an error.
const maxInput = 1 << 30

// readInput reads a whole file, or standard input for "-".
func readInput(cmd *cobra.Command, name string) (*diag.Source, error) {
	if name == "-" {
		if isTerminal(cmd.InOrStdin()) {
			fmt.Fprintln(cmd.ErrOrStderr(), "reading from the terminal; end the input with", endOfInputKey)
		}
		text, err := readAll(cmd.InOrStdin(), "<stdin>")
		return &diag.Source{Name: "<stdin>", Text: text}, err
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, fileError(name, err)
	}
	defer f.Close()
	text, err := readAll(f, name)
	return &diag.Source{Name: name, Text: text}, err
}

// inputFile is an input that is read in parts, so that it may be larger than
// maxInput.
type inputFile struct {
	io.ReaderAt
	name  string
	size  int64
	head  []byte // the first bytes, which identify the format
	close func()
}

// headSize is the number of bytes that identify a file's format.
const headSize = 64

// openInput opens a file. It reads standard input and files that are not
// regular as a whole.
func openInput(cmd *cobra.Command, name string) (*inputFile, error) {
	if info, err := os.Stat(name); name == "-" || err != nil || !info.Mode().IsRegular() {
		src, err := readInput(cmd, name)
		if err != nil {
			return nil, err
		}
		return &inputFile{bytes.NewReader(src.Text), src.Name, int64(len(src.Text)), src.Text[:min(len(src.Text), headSize)], func() {}}, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, fileError(name, err)
	}
	in := &inputFile{ReaderAt: f, name: name, close: func() { f.Close() }}
	info, err := f.Stat()
	if err == nil {
		in.size, in.head = info.Size(), make([]byte, min(info.Size(), headSize))
		_, err = f.ReadAt(in.head, 0)
	}
	if err != nil {
		in.close()
		return nil, fileError(name, err)
	}
	return in, nil
}

// member opens a member of a thin archive. Its name is relative to the
// archive's folder.
func (in *inputFile) member(name string) (io.ReaderAt, int64, error) {
	name = filepath.FromSlash(name)
	if !filepath.IsAbs(name) {
		name = filepath.Join(filepath.Dir(in.name), name)
	}
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, 0, fileError(name, err)
	case !info.Mode().IsRegular():
		return nil, 0, fmt.Errorf("%s: not a regular file", name)
	}
	return closedFile(name), info.Size(), nil
}

// closedFile is a file that is open only during a read: a thin archive may have
// more members than a process may have open files.
type closedFile string

func (name closedFile) ReadAt(b []byte, off int64) (int, error) {
	f, err := os.Open(string(name))
	if err != nil {
		return 0, fileError(string(name), err)
	}
	defer f.Close()
	return f.ReadAt(b, off)
}

// readAll reads at most maxInput bytes.
func readAll(r io.Reader, name string) ([]byte, error) {
	var text bytes.Buffer
	if f, ok := r.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() && info.Size() <= maxInput {
			room := make([]byte, info.Size()+bytes.MinRead) // unlike Grow, this does not touch the memory
			adviseHuge(room)
			text = *bytes.NewBuffer(room[:0])
		}
	}
	n, err := text.ReadFrom(io.LimitReader(r, maxInput+1))
	switch {
	case err != nil:
		return nil, fileError(name, err)
	case n > maxInput:
		return nil, fmt.Errorf("%s: larger than the maximum input size of %d bytes", name, maxInput)
	}
	return text.Bytes(), nil
}

// fileError returns a plain message for an error of reading or writing a file.
func fileError(name string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: no such file or folder", name)
	case errors.Is(err, syscall.EISDIR):
		return fmt.Errorf("%s: is a folder, expected a file", name)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s: permission denied", name)
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return fmt.Errorf("%s: %w", name, err)
}

const extractHint = "gfx inspect --extract unpacks its code objects"

// formats lists formats that users confuse with the expected ones, by their
// first bytes.
var formats = [...]struct{ magic, name, hint string }{
	{"\x7fELF", "an ELF object", "gfx dis disassembles it"},
	{"BC\xc0\xde", "LLVM bitcode", ""},
	{"\xde\xc0\x17\x0b", "LLVM bitcode in a wrapper", ""},
	{"!<arch>\n", "an archive", "gfx link takes archives, gfx inspect --extract unpacks their code objects"},
	{"!<thin>\n", "a thin archive", "gfx link takes archives, gfx inspect lists their code objects"},
	{"__CLANG_OFFLOAD_BUNDLE__", "an offload bundle", extractHint},
	{"\x10\xff\x10\xad", "an offload binary", extractHint},
	{"CCOB", "a compressed offload bundle", extractHint},
	{"MZ", "a Windows program", extractHint},
	{"\x1f\x8b", "gzip data", "decompress it first"},
	{"\x28\xb5\x2f\xfd", "zstd data", "decompress it first"},
	{"PK\x03\x04", "a zip archive", ""},
	{"\xff\xfe", "UTF-16 text", "convert it to UTF-8"},
	{"\xfe\xff", "UTF-16 text", "convert it to UTF-8"},
}

// formatOf returns the name of a file's format by its first bytes, or "" if the
// format is unknown.
func formatOf(text []byte) (name, hint string) {
	for _, f := range formats {
		if bytes.HasPrefix(text, []byte(f.magic)) {
			return f.name, f.hint
		}
	}
	return "", ""
}

// checkText returns an error for an input that is not text: a known binary
// format, or a file with a zero byte. what names the expected text.
func checkText(src *diag.Source, what string) error {
	name, hint := formatOf(src.Text)
	zero := bytes.IndexByte(src.Text, 0)
	switch {
	case name != "":
		return mismatch(src, what, name, hint)
	case zero >= 0:
		return mismatch(src, what, fmt.Sprintf("a binary file (zero byte at offset %d)", zero), "")
	}
	return nil
}

// checkObject returns an error for an input that is not an ELF object.
func checkObject(src *diag.Source) error {
	const what = "an ELF object"
	name, hint := formatOf(src.Text)
	switch {
	case len(src.Text) == 0:
		return mismatch(src, what, "an empty file", "")
	case name == what && len(src.Text) >= 20 && src.Text[18] != codeobject.EM_AMDGPU:
		return mismatch(src, "an AMDGPU object", "an ELF file for another machine", "if it contains offload bundles, "+extractHint)
	case name == what:
		return nil
	case name != "":
		return mismatch(src, what, name, hint)
	case bytes.IndexByte(src.Text, 0) >= 0:
		return mismatch(src, what, "a binary file of another kind", "")
	}
	return mismatch(src, what, "text", "gfx dis --hex reads bytes as text, gfx as assembles")
}

// mismatch returns the error for a file of an unexpected format.
func mismatch(src *diag.Source, expected, found, hint string) error {
	if hint != "" {
		hint = "; " + hint
	}
	return fmt.Errorf("%s: expected %s, found %s%s", src.Name, expected, found, hint)
}
