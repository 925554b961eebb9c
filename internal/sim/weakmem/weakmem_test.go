package weakmem

import (
	"encoding/binary"
	"testing"

	"github.com/gfx-toolchain/gfx/isa"
)

// model is a system with the memory of some lines.
type model struct {
	t *testing.T
	System
	memory [8]Line
}

func newModel(t *testing.T, g isa.Gen, seed uint64) *model {
	m := &model{t: t}
	m.Reset(RulesOf(g, 1), 1, seed)
	return m
}

func (m *model) request(k Kind, at int, c isa.CPol) *Request {
	line := at / LineSize
	return &Request{Line: uint64(1<<32 + line*LineSize), Memory: &m.memory[line], Mask: 15 << (at % LineSize), Kind: k,
		Policy: m.rules.PolicyOf(c, k), Op: &Operation{Left: 1}}
}

// load issues a load of the dword at an address.
func (m *model) load(cu, at int, c isa.CPol) *Request {
	r := m.request(Load, at, c)
	m.IssueVector(cu, r)
	return r
}

func (m *model) store(cu, at int, v uint32, c isa.CPol) *Request {
	r := m.request(Store, at, c)
	binary.LittleEndian.PutUint32(r.Data[at%LineSize:], v)
	m.IssueVector(cu, r)
	return r
}

// adder adds 1 to a dword.
type adder struct {
	at  int
	old uint32
}

func (a *adder) ModifyLine(r *Request, line *Line, memory bool) uint64 {
	a.old = binary.LittleEndian.Uint32(line[a.at:])
	binary.LittleEndian.PutUint32(line[a.at:], a.old+1)
	return r.Mask
}

func (m *model) add(cu, at int, c isa.CPol) (*Request, *adder) {
	r, a := m.request(Modify, at, c), &adder{at: at % LineSize}
	r.Modify = a
	m.IssueVector(cu, r)
	return r, a
}

func value(r *Request, at int) uint32 { return binary.LittleEndian.Uint32(r.Data[at%LineSize:]) }

// loaded performs a load and returns its value.
func (m *model) loaded(cu, at int, c isa.CPol) uint32 {
	r := m.load(cu, at, c)
	m.Finish(r)
	return value(r, at)
}

// inMemory returns a dword of memory.
func (m *model) inMemory(at int) uint32 {
	return binary.LittleEndian.Uint32(m.memory[at/LineSize][at%LineSize:])
}

// gens lists all generations.
func gens() (list []isa.Gen) {
	for g := range isa.Gen(isa.NumGens) {
		list = append(list, g)
	}
	return list
}

// agent holds the cache policies and operations of agent scope of a generation.
type agent struct {
	load, store isa.CPol
	release     Op
	acquire     Op
}

func agentOf(g isa.Gen) agent {
	r := RulesOf(g, 1)
	switch g {
	case isa.Gen940:
		return agent{sc1, sc1, r.OpOf("buffer_wbl2", sc1), r.OpOf("buffer_inv", sc1)}
	case isa.Gen10:
		return agent{glc | dlc, 0, Op{}, Op{Invalidate: r.OpOf("buffer_gl1_inv", 0).Invalidate | r.OpOf("buffer_gl0_inv", 0).Invalidate}}
	case isa.Gen11:
		return agent{glc, 0, Op{}, Op{Invalidate: r.OpOf("buffer_gl1_inv", 0).Invalidate | r.OpOf("buffer_gl0_inv", 0).Invalidate}}
	case isa.Gen12, isa.Gen1250:
		return agent{scopeDev, scopeDev, r.OpOf("global_wb", scopeDev), r.OpOf("global_inv", scopeDev)}
	}
	return agent{glc, 0, Op{}, r.OpOf("buffer_wbinvl1_vol", 0)}
}

// TestStale checks that a plain load hits a stale line, that a load of agent
// scope bypasses it, and that the acquire of agent scope removes it.
func TestStale(t *testing.T) {
	for _, g := range gens() {
		m, a := newModel(t, g, 1), agentOf(g)
		if v := m.loaded(0, 0, 0); v != 0 {
			t.Fatalf("generation %d: %d before the store", g, v)
		}
		m.Finish(m.store(7, 0, 5, a.store))
		if v := m.loaded(0, 0, 0); v != 0 {
			t.Errorf("generation %d: a plain load returns %d, not the stale line", g, v)
		}
		if v := m.loaded(0, 0, a.load); v != 5 {
			t.Errorf("generation %d: a load of agent scope returns %d", g, v)
		}
		m.loaded(1, 64, 0)
		m.Finish(m.store(7, 64, 6, a.store))
		m.Invalidate(1, a.acquire.Invalidate)
		if v := m.loaded(1, 64, 0); v != 6 {
			t.Errorf("generation %d: a load after the acquire returns %d", g, v)
		}
	}
}

