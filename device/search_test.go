package device_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/device"
)

// runDecisions calls DecideStep with the given numbers of alternatives and returns the choices.
func runDecisions(s *device.Search, alternatives ...int) (choices string) {
	for _, n := range alternatives {
		choices += string('a' + rune(s.DecideStep(n)))
	}
	return choices
}

// TestSearch enumerates the schedules of a program with three decisions: all combinations, each once, those
// with fewer deviations first.
func TestSearch(t *testing.T) {
	for _, c := range []struct {
		deviations, schedules int
		want                  []string
		progress              string
	}{
		{0, 0, []string{"aaa"}, "1 schedule, all with at most 0 deviations"},
		{1, 0, []string{"aaa", "baa", "aba", "aca", "aab"}, "5 schedules, all with at most 1 deviations"},
		{2, 0, []string{"aaa", "baa", "aba", "aca", "aab", "bba", "bca", "bab", "abb", "acb"}, "10 schedules, all with at most 2 deviations"},
		{3, 0, []string{"aaa", "baa", "aba", "aca", "aab", "bba", "bca", "bab", "abb", "acb", "bbb", "bcb"}, "12 schedules, all that exist"},
		{-1, 1, []string{"aaa"}, "1 schedule, all with at most 0 deviations"},
		{9, 1, []string{"aaa"}, "1 schedule, not all"},
		{9, 3, []string{"aaa", "baa", "aba"}, "3 schedules, all with at most 0 deviations and some with 1"},
		{9, 6, []string{"aaa", "baa", "aba", "aca", "aab", "bba"}, "6 schedules, all with at most 1 deviations and some with 2"},
	} {
		s := device.NewSearch(device.SearchOptions{Deviations: c.deviations, Schedules: c.schedules})
		if n := s.DecideStep(2); n != 0 {
			t.Errorf("decision %d before the first schedule", n)
		}
		var got []string
		for s.Advance() {
			choices := runDecisions(s, 2, 1, 3, 2)
			choices = choices[:1] + choices[2:] // the second one has no alternative
			got = append(got, choices)
			replay := device.NewReplay(s.Schedule())
			if !replay.Advance() || runDecisions(replay, 2, 3, 2) != choices || replay.Advance() || replay.Err() != nil || replay.Progress().Exhausted {
				t.Errorf("%v: another replay, %v", s.Schedule(), replay.Err())
			}
		}
		if !slices.Equal(got, c.want) || s.Progress().String() != c.progress || s.Err() != nil {
			t.Errorf("%d deviations: %v, %v, %v", c.deviations, got, s.Progress(), s.Err())
		}
	}
}

// TestSearchErrors runs schedules that do not suit the program, and programs that are too large.
func TestSearchErrors(t *testing.T) {
	for _, c := range []struct {
		schedule string
		run      func(s *device.Search)
		want     string
	}{
		{"1:3", func(s *device.Search) { runDecisions(s, 2, 3, 2) }, "schedule 1:3: decision 1 has the alternatives 0 to 2"},
		{"3:1", func(s *device.Search) { runDecisions(s, 2, 3, 2) }, "schedule 3:1: the program has 3 decisions"},
		{"default", func(s *device.Search) { s.DecideStep(1<<16 + 1) }, "a decision with 65537 alternatives: the program is too large for a search"},
		{"default", func(s *device.Search) {
			for range device.MaxDecisions + 1 {
				s.DecideStep(2)
			}
		}, "more than 1048576 decisions: the program makes no progress, or is too large for a search"},
	} {
		list, err := device.ParseSchedule(c.schedule)
		if err != nil {
			t.Fatal(err)
		}
		s := device.NewReplay(list)
		s.Advance()
		c.run(s)
		if s.Advance() || s.Err() == nil || s.Err().Error() != c.want {
			t.Errorf("%s: %v", c.schedule, s.Err())
		}
		if n := s.DecideStep(2); n != 0 {
			t.Errorf("%s: decision %d after the error", c.schedule, n)
		}
	}
}

// TestParseSchedule checks texts of schedules.
func TestParseSchedule(t *testing.T) {
	for _, text := range []string{"default", "0:1", "12:1,40:2", "1048575:65535"} {
		if s, err := device.ParseSchedule(text); err != nil || s.String() != text {
			t.Errorf("%s: %v, %v", text, s, err)
		}
	}
	many := ""
	for i := range device.MaxDeviations {
		many += string(device.Schedule{{Decision: uint32(i), Choice: 1}}.String()) + ","
	}
	for text, want := range map[string]string{
		"": "expected DECISION:CHOICE", "1": "expected DECISION:CHOICE", "1:0": "expected DECISION:CHOICE", "a:1": "expected DECISION:CHOICE",
		"1048576:1": "expected DECISION:CHOICE", "1:65536": "expected DECISION:CHOICE", "-1:1": "expected DECISION:CHOICE",
		"3:1,3:1": "expected a decision after number 3", "3:1,": `"": expected`, many + "1000:1": "more than 100 deviations",
	} {
		if _, err := device.ParseSchedule(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// FuzzParseSchedule checks that the text of a parsed schedule yields the same schedule.
func FuzzParseSchedule(f *testing.F) {
	for _, text := range []string{"default", "12:1,40:2", "1:0", "1:1,1:1", ","} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := device.ParseSchedule(text)
		if err != nil {
			return
		}
		again, err := device.ParseSchedule(s.String())
		if err != nil || !slices.Equal(s, again) {
			t.Errorf("%q: %v, then %v, %v", text, s, again, err)
		}
	})
}
