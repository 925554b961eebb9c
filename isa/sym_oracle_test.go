package isa

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
)

// The tests of this file compare the tables with llvm-mc 22, mostly over all
// values of a field and on every set.

// mcLine is llvm-mc's result for one line of assembly.
type mcLine struct {
	text  string // canonical, blanks collapsed
	bytes []byte // nil when it was refused
	err   string // the first error
}

var (
	mcError    = regexp.MustCompile(`<stdin>:(\d+):\d+: error: (.*)`)
	mcEncoding = regexp.MustCompile(`(?m)^\s*(.*?)\s*(?:;|//) encoding: \[(.*?)\]`)
)

// mcAssemble returns llvm-mc's answer to each line.
func mcAssemble(t *testing.T, s Set, lines []string, args ...string) []mcLine {
	t.Helper()
	tool := oracle.Tool(t, "llvm-mc-22")
	args = append([]string{"-triple=amdgcn", "-mcpu=" + s.String(), "-show-encoding"}, args...)
	out, errs, _ := oracle.Run(t, []byte(strings.Join(lines, "\n")+"\n"), time.Minute, tool, args...)
	res := make([]mcLine, len(lines))
	for _, m := range mcError.FindAllSubmatch(errs, -1) {
		n, _ := strconv.Atoi(string(m[1]))
		if r := &res[n-1]; r.err == "" {
			r.err = string(m[2])
		}
	}
	k := 0
	found := mcEncoding.FindAllSubmatch(out, -1)
	for i := range res {
		r := &res[i]
		// These two are reported, and the line assembled all the same.
		if r.err != "" && !strings.HasPrefix(r.err, "nv is not") && !strings.HasPrefix(r.err, "scale_offset is not") {
			continue
		}
		if k == len(found) {
			t.Fatalf("%v: llvm-mc gave %d encodings for %d lines; none for %q", s, len(found), len(lines), lines[i])
		}
		r.text = strings.Join(strings.Fields(string(found[k][1])), " ")
		for _, b := range strings.Split(string(found[k][2]), ",") {
			n, err := strconv.ParseUint(b, 0, 8)
			if err != nil && b != "A" { // a byte that a fixup fills
				t.Fatalf("%v: %q: encoding %q", s, lines[i], found[k][2])
			}
			r.bytes = append(r.bytes, byte(n))
		}
		k++
	}
	if k != len(found) {
		t.Fatalf("%v: llvm-mc gave %d encodings more than lines without error", s, len(found)-k)
	}
	return res
}

// mcPrint returns the canonical text of each line; none may be refused.
func mcPrint(t *testing.T, s Set, lines []string) []string {
	t.Helper()
	tool := oracle.Tool(t, "llvm-mc-22")
	out, errs, _ := oracle.Run(t, []byte(strings.Join(lines, "\n")+"\n"), time.Minute, tool,
		"-triple=amdgcn", "-mcpu="+s.String())
	res := make([]string, 0, len(lines))
	for _, l := range strings.Split(string(out), "\n") {
		if l = strings.TrimSpace(l); l != "" && l[0] != '.' {
			res = append(res, l)
		}
	}
	if len(res) != len(lines) {
		t.Fatalf("%v: llvm-mc gave %d lines for %d\n%.500s", s, len(res), len(lines), errs)
	}
	return res
}

// mcOne assembles one line, which must be valid, and returns its bytes.
func mcOne(t *testing.T, s Set, line string, args ...string) []byte {
	t.Helper()
	r := mcAssemble(t, s, []string{line}, args...)[0]
	if r.err != "" {
		t.Fatalf("%v: %q: %s", s, line, r.err)
	}
	return r.bytes
}