// TestWriteBack checks that a plain store needs the write-back of the release
// before other L2 caches see it, where there are several.
func TestWriteBack(t *testing.T) {
	for _, g := range gens() {
		m, a := newModel(t, g, 1), agentOf(g)
		m.Finish(m.store(7, 0, 5, 0))
		late := RulesOf(g, 1).L2s > 0
		if v := m.inMemory(0); v == 5 == late {
			t.Errorf("generation %d: memory holds %d after a plain store", g, v)
		}
		if RulesOf(g, 1).L2s > 1 {
			if v := m.loaded(0, 0, a.load); v != 0 {
				t.Errorf("generation %d: another L2 cache sees %d before the write-back", g, v)
			}
			if a.release.WriteBack&L2 == 0 {
				t.Errorf("generation %d: the release does not write back", g)
			}
		}
		r := &Request{Op: &Operation{Left: 1}}
		m.IssueWriteBack(7, r)
		m.Finish(r)
		if v := m.loaded(0, 0, a.load); v != 5 {
			t.Errorf("generation %d: %d after the write-back", g, v)
		}
		m.Flush()
		if v := m.inMemory(0); v != 5 {
			t.Errorf("generation %d: memory holds %d at the end", g, v)
		}
	}
}

// TestOrder checks that the requests of a CU to a line are performed in order,
// and to different lines in any order.
func TestOrder(t *testing.T) {
	for _, g := range gens() {
		swapped := false
		for seed := range uint64(50) {
			m := newModel(t, g, seed)
			first, second := m.store(3, 0, 1, 0), m.store(3, 0, 2, 0)
			other := m.store(3, 128, 3, 0)
			load := m.load(3, 0, 0)
			for m.Queued() > 0 {
				m.Step()
				swapped = swapped || other.Done && !first.Done
				if second.Done && !first.Done {
					t.Fatalf("generation %d: the second store of a line is performed first", g)
				}
			}
			if v := value(load, 0); v != 2 || !load.Done {
				t.Fatalf("generation %d: a load after two stores of its CU returns %d", g, v)
			}
			m.Flush()
			if m.inMemory(0) != 2 || m.inMemory(128) != 3 {
				t.Fatalf("generation %d: memory holds %d and %d", g, m.inMemory(0), m.inMemory(128))
			}
		}
		if !swapped {
			t.Errorf("generation %d: stores to different lines are always performed in order", g)
		}
	}
}

// TestModify checks that atomics of all CUs are performed at one place, and that
// the CU does not see its old line after them.
func TestModify(t *testing.T) {
	for _, g := range gens() {
		for seed := range uint64(20) {
			m, a := newModel(t, g, seed), agentOf(g)
			sum := uint32(0)
			for i := range 40 {
				cu := int(m.Random.Below(NumCUs))
				if i%3 == 0 {
					m.load(cu, 4, 0)
				}
				r, x := m.add(cu, 4, a.load&^glc)
				for !r.Done {
					m.Step()
				}
				if x.old != sum {
					t.Fatalf("generation %d: atomic %d returns %d, want %d", g, i, x.old, sum)
				}
				if sum++; m.loaded(cu, 4, 0) != sum {
					t.Fatalf("generation %d: the CU sees an old value after its atomic", g)
				}
			}
			m.Flush()
			if v := m.inMemory(4); v != sum {
				t.Fatalf("generation %d: memory holds %d, want %d", g, v, sum)
			}
		}
	}
}

// TestScalar checks the scalar cache.
func TestScalar(t *testing.T) {
	for _, g := range gens() {
		m := newModel(t, g, 1)
		load := func() uint32 {
			r := m.request(Load, 8, 0)
			m.IssueScalar(0, r)
			m.Finish(r)
			return value(r, 8)
		}
		load()
		m.Finish(m.store(1, 8, 5, 0))
		if v := load(); v != 0 {
			t.Errorf("generation %d: the scalar cache has no stale line: %d", g, v)
		}
		m.Invalidate(0, RulesOf(g, 1).OpOf("s_dcache_inv", 0).Invalidate)
		if v := load(); v != 5 {
			t.Errorf("generation %d: %d after s_dcache_inv", g, v)
		}
	}
}

