package main

// A strength is a way to order the accesses of a shape.
type strength struct {
	name, load, store string
	fence             string // between two accesses of a thread
}

// strengths lists the strengths in the order of shape.verdicts.
var strengths = [...]strength{
	{"rlx", "monotonic", "monotonic", ""},
	{"relacq", "acquire", "release", ""},
	{"fence", "monotonic", "monotonic", "acq_rel"},
	{"sc", "seq_cst", "seq_cst", ""},
	{"fencesc", "monotonic", "monotonic", "seq_cst"},
}

// A level is a place of the threads, with the scope that includes them and the
// address spaces of the variables in turn.
type level struct {
	name, place, scope string
	declaration        []string
	few                bool // only some strengths
}

// levels lists the levels.
var levels = [...]level{
	{"agent", "group N", "agent", []string{"global"}, false},
	{"wg", "group 0 wave N", "workgroup", []string{"global"}, false},
	{"wave", "group 0 wave 0", "wavefront", []string{"global"}, true},
	{"system", "group N", "system", []string{"global"}, true},
	{"lds", "group 0 wave N", "workgroup", []string{"local"}, true},
	{"mixed", "group 0 wave N", "workgroup", []string{"global", "local"}, true},
	{"flat", "group 0 wave N", "workgroup", []string{"generic local", "generic global"}, true},
}

// A shape is a program of loads (R variable) and stores (W variable value).
type shape struct {
	name, doc string
	threads   [][]string
	condition string
	// verdicts has a letter for each strength: a if the condition is allowed, f if it is
	// forbidden, - for no test.
	verdicts string
}

// shapes lists the shapes. The names are the customary ones.
var shapes = [...]shape{
	{"MP", "Message passing: data, then a flag.", [][]string{{"W x 1", "W y 1"}, {"R y", "R x"}},
		"P1.r0 == 1 && P1.r1 == 0", "affff"},
	{"SB", "Store buffering: each thread stores and loads the other one's variable.", [][]string{{"W x 1", "R y"}, {"W y 1", "R x"}},
		"P0.r0 == 0 && P1.r0 == 0", "aaaff"},
	{"LB", "Load buffering: each thread loads and stores the other one's variable.", [][]string{{"R x", "W y 1"}, {"R y", "W x 1"}},
		"P0.r0 == 1 && P1.r0 == 1", "affff"},
	{"R", "Two stores against a store and a load.", [][]string{{"W x 1", "W y 1"}, {"W y 2", "R x"}},
		"P1.r0 == 0 && y == 2", "aaaff"},
	{"S", "A store after a load overtakes an earlier store.", [][]string{{"W x 2", "W y 1"}, {"R y", "W x 1"}},
		"P1.r0 == 1 && x == 2", "affff"},
	{"2+2W", "Two threads store two variables in opposite orders.", [][]string{{"W x 2", "W y 1"}, {"W y 2", "W x 1"}},
		"x == 2 && y == 2", "aaaff"},
	{"IRIW", "Two readers see independent writes in different orders.", [][]string{{"W x 1"}, {"W y 1"}, {"R x", "R y"}, {"R y", "R x"}},
		"P2.r0 == 1 && P2.r1 == 0 && P3.r0 == 1 && P3.r1 == 0", "aaaff"},
	{"WRC", "Write to read causality: a thread passes on the store of another one.", [][]string{{"W x 1"}, {"R x", "W y 1"}, {"R y", "R x"}},
		"P1.r0 == 1 && P2.r0 == 1 && P2.r1 == 0", "affff"},
	{"ISA2", "Message passing over a thread in between.", [][]string{{"W x 1", "W y 1"}, {"R y", "W z 1"}, {"R z", "R x"}},
		"P1.r0 == 1 && P2.r0 == 1 && P2.r1 == 0", "affff"},
	{"RWC", "Read to write causality.", [][]string{{"W x 1"}, {"R x", "R y"}, {"W y 1", "R x"}},
		"P1.r0 == 1 && P1.r1 == 0 && P2.r0 == 0", "aaaff"},
	{"W+RWC", "Read to write causality after message passing.", [][]string{{"W x 1", "W y 1"}, {"R y", "R z"}, {"W z 1", "R x"}},
		"P1.r0 == 1 && P1.r1 == 0 && P2.r0 == 0", "aaaff"},
	{"3.SB", "Store buffering of three threads.", [][]string{{"W x 1", "R y"}, {"W y 1", "R z"}, {"W z 1", "R x"}},
		"P0.r0 == 0 && P1.r0 == 0 && P2.r0 == 0", "aaaff"},
	{"3.LB", "Load buffering of three threads.", [][]string{{"R x", "W y 1"}, {"R y", "W z 1"}, {"R z", "W x 1"}},
		"P0.r0 == 1 && P1.r0 == 1 && P2.r0 == 1", "affff"},
	{"Z6.0", "A store, message passing, and a store against a load.", [][]string{{"W x 1", "W y 1"}, {"R y", "W z 1"}, {"W z 2", "R x"}},
		"P1.r0 == 1 && P2.r0 == 0 && z == 2", "aaaff"},
	{"CoRR", "Coherence of two loads of a thread.", [][]string{{"W x 1"}, {"R x", "R x"}},
		"P1.r0 == 1 && P1.r1 == 0", "fff--"},
	{"CoWW", "Coherence of two stores of a thread.", [][]string{{"W x 1", "W x 2"}, {"R x"}},
		"x == 1", "fff--"},
	{"CoRW", "Coherence of a load and a later store.", [][]string{{"R x", "W x 1"}, {"W x 2"}},
		"P0.r0 == 1 || P0.r0 == 2 && x == 2", "fff--"},
	{"CoWR", "Coherence of a store and a later load.", [][]string{{"W x 1", "R x"}, {"W x 2"}},
		"P0.r0 == 2 && x == 1", "fff--"},
}