// mcDisassemble returns the text of each instruction, "" when less or more than
// one instruction was read from its bytes, or one with another mnemonic.
func mcDisassemble(t *testing.T, s Set, mnemonic string, insts [][]byte, args ...string) []string {
	t.Helper()
	tool := oracle.Tool(t, "llvm-mc-22")
	// llvm-mc resumes at some point after a rejected instruction. Therefore a
	// row of fillers and a mark follow each instruction.
	const fillText, markText = "s_nop 0x7a5a", "s_nop 0x7a5b"
	nops := mcAssemble(t, s, []string{fillText, markText})
	mark := append(bytes.Repeat(nops[0].bytes, 4), nops[1].bytes...)
	var in bytes.Buffer
	line := func(b []byte) {
		for _, c := range b {
			fmt.Fprintf(&in, "0x%02x ", c)
		}
		in.WriteByte('\n')
	}
	for _, b := range insts {
		line(b)
		line(mark)
	}
	args = append([]string{"-triple=amdgcn", "-mcpu=" + s.String(), "-disassemble"}, args...)
	out, _, _ := oracle.Run(t, in.Bytes(), time.Minute, tool, args...)
	res := make([]string, 0, len(insts))
	var got []string
	for _, l := range strings.Split(string(out), "\n") {
		l = strings.Join(strings.Fields(l), " ")
		if l == markText {
			text := ""
			if len(got) == 1 && strings.HasPrefix(got[0], mnemonic+" ") {
				text = got[0]
			}
			res, got = append(res, text), nil
		} else if l != "" && l[0] != '.' && l != fillText {
			got = append(got, l)
		}
	}
	if len(res) != len(insts) {
		t.Fatalf("%v: llvm-mc gave %d marks for %d instructions", s, len(res), len(insts))
	}
	return res
}

// word returns the little-endian bytes of 32-bit words.
func word(ws ...uint32) (b []byte) {
	for _, w := range ws {
		b = append(b, byte(w), byte(w>>8), byte(w>>16), byte(w>>24))
	}
	return b
}

// dword returns the i-th 32-bit word of an instruction, 0 if it has none.
func dword(b []byte, i int) uint32 {
	if len(b) < 4*i+4 {
		return 0 // it was refused
	}
	b = b[4*i:]
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}

// twins are the sets that have the names and layouts of another one. They are
// tested, too, where LLVM is required.
const twins SetMask = 1<<GFX810 | 1<<GFX904 | 1<<GFX906 | 1<<GFX908 | 1<<GFX9Generic | 1<<GFX950 |
	1<<GFX9_4Generic | 1<<GFX1012 | 1<<GFX1013 | 1<<GFX1150 | 1<<GFX1251

// setsOf lists the sets of a mask; if none but twins are in it, those.
func setsOf(m SetMask) (list []Set) {
	if os.Getenv("GFX_ORACLE") != "require" && m&^twins != 0 {
		m &^= twins
	}
	for s := Set(0); s < NumSets; s++ {
		if m.Has(s) {
			list = append(list, s)
		}
	}
	return list
}

// wrong reports a difference, at most a few per test.
type wrong struct{ n int }

func (w *wrong) f(t *testing.T, format string, args ...any) {
	t.Helper()
	if w.n++; w.n <= 10 {
		t.Errorf(format, args...)
	}
}

// All 65536 values of 16-bit operands, on every set that has the instruction.
func TestSymOperand16(t *testing.T) {
	tests := []struct {
		sets   SetMask
		line   string // as written; %d is the operand
		before string // of the printed line
		append func([]byte, Set, uint32) []byte
	}{
		{onAll &^ SinceGFX1250, "s_waitcnt %d", "s_waitcnt ", AppendWaitcnt},
		{onAll, "s_sendmsg %d", "s_sendmsg ", AppendSendMsg},
		{onAll, "s_getreg_b32 s0, %d", "s_getreg_b32 s0, ", AppendHwreg},
		{onGFX10 | onGFX11, "s_waitcnt_depctr %d", "s_waitcnt_depctr ", AppendDepCtr},
		{SinceGFX1200, "s_wait_alu %d", "s_wait_alu ", AppendDepCtr},
		{SinceGFX1100, "s_delay_alu %d", "s_delay_alu ",
			func(dst []byte, _ Set, v uint32) []byte { return AppendDelayALU(dst, v) }},
		{onAll, "ds_swizzle_b32 v0, v1 offset:%d", "ds_swizzle_b32 v0, v1", AppendSwizzle},
	}
	for _, tt := range tests {
		t.Run(strings.Fields(tt.line)[0], func(t *testing.T) {
			var w wrong
			lines := make([]string, 1<<16)
			for i := range lines {
				lines[i] = fmt.Sprintf(tt.line, i)
			}
			for _, s := range setsOf(tt.sets) {
				for v, want := range mcPrint(t, s, lines) {
					if got := string(tt.append([]byte(tt.before), s, uint32(v))); got != want {
						w.f(t, "%v: %#x: got %q, want %q", s, v, got, want)
					}
				}
			}
		})
	}
}