// TestSeeds checks that a seed determines the order of requests.
func TestSeeds(t *testing.T) {
	order := func(seed uint64) (s string) {
		m := newModel(t, isa.Gen9, seed)
		var list []*Request
		for i := range 8 {
			list = append(list, m.store(i, i*LineSize, 1, 0))
		}
		done := make([]bool, len(list))
		for m.Queued() > 0 {
			m.Step()
			for i, r := range list {
				if r.Done && !done[i] {
					done[i] = true
					s += string(rune('0' + i))
				}
			}
		}
		return s
	}
	if a, b := order(1), order(1); a != b {
		t.Errorf("the same seed yields %s and %s", a, b)
	}
	if a, b := order(1), order(2); a == b {
		t.Errorf("different seeds yield %s", a)
	}
}

// TestBounds checks that requests are performed and stale lines are dropped
// eventually.
func TestBounds(t *testing.T) {
	for _, g := range gens() {
		m := newModel(t, g, 1)
		r := m.store(0, 0, 1, 0)
		for i := 0; !r.Done; i++ {
			if m.Advance(); i > maxQueued+1 {
				t.Fatalf("generation %d: the request is still queued", g)
			}
		}
		m.loaded(5, 64, 0)
		m.Finish(m.store(0, 64, 7, 0))
		for i := 0; m.loaded(5, 64, 0) != 7; i++ {
			if m.Advance(); i > 4*maxStale {
				t.Fatalf("generation %d: the line is still stale", g)
			}
		}
	}
}

// TestPartial stores single bytes of lines from several CUs and compares memory.
func TestPartial(t *testing.T) {
	for _, g := range gens() {
		m := newModel(t, g, 3)
		var want Line
		for i := range LineSize {
			r := m.request(Store, 0, 0)
			r.Mask = 1 << i
			r.Data[i], want[i] = byte(i+1), byte(i+1)
			m.IssueVector(i%NumCUs, r)
			if i%5 == 0 {
				m.Step()
			}
		}
		m.Flush()
		if m.memory[0] != want {
			t.Errorf("generation %d: %v", g, m.memory[0])
		}
	}
}

// TestReplacement stores more lines than the caches hold.
func TestReplacement(t *testing.T) {
	for _, g := range gens() {
		m := newModel(t, g, 3)
		lines := make([]Line, 2*l2Sets*ways)
		for i := range lines {
			r := m.request(Store, 0, 0)
			r.Line, r.Memory = uint64(i+1)*LineSize, &lines[i]
			binary.LittleEndian.PutUint32(r.Data[:], uint32(i+1))
			m.IssueVector(i%NumCUs, r)
			if i%4 == 0 {
				m.Step()
			}
		}
		m.Flush()
		for i := range lines {
			if v := binary.LittleEndian.Uint32(lines[i][:]); v != uint32(i+1) {
				t.Fatalf("generation %d: line %d holds %d", g, i, v)
			}
		}
	}
}

// TestEpochs checks that epochs may wrap around.
func TestEpochs(t *testing.T) {
	m := newModel(t, isa.Gen9, 1)
	m.loaded(0, 0, 0)
	m.vector[0].epoch = ^uint32(0)
	m.vector[0].nextEpoch()
	if m.vector[0].epoch != 1 || m.vector[0].lookup(1<<32) != nil {
		t.Errorf("epoch %d", m.vector[0].epoch)
	}
}

// TestMerge checks merging of bytes within quadwords.
func TestMerge(t *testing.T) {
	for _, mask := range []uint64{0, 1, 0xff, 0x1fe, 0xf0f0, 1<<63 | 3<<31, allBytes} {
		var from, to, memory Line
		for i := range from {
			from[i] = byte(i + 1)
		}
		mergeLine(&to, &from, mask)
		storeLine(&memory, &from, mask)
		for i := range from {
			want := byte(0)
			if mask>>i&1 != 0 {
				want = from[i]
			}
			if to[i] != want || memory[i] != want {
				t.Errorf("mask %#x: byte %d is %d and %d, want %d", mask, i, to[i], memory[i], want)
			}
		}
	}
}

