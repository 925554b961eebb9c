package clrx_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/asm/clrx"
	"github.com/gfx-toolchain/gfx/catalyst"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
)

// rows reads a table of the corpus of Catalyst binaries without its header.
func rows(t *testing.T, name string) [][]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(oracle.Shared(t, "catalyst"), name))
	if err != nil {
		t.Fatal(err)
	}
	var list [][]string
	for i, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		if i > 0 {
			list = append(list, strings.Split(line, "\t"))
		}
	}
	return list
}

// options returns the options that a row names. Files are relative
// to folder.
func options(text, folder string) (opt clrx.Options, err error) {
	opt.Open = func(name string) ([]byte, error) { return os.ReadFile(filepath.Join(folder, name)) }
	for _, word := range strings.Fields(text) {
		name, value, _ := strings.Cut(word, "=")
		switch name {
		case "--gpu-type":
			if opt.Device = catalyst.LookupDevice(value); opt.Device == nil {
				return opt, fmt.Errorf("unknown device %s", value)
			}
		case "--arch":
			arch, ok := catalyst.ParseArch(value)
			if !ok {
				return opt, fmt.Errorf("unknown architecture %s", value)
			}
			opt.Device = arch.Lowest()
		case "--64bit":
			opt.Wide = true
		case "--driver-version":
			v, err := strconv.ParseUint(value, 10, 32)
			if err != nil {
				return opt, err
			}
			opt.DriverVersion = uint32(v)
		case "--include-path":
			opt.IncludePaths = append(opt.IncludePaths, value)
		case "--defsym":
			d, err := clrx.ParseDefine(value)
			if err != nil {
				return opt, err
			}
			opt.Defines = append(opt.Defines, d)
		case "--force-add-symbols":
			opt.ForceSymbols = true
		default:
			return opt, fmt.Errorf("unknown option %s", word)
		}
	}
	return opt, nil
}

// unescape returns a source in which \n and \\ are line ends and
// backslashes.
func unescape(s string) []byte {
	return []byte(strings.NewReplacer(`\\`, `\`, `\n`, "\n").Replace(s))
}

func assemble(t *testing.T, opt clrx.Options, name string, text []byte) ([]byte, diag.List) {
	t.Helper()
	r, list := clrx.Assemble(&diag.Source{Name: name, Text: text}, opt)
	if r == nil {
		if !list.HasErrors() {
			t.Errorf("%s: no result and no error", name)
		}
		return nil, list
	}
	return r.Binary, list
}

// TestCorpus compares the binaries of the corpus's sources.
func TestCorpus(t *testing.T) {
	src := filepath.Join(oracle.Shared(t, "catalyst"), "src")
	good := 0
	for _, row := range rows(t, "expected.tsv") {
		text, err := os.ReadFile(filepath.Join(src, row[0]))
		if err != nil {
			t.Fatal(err)
		}
		opt, err := options(row[1], src)
		if err != nil {
			t.Fatal(err)
		}
		got, list := assemble(t, opt, row[0], text)
		sum := "!"
		if got != nil {
			s := sha256.Sum256(got)
			sum = hex.EncodeToString(s[:])
		}
		if sum == row[2] {
			good++
			continue
		}
		problem := fmt.Sprintf("differs, %d bytes, want %s", len(got), row[3])
		if len(list) > 0 {
			problem = list[0].Error()
		}
		if row[2] == "!" {
			problem = "want an error"
		}
		t.Errorf("%s %s: %s", row[0], row[1], problem)
	}
	t.Logf("%d binaries are the same", good)
}

// TestRejects compares the places and numbers of errors.
func TestRejects(t *testing.T) {
	src := filepath.Join(oracle.Shared(t, "catalyst"), "src")
	for i, row := range rows(t, "rejects.tsv") {
		want := row[1] + ":" + row[2] + " " + row[3]
		text := unescape(row[5])
		got := "0:0 1"
		opt, err := options(row[0], src)
		message := ""
		if err == nil {
			_, list := assemble(t, opt, "x", text)
			got, message = firstError(list)
		}
		if got != want {
			t.Errorf("row %d: %q: %s %s, want %s %s", i+2, text, got, message, want, row[4])
		}
	}
}

// firstError returns the place of the first error and the number of errors, and
// the first error's message.
func firstError(list diag.List) (where, message string) {
	n := 0
	for _, d := range list {
		if d.Severity != diag.Error {
			continue
		}
		if n == 0 {
			where, message = "0:0", d.Message
			if d.Source != nil {
				line, column := d.Source.Position(d.Off)
				where = fmt.Sprintf("%d:%d", line, column)
			}
		}
		n++
	}
	return fmt.Sprintf("%s %d", where, n), message
}

// TestAccepted compares the warnings for texts that look wrong.
func TestAccepted(t *testing.T) {
	src := filepath.Join(oracle.Shared(t, "catalyst"), "src")
	for i, row := range rows(t, "accepted.tsv") {
		opt, err := options(row[0], src)
		if err != nil {
			t.Fatal(err)
		}
		text := unescape(row[4])
		_, list := assemble(t, opt, "x", text)
		got := "silent "
		if list.HasErrors() {
			got = list.Error()
		} else if len(list) > 0 {
			line, column := list[0].Source.Position(list[0].Off)
			got = fmt.Sprintf("warned %d:%d", line, column)
		}
		want := row[1] + " "
		if row[1] == "warned" {
			want += row[2] + ":" + row[3]
		}
		if got != want {
			t.Errorf("row %d: %q: %s, want %s", i+2, text, got, want)
		}
	}
}