// Operands that the assembler prints otherwise than the disassembler.
func TestSymDisassembled16(t *testing.T) {
	noSet := func(f func([]byte, uint32) []byte) func([]byte, Set, uint32) []byte {
		return func(dst []byte, _ Set, v uint32) []byte { return f(dst, v) }
	}
	tests := []struct {
		sets   SetMask
		sample string
		before string
		append func([]byte, Set, uint32) []byte
	}{
		{1<<GFX1010 | 1<<GFX1250, "s_version 0", "s_version ", noSet(AppendVersion)},
		{1<<GFX803 | 1<<GFX942, "s_set_gpr_idx_mode 0", "s_set_gpr_idx_mode ", noSet(AppendGprIdx)},
	}
	for _, tt := range tests {
		t.Run(strings.Fields(tt.sample)[0], func(t *testing.T) {
			var w wrong
			for _, s := range setsOf(tt.sets) {
				base := dword(mcOne(t, s, tt.sample), 0)
				insts := make([][]byte, 1<<16)
				for v := range insts {
					insts[v] = word(base | uint32(v))
				}
				for v, want := range mcDisassemble(t, s, strings.Fields(tt.sample)[0], insts) {
					if got := string(tt.append([]byte(tt.before), s, uint32(v))); got != want {
						w.f(t, "%v: %#x: got %q, want %q", s, v, got, want)
					}
				}
			}
		})
	}
}

// errorKinds translates llvm-mc's messages for a name to a status.
func errorKind(err string) Status {
	switch {
	case err == "":
		return Found
	case strings.Contains(err, "not supported on this GPU"), strings.Contains(err, "not available on this GPU"):
		return NotSupported
	case strings.Contains(err, "duplicate"):
		return Duplicate
	case strings.Contains(err, "too large value"), strings.Contains(err, "invalid value for"):
		return BadValue
	}
	return Unknown
}

func rowNames(tables ...[]symRow) (names []string) {
	for _, rows := range tables {
		for _, r := range rows {
			names = append(names, r.name)
		}
	}
	return names
}