// TestInvalidateModified checks that invalidating an L2 cache keeps the modified
// bytes and drops the others.
func TestInvalidateModified(t *testing.T) {
	m := newModel(t, isa.Gen940, 1)
	m.loaded(0, 0, 0)
	m.Finish(m.store(0, 4, 9, 0))
	m.loaded(0, 64, 0)
	m.Finish(m.store(0, 64, 3, sc1))
	binary.LittleEndian.PutUint32(m.memory[0][:], 5)
	m.Invalidate(0, vectorL2)
	if a, b := m.loaded(0, 0, 0), m.loaded(0, 4, 0); a != 5 || b != 9 || m.inMemory(4) != 0 {
		t.Errorf("%d and %d, memory holds %d", a, b, m.inMemory(4))
	}
	m.l2[0].lookup(1 << 32).clean() // as if it were evicted
	m.Invalidate(0, vectorL2)
	if m.inMemory(4) != 9 || len(m.l2[0].dirty) != 0 {
		t.Errorf("memory holds %d, %d entries listed", m.inMemory(4), len(m.l2[0].dirty))
	}
}

// TestPolicies checks stores and atomics that reach memory, with modified lines
// in the L2 cache.
func TestPolicies(t *testing.T) {
	m := newModel(t, isa.Gen12, 1)
	m.Finish(m.store(0, 0, 1, 0))
	m.Finish(m.store(0, 4, 2, scopeSys))
	if a, b := m.inMemory(0), m.inMemory(4); a != 1 || b != 2 {
		t.Errorf("memory holds %d and %d after a store of system scope", a, b)
	}
	m.Finish(m.store(0, 64, 3, 0))
	r, x := m.add(0, 64, scopeSys)
	m.Finish(r)
	if m.inMemory(64) != 4 || x.old != 3 {
		t.Errorf("memory holds %d, the old value is %d", m.inMemory(64), x.old)
	}
	m.loaded(0, 128, 0)
	m.Finish(m.store(0, 132, 3, 0))
	r, x = m.add(0, 192, 0) // the L2 cache lacks the line
	if m.Finish(r); x.old != 0 || m.inMemory(192) != 0 {
		t.Errorf("memory holds %d, the old value is %d", m.inMemory(192), x.old)
	}
	r, x = m.add(0, 132, 0)
	m.Finish(r)
	if m.inMemory(132) != 0 || x.old != 3 || m.loaded(5, 132, 0) != 4 {
		t.Errorf("memory holds %d, the old value is %d, the new one %d", m.inMemory(132), x.old, m.loaded(5, 132, 0))
	}
	if o := RulesOf(isa.Gen12, 1).OpOf("s_nop", 0); o != (Op{}) {
		t.Errorf("s_nop: %+v", o)
	}
}

// TestAgents checks what an agent sees of a store of another one: nothing of one of agent scope, and
// all of system scope.
func TestAgents(t *testing.T) {
	for _, x := range []struct {
		gen           isa.Gen
		agent, system isa.CPol
		wb, inv       string
	}{
		{isa.Gen940, sc1, sc0 | sc1, "buffer_wbl2", "buffer_inv"}, {isa.Gen12, scopeDev, scopeSys, "global_wb", "global_inv"},
		{isa.Gen1250, scopeDev, scopeSys, "global_wb", "global_inv"},
	} {
		m := &model{t: t}
		rules := RulesOf(x.gen, 2)
		m.Reset(rules, 2, 1)
		if old := m.loaded(NumCUs, 0, 0); old != 0 {
			t.Errorf("%v: loaded %d before the store", x.gen, old)
		}
		m.Finish(m.store(0, 0, 1, x.agent))
		if a, b, memory := m.loaded(7, 0, x.agent), m.loaded(NumCUs, 0, x.system), m.inMemory(0); a != 1 || b != 0 || memory != 0 {
			t.Errorf("%v: the agents load %d and %d, memory holds %d", x.gen, a, b, memory)
		}
		m.loaded(NumCUs+1, 0, 0) // the line is in the second agent's L2 cache
		for _, scope := range []isa.CPol{x.agent, x.system} {
			if o := rules.OpOf(x.wb, scope); o.WriteBack&L2 != 0 {
				w := m.request(writes, 0, 0)
				m.IssueWriteBack(0, w)
				m.Finish(w)
			}
			m.Invalidate(NumCUs+1, rules.OpOf(x.inv, scope).Invalidate)
			if v, want := m.loaded(NumCUs+1, 0, 0), map[bool]uint32{true: 1}[scope == x.system]; v != want {
				t.Errorf("%v: loaded %d after a release and an acquire, want %d", x.gen, v, want)
			}
		}
		m.Finish(m.store(0, 64, 2, x.system))
		r, add := m.add(NumCUs, 64, x.system)
		if m.Finish(r); add.old != 2 || m.inMemory(64) != 3 || m.loaded(0, 64, x.system) != 3 {
			t.Errorf("%v: an atomic of system scope yields %d, memory holds %d", x.gen, add.old, m.inMemory(64))
		}
	}
}

