package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/litmus"
	"github.com/gfx-toolchain/gfx/litmus/kernel"
	"github.com/gfx-toolchain/gfx/litmus/model"
)

// litmusOutput holds the reports of all tests.
type litmusOutput struct{ reports []*litmusReport }

// litmusReport is the result of one test.
type litmusReport struct {
	test      *litmus.Test
	file      string
	allowed   *model.Result
	processor string
	result    *kernel.Result // nil without a run
	search    *device.Search // nil without a search
}

// The types of gfx litmus's JSON document.
type (
	litmusJSON struct {
		Name       string              `json:"name"`
		File       string              `json:"file"`
		Verdict    string              `json:"verdict"`            // of the model: holds, fails, racy
		Expected   string              `json:"expected,omitempty"` // the test's expected verdict
		Race       string              `json:"race,omitempty"`
		Processor  string              `json:"processor,omitempty"`
		Executions int                 `json:"executions"`
		Exhausted  bool                `json:"exhausted,omitempty"` // by a search: all schedules with at most --search deviations
		Complete   bool                `json:"complete,omitempty"`  // by a search: all schedules that exist
		Terms      []string            `json:"terms"`               // names of the outcomes' values
		Outcomes   []litmusOutcomeJSON `json:"outcomes"`
	}
	litmusOutcomeJSON struct {
		Values    []int32 `json:"values"`
		Count     int     `json:"count"`
		Allowed   bool    `json:"allowed"`
		Condition bool    `json:"condition"`          // the values satisfy the condition
		Schedule  string  `json:"schedule,omitempty"` // the first one of a search with the outcome
	}
)

// outcomes returns the allowed and the seen outcomes, sorted.
func (r *litmusReport) outcomes() (list []kernel.Outcome) {
	if r.result != nil {
		list = slices.Clone(r.result.Outcomes)
	}
	for _, values := range r.allowed.Outcomes {
		if !slices.ContainsFunc(list, func(o kernel.Outcome) bool { return slices.Equal(o.Values, values) }) {
			list = append(list, kernel.Outcome{Values: values})
		}
	}
	slices.SortFunc(list, func(a, b kernel.Outcome) int { return slices.Compare(a.Values, b.Values) })
	return list
}

// forbidden returns the number of forbidden outcomes that occurred.
func (r *litmusReport) forbidden() (n int) {
	if r.result == nil {
		return 0
	}
	for _, o := range r.result.Outcomes {
		if !r.allowed.Allows(o.Values) {
			n++
		}
	}
	return n
}

// scheduleOf returns the first schedule of a search with an outcome, "" if there is none.
func (r *litmusReport) scheduleOf(o *kernel.Outcome) string {
	if r.search == nil || o.Count == 0 {
		return ""
	}
	return o.Schedule.String()
}

// names returns the names of the values of outcomes.
func (r *litmusReport) names() []string {
	list := []string{}
	for _, x := range r.test.Outcome() {
		list = append(list, r.test.TermName(x))
	}
	return list
}

func (o *litmusOutput) document() []litmusJSON {
	list := []litmusJSON{}
	for _, r := range o.reports {
		d := litmusJSON{Name: r.test.Name, File: r.file, Verdict: r.allowed.Verdict().String(), Race: r.allowed.Racy, Processor: r.processor,
			Terms: r.names(), Outcomes: []litmusOutcomeJSON{}}
		if r.test.Expected != litmus.Unknown {
			d.Expected = r.test.Expected.String()
		}
		if r.result != nil {
			d.Executions = r.result.Executions
		}
		if r.search != nil {
			p := r.search.Progress()
			d.Exhausted, d.Complete = p.Exhausted, p.Complete
		}
		for _, x := range r.outcomes() {
			d.Outcomes = append(d.Outcomes, litmusOutcomeJSON{x.Values, x.Count, r.allowed.Allows(x.Values), r.test.Satisfied(x.Values), r.scheduleOf(&x)})
		}
		list = append(list, d)
	}
	return list
}

// writeText writes a table for each test.
func (o *litmusOutput) writeText(w io.Writer) error {
	for i, r := range o.reports {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := r.writeText(w); err != nil {
			return err
		}
	}
	return nil
}

func (r *litmusReport) writeText(w io.Writer) error {
	fmt.Fprintf(w, "%s: %s", r.test.Name, r.allowed.Verdict())
	if r.allowed.Racy != "" {
		fmt.Fprintf(w, " (%s)", r.allowed.Racy)
	}
	switch {
	case r.search != nil:
		fmt.Fprintf(w, ", %v, on %s", r.search.Progress(), r.processor)
	case r.result != nil:
		fmt.Fprintf(w, ", %d executions on %s", r.result.Executions, r.processor)
	}
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, name := range r.names() {
		fmt.Fprintf(t, "%s\t", name)
	}
	fmt.Fprint(t, "COUNT\tMODEL\tCONDITION\t")
	if r.search != nil {
		fmt.Fprint(t, "SCHEDULE\t")
	}
	fmt.Fprintln(t)
	for _, x := range r.outcomes() {
		for _, v := range x.Values {
			fmt.Fprintf(t, "%d\t", v)
		}
		count, allowed, condition := "-", "allowed", "no"
		if r.result != nil {
			count = fmt.Sprint(x.Count)
		}
		if !r.allowed.Allows(x.Values) {
			allowed = "forbidden"
		}
		if r.test.Satisfied(x.Values) {
			condition = "yes"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t", count, allowed, condition)
		if r.search != nil {
			fmt.Fprintf(t, "%s\t", dash(r.scheduleOf(&x)))
		}
		fmt.Fprintln(t)
	}
	return t.Flush()
}

// status returns the error that determines the exit status.
func (o *litmusOutput) status() error {
	for _, r := range o.reports {
		if n := r.forbidden(); n > 0 {
			return &differsError{fmt.Errorf("%s: test %s has %d forbidden outcomes on %s", r.file, r.test.Name, n, r.processor)}
		}
	}
	for _, r := range o.reports {
		if want := r.test.Expected; want != litmus.Unknown && want != r.allowed.Verdict() {
			return &differsError{fmt.Errorf("%s: the model's verdict on test %s is %s, expected %s", r.file, r.test.Name, r.allowed.Verdict(), want)}
		}
	}
	return nil
}