// Every name of every table on every set: accepted with the same value, or
// refused for the same reason.
func TestSymNames(t *testing.T) {
	simm16 := func(b []byte) uint32 { return dword(b, 0) & 0xffff }
	tests := []struct {
		name  string
		sets  SetMask
		line  string
		names []string
		find  func(Set, []byte) (uint32, Status)
		value func([]byte) uint32
	}{
		{"hwreg", onAll, "s_getreg_b32 s0, hwreg(%s)",
			append(rowNames(hwregNames), "HW_REG_", "HW_REG_PC_LO", "hw_reg_mode", "HW_REG_WAVE_IB_STS"),
			HwregByName, func(b []byte) uint32 { return simm16(b) & 63 }},
		{"sendmsg", onAll, "s_sendmsg sendmsg(%s)",
			append(rowNames(msgNames), "MSG_", "msg_interrupt", "MSG_RTN_SAVE_WAVE_HAS_TDM"), nil, simm16},
		{"sysmsg op", onAll, "s_sendmsg sendmsg(MSG_SYSMSG, %s)", append(rowNames(sysMsgOps), "GS_OP_CUT", "X"),
			func(s Set, n []byte) (uint32, Status) { return MsgOpByName(s, msgSys, n) },
			func(b []byte) uint32 { return simm16(b) >> 4 }},
		{"gs op", onAll, "s_sendmsg sendmsg(3, %s)", append(rowNames(gsMsgOps), "SYSMSG_OP_REG_RD", "X"),
			func(s Set, n []byte) (uint32, Status) { return MsgOpByName(s, msgGSDone, n) },
			func(b []byte) uint32 { return simm16(b) >> 4 }},
		{"version", SinceGFX1010, "s_version %s", append(rowNames(versionNames, versionFlags), "UC_VERSION_GFX9"),
			func(_ Set, n []byte) (uint32, Status) { return VersionByName(n) }, simm16},
		{"gpr_idx", onGFX8 | onGFX9, "s_set_gpr_idx_mode gpr_idx(%s)", append([]string{"src0", "SRC3"}, gprIdxNames...),
			func(_ Set, n []byte) (uint32, Status) { return GprIdxByName(n) }, simm16},
		{"instid0", SinceGFX1100, "s_delay_alu instid0(%s)", append([]string{"NEXT", "VALU_DEP_5"}, delayInstIDs...),
			func(_ Set, n []byte) (uint32, Status) { return DelayValueByName(0, n) }, simm16},
		{"instskip", SinceGFX1100, "s_delay_alu instskip(%s)", append([]string{"NO_DEP", "SKIP_5"}, delaySkips...),
			func(_ Set, n []byte) (uint32, Status) { return DelayValueByName(1, n) }, simm16},
		{"instid1", SinceGFX1100, "s_delay_alu instid1(%s)", delayInstIDs,
			func(_ Set, n []byte) (uint32, Status) { return DelayValueByName(2, n) }, simm16},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var w wrong
			lines := make([]string, len(tt.names))
			for i, n := range tt.names {
				lines[i] = fmt.Sprintf(tt.line, n)
			}
			for _, s := range setsOf(tt.sets) {
				find := tt.find
				if find == nil {
					find = MsgByName
				}
				for i, r := range mcAssemble(t, s, lines) {
					v, st := find(s, []byte(tt.names[i]))
					want := errorKind(r.err)
					if r.err == "missing message operation" {
						want = Found // it is the name that counts here
						if !MsgRequiresOp(s, int64(v)) {
							w.f(t, "%v: %s: requires an operation", s, tt.names[i])
						}
					}
					if st != want || r.err == "" && v != tt.value(r.bytes) {
						w.f(t, "%v: %s: got %d status %d, want %x %q", s, tt.names[i], v, st, r.bytes, r.err)
					}
				}
			}
		})
	}
}

// sendMsgProblem checks a sendmsg operand as the assembler does and returns
// LLVM's error for it.
func sendMsgProblem(s Set, id, op, stream int64, named, hasOp, hasStream bool) string {
	switch {
	case !named && !ValidMsgID(s, id):
		return "invalid message id"
	case named && hasOp && !MsgRequiresOp(s, id):
		return "message does not support operations"
	case named && !hasOp && MsgRequiresOp(s, id):
		return "missing message operation"
	case !ValidMsgOp(s, id, op, named):
		return "invalid operation id"
	case named && hasStream && !MsgSupportsStream(s, id, op):
		return "message operation does not support streams"
	case !ValidMsgStream(s, id, op, stream, named):
		return "invalid message stream id"
	}
	return ""
}

func TestSymSendMsgChecks(t *testing.T) {
	type msg struct {
		id, op, stream          int64
		named, hasOp, hasStream bool
	}
	ids := []int64{-1, 0, 1, 2, 3, 4, 9, 10, 11, 15, 16, 127, 128, 135, 255, 256}
	for _, s := range setsOf(onAll) {
		var w wrong
		var msgs []msg
		var lines []string
		for _, named := range []bool{false, true} {
			for _, id := range ids {
				text := fmt.Sprint(id)
				if named {
					if text = MsgName(s, uint32(id)); text == "" {
						continue
					}
				}
				msgs = append(msgs, msg{id, 0, 0, named, false, false})
				lines = append(lines, fmt.Sprintf("s_sendmsg sendmsg(%s)", text))
				for op := int64(-1); op <= 8; op++ {
					msgs = append(msgs, msg{id, op, 0, named, true, false})
					lines = append(lines, fmt.Sprintf("s_sendmsg sendmsg(%s, %d)", text, op))
					for stream := int64(-1); stream <= 4; stream++ {
						msgs = append(msgs, msg{id, op, stream, named, true, true})
						lines = append(lines, fmt.Sprintf("s_sendmsg sendmsg(%s, %d, %d)", text, op, stream))
					}
				}
			}
		}
		for i, r := range mcAssemble(t, s, lines) {
			m := msgs[i]
			got := sendMsgProblem(s, m.id, m.op, m.stream, m.named, m.hasOp, m.hasStream)
			if got != r.err {
				w.f(t, "%v: %s: got %q, want %q", s, lines[i], got, r.err)
			} else if got == "" {
				v := EncodeMsg(uint32(m.id), uint32(m.op), uint32(m.stream))
				if want := dword(r.bytes, 0) & 0xffff; v != want {
					w.f(t, "%v: %s: got %#x, want %#x", s, lines[i], v, want)
				}
			}
		}
	}
}

