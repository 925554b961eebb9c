package main

import (
	"fmt"
	"strings"

	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/litmus"
)

// The tests in the folder cells need one effect of an ordering each: message passing and its
// transitive form for each kind of releasing and acquiring operation, scope, and memory of the data and
// the flag.

// releases and acquires are operations on the flag f with an ordering of scope S.
var releases = []struct{ name, code string }{
	{"store", "store f, 1 release S"}, {"rmw", "r9 = add f, 1 release S"}, {"fence", "fence release S  store f, 1 monotonic S"},
}

var acquires = []struct{ name, code string }{
	{"load", "r0 = load f acquire S"}, {"rmw", "r0 = add f, 0 acquire S"}, {"fence", "r0 = load f monotonic S  fence acquire S"},
}

// cellPlaces are scopes with places of two threads that they include.
var cellPlaces = []cellPlace{
	{"wave", "wavefront", "group 0 wave 0", "group 0 wave 0"},
	{"wg", "workgroup", "group 0 wave 0", "group 0 wave 1"},
	{"agent", "agent", "group 0 wave 0", "group 1 wave 0"},
	{"system", "system", "group 0 wave 0", "agent 1 group 0 wave 0"},
}

// cellSpaces are memories of the data and the flag.
var cellSpaces = []cellSpace{
	{"gg", "global", "global"}, {"lg", "local", "global"}, {"gl", "global", "local"}, {"ll", "local", "local"},
	{"ff", "generic global", "generic global"}, {"gF", "global", "generic local"}, {"Fg", "generic local", "global"},
}

// A cellPlace is a scope with places of two threads that it includes.
type cellPlace struct{ name, scope, first, second string }

// A cellSpace is the memory of the data and of the flag.
type cellSpace struct{ name, data, flag string }

// cellTexts returns the tests by their names.
func cellTexts() (map[string]string, error) {
	bodies := map[string]string{}
	for _, p := range cellPlaces {
		for _, m := range cellSpaces {
			pairTexts(bodies, p, m)
		}
	}
	for _, r := range releases {
		for _, flag := range []string{"global", "local"} {
			name := fmt.Sprintf("ISA2-%s+%s+agent", r.name, flag)
			bodies[name] = atScope(transitive(flag, r.code), "workgroup")
		}
	}
	files := map[string]string{}
	for name, body := range bodies {
		path := "cells/" + name + ".litmus"
		test, err := litmus.Parse(&diag.Source{Name: path, Text: []byte("litmus " + name + "\n" + body)})
		if err != nil {
			return nil, err
		}
		files[path] = test.String()
	}
	return files, nil
}

// pairTexts adds the tests of two threads for a place and memories to bodies.
func pairTexts(bodies map[string]string, p cellPlace, m cellSpace) {
	if strings.Contains(m.data+m.flag, "local") && !strings.HasPrefix(p.second, "group 0") {
		p.second = "group 0 wave 1"
	}
	bodies[fmt.Sprintf("SB-sc+%s+%s", m.name, p.name)] = atScope(storeBuffering(m, p), p.scope)
	plain := !strings.Contains(m.data+m.flag, "generic")
	if plain && m.data == m.flag {
		bodies[fmt.Sprintf("CoRMW+%s+%s", m.name, p.name)] = atScope(atomicity(m, p), p.scope)
	}
	for _, r := range releases {
		if plain {
			bodies[fmt.Sprintf("LB-%s+%s+%s", r.name, m.name, p.name)] = atScope(loadBuffering(m, p, r.code), p.scope)
		}
		for _, a := range acquires {
			if r.name != "store" && a.name != "load" && r.name != a.name {
				continue
			}
			name := fmt.Sprintf("MP-%s-%s+%s+%s", r.name, a.name, m.name, p.name)
			bodies[name] = atScope(messagePassing(m, p, r.code, a.code, false), p.scope)
			bodies[name+"+plain"] = atScope(messagePassing(m, p, r.code, a.code, true), p.scope)
		}
	}
}

// atScope returns a text in which S is a scope.
func atScope(text, scope string) string {
	return strings.ReplaceAll(text, " S", " "+scope)
}

// messagePassing returns the text of a test with data x and flag f. Plain data is read if the flag has been
// seen, after a plain access that may leave a stale line; atomic data is read in any case, so that no use of the flag's
// value orders the loads.
func messagePassing(m cellSpace, p cellPlace, release, acquire string, plain bool) string {
	text := m.data + " x = 0\n" + m.flag + " f = 0\n"
	if plain {
		return text + "thread P0 " + p.first + " { store x, 1  " + release + " }\n" +
			"thread P1 " + p.second + " { " + acquire + "  r1 = -1  if r0 == 1 { r1 = load x } }\n" +
			"exists P1.r0 == 1 && P1.r1 == 0\nexpect fails\n"
	}
	return text + "thread P0 " + p.first + " { store x, 1 monotonic S  " + release + " }\n" +
		"thread P1 " + p.second + " { " + acquire + "  r1 = load x monotonic S }\n" +
		"exists P1.r0 == 1 && P1.r1 == 0\nexpect fails\n"
}

// storeBuffering returns the text of a test of sequentially consistent accesses.
func storeBuffering(m cellSpace, p cellPlace) string {
	return m.data + " x = 0\n" + m.flag + " f = 0\n" +
		"thread P0 " + p.first + " { store x, 1 seq_cst S  r0 = load f seq_cst S }\n" +
		"thread P1 " + p.second + " { store f, 1 seq_cst S  r0 = load x seq_cst S }\n" +
		"exists P0.r0 == 0 && P1.r0 == 0\nexpect fails\n"
}

// loadBuffering returns the text of a test in which a release follows a load that nothing else waits for.
func loadBuffering(m cellSpace, p cellPlace, release string) string {
	return m.data + " x = 0\n" + m.flag + " f = 0\n" +
		"thread P0 " + p.first + " { r0 = load x monotonic S  " + release + " }\n" +
		"thread P1 " + p.second + " { r0 = load f acquire S  store x, 1 monotonic S }\n" +
		"exists P0.r0 == 1 && P1.r0 == 1\nexpect fails\n"
}

// atomicity returns the text of a test in which no read-modify-write access may be lost.
func atomicity(m cellSpace, p cellPlace) string {
	return m.flag + " f = 0\n" +
		"thread P0 " + p.first + " { r0 = add f, 1 monotonic S }\n" +
		"thread P1 " + p.second + " { r0 = add f, 1 monotonic S }\n" +
		"exists P0.r0 == 0 && P1.r0 == 0\nexpect fails\n"
}

// transitive returns the text of a test in which a thread of the same work-group passes data on.
func transitive(flag, release string) string {
	return "global x = 0\n" + flag + " f = 0\nglobal z = 0\n" +
		"thread P0 group 0 wave 0 { store x, 1  " + release + " }\n" +
		"thread P1 group 0 wave 1 { r0 = load f acquire S  if r0 == 1 { store z, 1 release agent } }\n" +
		"thread P2 group 1 wave 0 { r0 = load z acquire agent  r1 = -1  if r0 == 1 { r1 = load x } }\n" +
		"exists P2.r0 == 1 && P2.r1 == 0\nexpect fails\n"
}
