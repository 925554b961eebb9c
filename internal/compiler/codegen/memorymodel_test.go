package codegen

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/internal/waitcnt"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/isa"
)

// memoryCase is an access or fence: as LLVM IR, and as input of the memory
// model.
type memoryCase struct {
	name, op string
	mem      mir.Mem
	text     string
}

var memoryOrderings = map[string]ir.Ordering{"": ir.NotAtomic, "unordered": ir.Unordered, "monotonic": ir.Monotonic, "acquire": ir.Acquire,
	"release": ir.Release, "acq_rel": ir.AcqRel, "seq_cst": ir.SeqCst}

var memoryScopes = []struct {
	name  string
	scope ir.SyncScope
}{{"", ir.System}, {"agent", ir.Agent}, {"cluster", ir.Cluster}, {"workgroup", ir.Workgroup}, {"wavefront", ir.Wavefront}, {"singlethread", ir.SingleThread},
	{"one-as", ir.SystemOneAS}, {"agent-one-as", ir.AgentOneAS}, {"workgroup-one-as", ir.WorkgroupOneAS}, {"wavefront-one-as", ir.WavefrontOneAS},
	{"singlethread-one-as", ir.SingleThreadOneAS}}

// memoryCases lists all cases.
func memoryCases() (list []memoryCase) {
	add := func(op string, as int, ordering, scope, format string, m mir.Mem, args ...any) {
		name := fmt.Sprintf("%s/%d/%s/%s/%d", op, as, ordering, scope, len(list))
		m.AddrSpace, m.Size, m.Align = uint8(as), 4, 4
		if op == "fence" {
			m.Size = m.Size &^ 4
			m.AddrSpace = 0
		}
		list = append(list, memoryCase{name, op, m, fmt.Sprintf(format, args...)})
	}
	for _, as := range []int{0, 1, 3, 5} {
		for _, flags := range []mir.MemFlags{0, mir.MemVolatile, mir.MemNonTemporal, mir.MemVolatile | mir.MemNonTemporal} {
			v, nt := "", ""
			if flags&mir.MemVolatile != 0 {
				v = "volatile "
			}
			if flags&mir.MemNonTemporal != 0 {
				nt = ", !nontemporal !0"
			}
			add("load", as, "", "", " %%r = load %si32, ptr addrspace(%d) %%p, align 4%s", mir.Mem{Flags: flags}, v, as, nt)
			add("store", as, "", "", " store %si32 %%v, ptr addrspace(%d) %%p, align 4%s\n %%r = add i32 0, 0", mir.Mem{Flags: flags}, v, as, nt)
		}
		for _, s := range memoryScopes {
			for name, o := range memoryOrderings {
				if o < ir.Monotonic {
					continue
				}
				m := mir.Mem{Ordering: o, Scope: s.scope}
				if o != ir.Release && o != ir.AcqRel {
					add("load", as, name, s.name, " %%r = load atomic i32, ptr addrspace(%d) %%p syncscope(\"%s\") %s, align 4", m, as, s.name, name)
				}
				if o != ir.Acquire && o != ir.AcqRel {
					add("store", as, name, s.name, " store atomic i32 %%v, ptr addrspace(%d) %%p syncscope(\"%s\") %s, align 4\n %%r = add i32 0, 0", m, as, s.name, name)
				}
				if as == 5 {
					continue // earlier passes convert these to plain accesses
				}
				add("xchg", as, name, s.name, " %%r = atomicrmw xchg ptr addrspace(%d) %%p, i32 %%v syncscope(\"%s\") %s, align 4", m, as, s.name, name)
				add("add", as, name, s.name, " %%n = atomicrmw add ptr addrspace(%d) %%p, i32 %%v syncscope(\"%s\") %s, align 4\n %%r = add i32 0, 0", m, as, s.name, name)
				add("cmpxchg", as, name, s.name, " %%c = cmpxchg ptr addrspace(%d) %%p, i32 %%v, i32 7 syncscope(\"%s\") %s monotonic, align 4\n %%r = extractvalue {i32, i1} %%c, 0", m, as, s.name, name)
			}
		}
	}
	for _, s := range memoryScopes {
		for name, o := range memoryOrderings {
			if o < ir.Acquire {
				continue
			}
			for n, as := range []string{"", ", !mmra !1", ", !mmra !2"} {
				m := mir.Mem{Ordering: o, Scope: s.scope}
				add("fence", n, name, s.name, " fence syncscope(\"%s\") %s%s\n %%r = add i32 0, 0", m, s.name, name, as)
				list[len(list)-1].mem.Size = []uint64{0, 1 << 3, 1 << 1}[n]
			}
		}
	}
	return list
}

// usable reports whether a processor has instructions for the case.
func (c *memoryCase) usable(g isa.Gen) bool {
	return g > isa.Gen6 || c.mem.AddrSpace != 0 || c.op == "fence"
}