// TestFine checks that fine-grained memory is never in an L2 cache of gfx90a, not even after a
// random fetch.
func TestFine(t *testing.T) {
	m := &model{t: t}
	rules := RulesOf(isa.Gen90A, 2)
	m.Reset(rules, 2, 1)
	access := func(k Kind) *Request {
		r := m.request(k, 0, glc)
		r.Policy = rules.Fine(r.Policy)
		return r
	}
	for i := range uint32(200) {
		s, l := access(Store), access(Load)
		binary.LittleEndian.PutUint32(s.Data[:], i)
		m.IssueVector(0, s)
		m.Finish(s)
		m.IssueVector(NumCUs, l)
		if m.Finish(l); value(l, 0) != i || m.inMemory(0) != i {
			t.Fatalf("store %d: loaded %d, memory holds %d", i, value(l, 0), m.inMemory(0))
		}
		for range 20 {
			m.Step()
		}
	}
	if p := (Policy{}); RulesOf(isa.Gen90A, 1).Fine(p) != p || RulesOf(isa.Gen12, 2).Fine(p) != p {
		t.Error("fine-grained memory differs")
	}
}

// owner counts notifications.
type owner int

func (o *owner) OperationDone() { *o++ }

// TestOwner checks the notification of an operation's owner.
func TestOwner(t *testing.T) {
	m, n := newModel(t, isa.Gen8, 1), owner(0)
	a, b := m.request(Load, 0, 0), m.request(Load, 64, 0)
	b.Op = a.Op
	a.Op.Left, a.Op.Owner = 2, &n
	m.IssueVector(0, a)
	m.IssueVector(0, b)
	m.Finish(a)
	if m.Finish(a); n != 0 {
		t.Error("notified after the first request")
	}
	if m.Finish(b); n != 1 {
		t.Errorf("notified %d times", n)
	}
}

// TestFinish checks that finishing a request performs the earlier ones of its
// line, and that a line with some valid bytes is completed.
func TestFinish(t *testing.T) {
	for seed := range uint64(10) { // the first store creates a line for some of them
		m := newModel(t, isa.Gen9, seed)
		for range 2000 {
			m.Advance() // nothing is there to fetch
		}
		a, b, c := m.store(0, 0, 1, 0), m.store(0, 0, 2, 0), m.load(0, 4, 0)
		m.Finish(b)
		if !a.Done || c.Done || m.inMemory(0) != 2 {
			t.Errorf("the earlier store is performed: %v, the later load: %v; memory holds %d", a.Done, c.Done, m.inMemory(0))
		}
		m.store(0, 8, 7, 0)
		d := m.store(0, 0, 3, 0)
		m.Finish(d)
		if !c.Done || m.loaded(0, 0, 0) != 3 || m.loaded(0, 8, 0) != 7 || m.loaded(0, 12, 0) != 0 {
			t.Errorf("the load is performed: %v", c.Done)
		}
	}
}

// TestReset checks that Reset drops modified lines and queued requests.
func TestReset(t *testing.T) {
	m := newModel(t, isa.Gen940, 1)
	m.Finish(m.store(0, 0, 1, 0))
	m.store(0, 64, 1, 0)
	m.Reset(RulesOf(isa.Gen940, 1), 1, 2)
	m.Flush()
	if m.inMemory(0) != 0 || m.inMemory(64) != 0 {
		t.Errorf("memory holds %d and %d", m.inMemory(0), m.inMemory(64))
	}
}

func BenchmarkStoreLoad(b *testing.B) {
	m := &model{}
	m.Reset(RulesOf(isa.Gen10, 1), 1, 1)
	op := Operation{}
	s, l := m.request(Store, 0, 0), m.request(Load, 64, 0)
	s.Op, l.Op = &op, &op
	b.ReportAllocs()
	for b.Loop() {
		op.Left = 2
		s.Done, l.Done = false, false
		m.IssueVector(0, s)
		m.IssueVector(1, l)
		m.FinishAll()
	}
}
