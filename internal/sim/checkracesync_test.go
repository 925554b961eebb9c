package sim

import "testing"

func TestRaceClock(t *testing.T) {
	entry := func(group uint32, wave uint8, time uint32) clockEntry { return clockEntry{group, wave, time} }
	stamp := func(group uint32, wave uint8, time uint32) *raceStamp {
		return &raceStamp{group: group, wave: wave, time: time}
	}
	var none *raceClock
	a := none.with(entry(1, 0, 10)).with(entry(1, 2, 5))
	b := none.with(entry(2, wholeGroup, 7)).with(entry(1, 0, 8))
	if none.has(stamp(1, 0, 0)) || none.join(nil) != nil || a.join(nil) != a || none.join(a) != a || a.join(a) != a {
		t.Error("an empty clock has accesses")
	}
	c := a.join(b)
	for _, x := range []struct {
		s    *raceStamp
		want bool
	}{
		{stamp(1, 0, 9), true}, {stamp(1, 0, 10), false}, {stamp(1, 2, 4), true}, {stamp(1, 2, 5), false},
		{stamp(1, 1, 1), false}, {stamp(2, 0, 6), true}, {stamp(2, 9, 6), true}, {stamp(2, 0, 7), false}, {stamp(3, 0, 1), false},
	} {
		if got := c.has(x.s); got != x.want {
			t.Errorf("group %d, wave %d at time %d: %v", x.s.group, x.s.wave, x.s.time, got)
		}
	}
	if c.join(a) != c || c.join(b) != c || a.has(stamp(2, 0, 6)) {
		t.Error("joining a part changes a clock")
	}
	// A clock with many entries includes all accesses before the time that replaces
	// the oldest of them.
	for g := range uint32(3 * maxClock) {
		c = c.with(entry(10+g, 0, 100+g))
		for h := range g + 1 {
			if !c.has(stamp(10+h, 0, 99+h)) || c.has(stamp(10+h, 0, 100+g)) {
				t.Fatalf("%d groups: group %d is lost", g, h)
			}
		}
	}
	if len(c.list) > maxClock || c.floor == 0 || !c.has(stamp(500, 0, 100)) {
		t.Errorf("%d entries and floor %d", len(c.list), c.floor)
	}
}

// TestRaceRelaxed reads more variables than a wave remembers before a fence.
func TestRaceRelaxed(t *testing.T) {
	c := &raceCheck{launch: &raceLaunch{}, group: &groupRace{}}
	var none *raceClock
	for i := range uint64(3 * maxRead) {
		c.launch.variables.clocks.release(i, none.with(clockEntry{uint32(i%8) + 1, 0, uint32(i) + 1}))
		c.readFrom(readVariable{i, levelWide + 1})
	}
	c.finishRelaxed()
	for g := range uint32(8) {
		if !c.sync.read[levelWide].has(&raceStamp{group: g + 1, time: 3*maxRead - 8 + g}) {
			t.Errorf("group %d is not acquired", g)
		}
	}
	if c.sync.read[levelGroup] != nil || len(c.sync.relaxed) != 0 {
		t.Errorf("%+v", c.sync)
	}
}
