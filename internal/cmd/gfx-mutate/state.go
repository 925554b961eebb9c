package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// verdict is the result for a mutant.
type verdict string

const (
	detected  verdict = "detected"  // a test fails
	hung      verdict = "hung"      // a test takes several times as long as without the change
	survived  verdict = "survived"  // all tests pass
	undecided verdict = "undecided" // the time limit was reached first
	invalid   verdict = "invalid"   // does not compile; another one replaces it
)

// outcome is a line of the state file.
type outcome struct {
	id      string
	verdict verdict
	seconds float64
	detail  string // the failed test, or the one that exceeded the time
}

const stateFile = "mutants.tsv"

// readState reads the outcomes of earlier runs, by ID. A later line replaces an
// earlier one; a truncated line is ignored.
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
	return appendRow(filepath.Join(dir, stateFile), o.id, string(o.verdict), fmt.Sprintf("%.1f", o.seconds), strings.Join(strings.Fields(o.detail), " "))
}

const traceFile = "traces.tsv"

// readTraces reads the times of tests and the mutants that they reach, by a key
// of the binary and the test's name.
func readTraces(dir string) (map[string]test, error) {
	list := make(map[string]test)
	rows, err := readRows(filepath.Join(dir, traceFile), 4)
	if errors.Is(err, fs.ErrNotExist) {
		return list, nil
	}
	for _, row := range rows {
		wall, err1 := time.ParseDuration(row[1])
		cpu, err2 := time.ParseDuration(row[2])
		x := test{base: usage{wall, cpu}, reaches: make(map[int]bool)}
		var numbers []int
		if err := errors.Join(err1, err2, json.Unmarshal([]byte(row[3]), &numbers)); err != nil {
			continue // cut short
		}
		for _, n := range numbers {
			x.reaches[n] = true
		}
		list[row[0]] = x
	}
	return list, err
}

// appendTrace adds a test to the file of traces.
func appendTrace(dir, key string, x *test) error {
	numbers, err := json.Marshal(slices.AppendSeq([]int{}, maps.Keys(x.reaches)))
	if err != nil {
		return err
	}
	return appendRow(filepath.Join(dir, traceFile), key, x.base.wall.String(), x.base.cpu.String(), string(numbers))
}

// appendRow adds a line to a file.
func appendRow(name string, columns ...string) error {
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(f, strings.Join(columns, "\t"))
	return errors.Join(err, f.Close())
}

// readReasons reads the reasons why mutants need no test: lines of an ID, a tab
// and the reason.
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

// readRows reads the lines of a file, which have the given number of columns.
// Empty lines and lines that begin with # are comments.
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