func TestSymHwregFields(t *testing.T) {
	var lines, want []string
	for _, v := range [][3]int64{{0, 0, 1}, {63, 31, 32}, {64, 0, 1}, {-1, 0, 1}, {0, 32, 1}, {0, -1, 1}, {1, 0, 0}, {1, 0, 33}, {1, 0, 5}} {
		lines = append(lines, fmt.Sprintf("s_getreg_b32 s0, hwreg(%d, %d, %d)", v[0], v[1], v[2]))
		problem := ""
		for f := HwregField(0); f <= HwregSize && problem == ""; f++ {
			if p := CheckHwregField(f, v[f]); p != "" {
				problem = "invalid " + f.String() + ": " + p
			}
		}
		want = append(want, problem)
	}
	s := GFX900
	for i, r := range mcAssemble(t, s, lines) {
		if r.err != want[i] {
			t.Errorf("%s: got %q, want %q", lines[i], want[i], r.err)
		}
	}
	// The structured form has the same fields and defaults.
	for i, r := range mcAssemble(t, s, []string{"s_getreg_b32 s0, {id: 5}", "s_getreg_b32 s0, {size: 3, offset: 2}"}) {
		v := EncodeHwreg(5, HwregOffset.Default(), HwregSize.Default())
		if i == 1 {
			v = EncodeHwreg(HwregID.Default(), 2, 3)
		}
		if r.err != "" || dword(r.bytes, 0)&0xffff != v {
			t.Errorf("structured form %d: got %#x, want %x %s", i, v, r.bytes, r.err)
		}
	}
}

func TestSymWaitcntEncode(t *testing.T) {
	for _, s := range setsOf(onAll &^ SinceGFX1250) {
		var w wrong
		var lines []string
		var values []uint32
		var status []Status
		for _, base := range append(waitNames[:], "vscnt", "VMCNT", "vmcnt_", "xvmcnt") {
			for _, suffix := range []string{"", "_sat"} {
				for _, n := range []int64{-1, 0, 1, 3, 7, 8, 15, 16, 31, 63, 64, 1 << 33} {
					lines = append(lines, fmt.Sprintf("s_waitcnt %s%s(%d)", base, suffix, n))
					c, sat, st := WaitcntByName([]byte(base + suffix))
					v := WaitcntDefault(s)
					if st == Found {
						v, st = EncodeWaitcnt(s, v, c, n, sat)
					}
					values, status = append(values, v), append(status, st)
				}
			}
		}
		for i, r := range mcAssemble(t, s, lines) {
			if errorKind(r.err) != status[i] || r.err == "" && dword(r.bytes, 0)&0xffff != values[i] {
				w.f(t, "%v: %s: got %#x status %d, want %x %q", s, lines[i], values[i], status[i], r.bytes, r.err)
			}
		}
	}
}