// memoryOps holds the operations for a case: buffer, flat, global, LDS.
var memoryOps = map[string][4]struct {
	op      mir.Op
	returns bool
}{
	"load":    {{mir.BufferLoadB32, true}, {mir.FlatLoadB32, true}, {mir.GlobalLoadB32, true}, {mir.DsLoadB32, true}},
	"store":   {{mir.BufferStoreB32, false}, {mir.FlatStoreB32, false}, {mir.GlobalStoreB32, false}, {mir.DsStoreB32, false}},
	"xchg":    {{mir.BufferAtomicSwapB32, true}, {mir.FlatAtomicSwapB32, true}, {mir.GlobalAtomicSwapB32, true}, {mir.DsStorexchgRtnB32, true}},
	"add":     {{mir.BufferAtomicAddU32, false}, {mir.FlatAtomicAddU32, false}, {mir.GlobalAtomicAddU32, false}, {mir.DsAddU32, false}},
	"cmpxchg": {{mir.BufferAtomicCmpswapB32, true}, {mir.FlatAtomicCmpswapB32, true}, {mir.GlobalAtomicCmpswapB32, true}, {mir.DsCmpstRtnB32, true}},
}

// ours returns the memory model's instructions for a case.
func (c *memoryCase) ours(m *mir.Machine, modes memoryModes) []string {
	f := mir.NewFunc("f", m)
	b := f.NewBlock()
	access := mir.Fence
	defs := 0
	if c.op != "fence" {
		kind := 2
		switch g := m.Set.Gen(); {
		case c.mem.AddrSpace == 3:
			kind = 3
		case c.mem.AddrSpace == 5 || g == isa.Gen6:
			kind = 0
		case c.mem.AddrSpace == 0 || g < isa.Gen9:
			kind = 1
		}
		x := memoryOps[c.op][kind]
		if access = x.op; access == mir.DsCmpstRtnB32 && m.Set.Gen() >= isa.Gen11 {
			access = mir.DsCmpstoreRtnB32
		}
		if x.returns {
			defs = 1
		}
	}
	i := f.NewInstr(access, defs, mir.Phys(mir.VGPR(0), 1)) // operands are irrelevant
	f.SetMem(i, c.mem)
	f.Append(b, i)
	f.Append(b, f.NewInstr(mir.End, 0))
	var p memoryModel
	p.orderAccesses(f, modes)
	var list []string
	all := waitcnt.NoLimits()
	for k := f.First(b); k != 0; k = f.Next(k) {
		if w, ok := waitsOf(f, k); ok {
			all.Add(&w)
			continue
		}
		list = addWaits(list, &all)
		all = waitcnt.NoLimits()
		switch {
		case k == i && f.Op(k) == access && f.Info(k).Unit == mir.UnitDS:
			list = append(list, "access")
		case k == i && f.Op(k) == access:
			list = append(list, fmt.Sprintf("access %d", f.Mods(k).CPol()))
		case f.Info(k).Unit == mir.UnitVMEM:
			s := fmt.Sprint(f.Op(k))
			if p := f.Mods(k).CPol(); p != 0 {
				s = fmt.Sprintf("%s %d", s, p)
			}
			list = append(list, s)
		}
	}
	return list
}

// addWaits appends waits to a list, one for each counter in order.
func addWaits(list []string, w *waitcnt.Limits) []string {
	for c, n := range w {
		if n != waitcnt.None {
			list = append(list, fmt.Sprintf("wait%d %d", c, n))
		}
	}
	return list
}

var (
	memoryWait   = regexp.MustCompile(`^(S_WAIT\w*?)(?:_soft)? (?:undef \$sgpr_null, )?(\d+)`)
	memoryCache  = regexp.MustCompile(`^((?:BUFFER_(?:WB|INV|GL)|GLOBAL_(?:INV|WB))\w*)(?: (\d+),)?`)
	memoryAccess = regexp.MustCompile(`^(?:.* = )?((?:GLOBAL|FLAT|BUFFER|DS|SCRATCH)_\w+) (.*?),? implicit.*::`)
	singleNames  = map[string]waitcnt.Counter{"S_WAIT_LOADCNT": waitcnt.Load, "S_WAIT_STORECNT": waitcnt.Store, "S_WAIT_DSCNT": waitcnt.LDS, "S_WAIT_KMCNT": waitcnt.Scalar,
		"S_WAIT_XCNT": waitcnt.Translation}
)

