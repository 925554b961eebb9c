package main

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// verdict is what became of a mutant.
type verdict string

const (
	detected  verdict = "detected"  // a test fails
	hung      verdict = "hung"      // a test takes several times as long as without the change
	survived  verdict = "survived"  // all tests pass
	undecided verdict = "undecided" // the time limit came first
	invalid   verdict = "invalid"   // does not compile; another one takes its place
)

// outcome is a line of the state file.
type outcome struct {
	id      string
	verdict verdict
	seconds float64
	detail  string // the test that failed, or where time ran out
}

const stateFile = "mutants.tsv"

// readState reads the outcomes of earlier runs, by ID. A later line replaces an
// earlier one; a line that was cut short is ignored.
func readState(dir string) (map[string]outcome, error) {
	state := make(map[string]outcome)
	rows, err := readRows(filepath.Join(dir, stateFile), 4)
	if errors.Is(err, fs.ErrNotExist) {
		return state, nil
	}
	for _, row := range rows {
		o := outcome{id: row[0], verdict: verdict(row[1]), detail: row[3]}
		if _, err := fmt.Sscan(row[2], &o.seconds); err == nil {
			state[o.id] = o
		}
	}
	return state, err
}

// appendState adds an outcome to the state file.
func appendState(dir string, o outcome) error {
	f, err := os.OpenFile(filepath.Join(dir, stateFile), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "%s\t%s\t%.1f\t%s\n", o.id, o.verdict, o.seconds, strings.Join(strings.Fields(o.detail), " "))
	return errors.Join(err, f.Close())
}

// readReasons reads why mutants need no test: lines of an ID, a tab and the reason.
func readReasons(name string) (map[string]string, error) {
	rows, err := readRows(name, 2)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	reasons := make(map[string]string)
	for _, row := range rows {
		reasons[row[0]] = row[1]
	}
	return reasons, err
}

// readRows reads the lines of a file that have so many columns. Empty lines and
// lines that begin with # are comments.
func readRows(name string, columns int) (rows [][]string, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	for s.Scan() {
		if row := strings.Split(s.Text(), "\t"); len(row) == columns && !strings.HasPrefix(row[0], "#") {
			rows = append(rows, row)
		}
	}
	return rows, s.Err()
}