func TestSymDepCtrEncode(t *testing.T) {
	for _, s := range setsOf(SinceGFX1010) {
		var w wrong
		mnemonic := "s_waitcnt_depctr"
		if SinceGFX1200.Has(s) {
			mnemonic = "s_wait_alu"
		}
		names := []string{"depctr_xx", "hold_cnt"}
		for i := range depCtrFields {
			names = append(names, depCtrFields[i].name)
		}
		type call struct {
			name string
			n    int64
		}
		var calls [][]call
		for _, n := range names {
			for _, v := range []int64{-1, 0, 1, 2, 7, 8, 15, 16} {
				calls = append(calls, []call{{n, v}})
			}
			calls = append(calls, []call{{n, 0}, {n, 0}}, []call{{"depctr_sa_sdst", 0}, {n, 1}})
		}
		lines := make([]string, len(calls))
		for i, c := range calls {
			lines[i] = mnemonic
			for _, f := range c {
				lines[i] += fmt.Sprintf(" %s(%d)", f.name, f.n)
			}
		}
		for i, r := range mcAssemble(t, s, lines) {
			v, st, used := DepCtrDefault(s), Found, uint32(0)
			for _, f := range calls[i] {
				if v, st = EncodeDepCtr(s, v, []byte(f.name), f.n, &used); st != Found {
					break
				}
			}
			if errorKind(r.err) != st || r.err == "" && dword(r.bytes, 0)&0xffff != v {
				w.f(t, "%v: %s: got %#x status %d, want %x %q", s, lines[i], v, st, r.bytes, r.err)
			}
		}
	}
}

func TestSymSwizzleEncode(t *testing.T) {
	var lines []string
	var modes []SwizzleMode
	var args [][]int64
	add := func(m SwizzleMode, a ...int64) {
		text := swizzleModes[m].name
		for _, v := range a {
			text += fmt.Sprintf(",%d", v)
		}
		lines = append(lines, "ds_swizzle_b32 v0, v1 offset:swizzle("+text+")")
		modes, args = append(modes, m), append(args, a)
	}
	for a := int64(-1); a <= 33; a++ {
		add(SwizzleSwap, a)
		add(SwizzleReverse, a)
		add(SwizzleFFT, a)
		for b := int64(-1); b <= 33; b++ {
			add(SwizzleBroadcast, a, b)
			if a < 3 {
				add(SwizzleRotate, a, b)
			}
		}
		if a < 5 {
			add(SwizzleQuadPerm, a, 1, 2, 3)
			add(SwizzleQuadPerm, 3, a, 1, 0)
			add(SwizzleQuadPerm, 0, 0, a, 1)
			add(SwizzleQuadPerm, 1, 2, 3, a)
		}
	}
	for _, s := range setsOf(onAll) {
		var w wrong
		for i, r := range mcAssemble(t, s, lines) {
			m := modes[i]
			if _, st := SwizzleByName(s, []byte(swizzleModes[m].name)); st != Found {
				if st != NotSupported || !strings.HasSuffix(r.err, "mode swizzle not supported on this GPU") {
					w.f(t, "%v: %s: got status %d, want %q", s, lines[i], st, r.err)
				}
				continue
			}
			problem := ""
			for n := 0; n < m.Args() && problem == ""; n++ {
				problem = CheckSwizzleArg(m, args[i][:n+1], n)
			}
			if problem != r.err || problem == "" && EncodeSwizzle(m, args[i]) != dword(r.bytes, 0)&0xffff {
				w.f(t, "%v: %s: got %q, want %x %q", s, lines[i], problem, r.bytes, r.err)
			}
		}
	}
}

func TestSymSwizzleMask(t *testing.T) {
	var masks []string
	const chars = "01pi"
	for i := 0; i < 1024; i++ {
		m := ""
		for n := i; len(m) < 5; n /= 4 {
			m += chars[n%4 : n%4+1]
		}
		masks = append(masks, m)
	}
	masks = append(masks, "0000", "000000", "0000x", "P0000", "")
	lines := make([]string, len(masks))
	for i, m := range masks {
		lines[i] = fmt.Sprintf("ds_swizzle_b32 v0, v1 offset:swizzle(BITMASK_PERM,%q)", m)
	}
	var w wrong
	for i, r := range mcAssemble(t, GFX900, lines) {
		v, problem := EncodeSwizzleMask([]byte(masks[i]))
		if problem != r.err || problem == "" && v != dword(r.bytes, 0)&0xffff {
			w.f(t, "%s: got %#x %q, want %x %q", lines[i], v, problem, r.bytes, r.err)
		}
	}
}