// theirs returns LLVM's instructions for the cases, parsed from the text of its
// machine IR.
func theirs(s isa.Set, text string) map[string][]string {
	all := map[string][]string{}
	name, w := "", waitcnt.NoLimits()
	for line := range strings.Lines(text) {
		if n, ok := strings.CutPrefix(line, "name:"); ok {
			name, w = strings.Trim(n, " '\"\n"), waitcnt.NoLimits()
			continue
		}
		line = strings.TrimSpace(line)
		if m := memoryWait.FindStringSubmatch(line); m != nil {
			n, _ := strconv.Atoi(m[2])
			c, single := singleNames[m[1]]
			switch {
			case m[1] == "S_WAITCNT":
				x, _ := waitcnt.Decode(s, isa.KindWait|isa.KindWaitPacked, uint32(n))
				w.Add(&x)
			case m[1] == "S_WAITCNT_VSCNT":
				w[waitcnt.Store] = int16(n)
			case single:
				w[c] = int16(n)
			}
			continue
		}
		text := ""
		if m := memoryCache.FindStringSubmatch(line); m != nil {
			text = strings.ToLower(m[1])
			if m[2] != "" && !(s.Gen() == isa.Gen90A) { // where the bits are not in the encoding
				text += " " + m[2]
			}
		} else if m := memoryAccess.FindStringSubmatch(line); m != nil {
			text = "access"
			if fields := strings.Split(m[2], ", "); !strings.HasPrefix(m[1], "DS_") {
				n := len(fields) - 1
				if strings.HasPrefix(m[1], "BUFFER_L") || strings.HasPrefix(m[1], "BUFFER_S") {
					n-- // swizzle
				}
				text += " " + fields[n]
			}
		} else if strings.HasPrefix(line, "SI_RETURN") || strings.HasPrefix(line, "S_SETPC_B64_return") {
			all[name] = addWaits(all[name], &w)
			w = waitcnt.NoLimits()
			continue
		}
		if text != "" {
			all[name] = append(addWaits(all[name], &w), text)
			w = waitcnt.NoLimits()
		}
	}
	return all
}

// TestMemoryModel compares the memory model with LLVM's.
func TestMemoryModel(t *testing.T) {
	llc := oracle.Tool(t, "llc-22")
	processors := []struct {
		cpu, attr string
		set       isa.Set
		modes     memoryModes
	}{
		{"gfx1250", "", isa.GFX1250, memoryModes{CU: true}}, {"gfx90a", "+tgsplit", isa.GFX90A, memoryModes{TgSplit: true}}, {"gfx1200", "", isa.GFX1200, memoryModes{}},
		{"gfx942", "", isa.GFX942, memoryModes{}}, {"gfx1030", "+cumode", isa.GFX1030, memoryModes{CU: true}},
		{"gfx1100", "", isa.GFX1100, memoryModes{}},
		{"gfx600", "", isa.GFX600, memoryModes{}}, {"gfx700", "", isa.GFX700, memoryModes{}}, {"gfx803", "", isa.GFX803, memoryModes{}}, {"gfx900", "", isa.GFX900, memoryModes{}},
		{"gfx908", "", isa.GFX908, memoryModes{}}, {"gfx90a", "", isa.GFX90A, memoryModes{}}, {"gfx942", "+tgsplit", isa.GFX942, memoryModes{TgSplit: true}},
		{"gfx950", "", isa.GFX950, memoryModes{}}, {"gfx1010", "", isa.GFX1010, memoryModes{}}, {"gfx1010", "+cumode", isa.GFX1010, memoryModes{CU: true}},
		{"gfx1030", "", isa.GFX1030, memoryModes{}}, {"gfx1100", "+cumode", isa.GFX1100, memoryModes{CU: true}}, {"gfx1200", "+cumode", isa.GFX1200, memoryModes{CU: true}},
	}
	cases := memoryCases()
	for _, p := range processors[:min(tries(3), len(processors))] {
		var src strings.Builder
		src.WriteString("!0 = !{i32 1}\n!1 = !{!\"amdgpu-synchronize-as\", !\"local\"}\n!2 = !{!\"amdgpu-synchronize-as\", !\"global\"}\n")
		for _, c := range cases {
			if c.usable(p.set.Gen()) {
				fmt.Fprintf(&src, "define i32 @\"%s\"(ptr addrspace(%d) %%p, i32 %%v) {\n%s\n ret i32 %%r\n}\n", c.name, c.mem.AddrSpace, c.text)
			}
		}
		out, errs, exit := oracle.Run(t, []byte(src.String()), 5*time.Minute, llc, "-mtriple=amdgcn-amd-amdhsa", "-mcpu="+p.cpu, "-mattr="+p.attr,
			"-stop-after=si-memory-legalizer", "-simplify-mir", "-o", "-")
		if exit != 0 {
			t.Fatalf("llc: %s", errs)
		}
		all := theirs(p.set, string(out))
		m := mir.MachineOf(p.set, 64)
		if !p.set.Has(isa.PropWave64) {
			m = mir.MachineOf(p.set, 32)
		}
		bad := 0
		for _, c := range cases {
			if !c.usable(p.set.Gen()) {
				continue
			}
			want, got := all[c.name], c.ours(m, p.modes)
			if !slices.Equal(got, want) {
				if bad++; bad < 12 {
					t.Errorf("%s %s: %s\ngot  %q\nwant %q", p.cpu, p.attr, c.name, got, want)
				}
			}
		}
	}
}
