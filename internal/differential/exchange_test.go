package differential

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// An exchange passes a number of each lane to other lanes, between two phases. What
// it does is the same for waves of 32 and of 64 lanes: all stays within 32 lanes.
type exchange struct {
	from [groupSize]int // the lane that each lane gets a number from; -1: what takes names
	op   string         // what is done with the number that comes and the lane's own
	code string         // GPU: makes %y<p> of %x<p>; P stands for the phase
	take string         // host: makes %src of %lid and %x, for lanes of from -1
	mask bool           // the lanes whose number is negative, instead of a number
}

// lane numbers a lane in its wave.
const lane = `  %lP.0 = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %lP = call i32 @llvm.amdgcn.mbcnt.hi(i32 -1, i32 %lP.0)
`

func newExchange(r *rand.Rand) *exchange {
	x := &exchange{op: [...]string{"add", "xor", "sub", "and"}[r.IntN(4)]}
	switch r.IntN(8) {
	case 0:
		x.swizzle(r.IntN(32), r.IntN(32), r.IntN(32))
	case 1: // to a lane of one's choice
		x.code = lane + "  %bP.0 = and i32 %lP, 32\n  %bP.1 = and i32 %xP, 31\n  %bP.2 = or i32 %bP.0, %bP.1\n  %bP = shl i32 %bP.2, 2\n" +
			"  %yP = call i32 @llvm.amdgcn.ds.bpermute(i32 %bP, i32 %xP)\n"
		x.take = "  %t0 = and i32 %lid, -32\n  %t1 = and i32 %x, 31\n  %src = or i32 %t0, %t1\n"
		for i := range x.from {
			x.from[i] = -1
		}
	case 2:
		x.permute(2*r.IntN(16)+1, r.IntN(32))
	case 3:
		x.mask = true
		x.code = lane + "  %cP = icmp slt i32 %xP, 0\n  %mP = call i64 @llvm.amdgcn.ballot.i64(i1 %cP)\n  %hP.0 = and i32 %lP, 32\n" +
			"  %hP = zext i32 %hP.0 to i64\n  %mP.0 = lshr i64 %mP, %hP\n  %yP = trunc i64 %mP.0 to i32\n"
	default:
		x.dpp(r)
	}
	return x
}

func (x *exchange) swizzle(and, or, xor int) {
	for i := range x.from {
		x.from[i] = i&^31 | (i&31&and | or) ^ xor
	}
	x.code = fmt.Sprintf("  %%yP = call i32 @llvm.amdgcn.ds.swizzle(i32 %%xP, i32 %d)\n", and|or<<5|xor<<10)
}

// permute sends numbers, where bpermute fetches them.
func (x *exchange) permute(mul, add int) {
	for i := range x.from {
		x.from[i&^31|(i*mul+add)&31] = i
	}
	x.code = lane + fmt.Sprintf("  %%bP.0 = mul i32 %%lP, %d\n  %%bP.1 = add i32 %%bP.0, %d\n  %%bP.2 = and i32 %%bP.1, 31\n", mul, add) +
		"  %bP.3 = and i32 %lP, 32\n  %bP.4 = or i32 %bP.2, %bP.3\n  %bP = shl i32 %bP.4, 2\n" +
		"  %yP = call i32 @llvm.amdgcn.ds.permute(i32 %bP, i32 %xP)\n"
}

// dpp moves numbers within rows of 16 lanes. Lanes that get none keep their own.
func (x *exchange) dpp(r *rand.Rand) {
	ctrl, n := 0, 1+r.IntN(15)
	var row func(i int) int // the lane of a row that lane i gets a number from
	switch r.IntN(6) {
	case 0:
		ctrl = r.IntN(256)
		row = func(i int) int { return i&^3 | ctrl>>(i&3*2)&3 }
	case 1:
		ctrl, row = 0x100+n, func(i int) int { return i + n } // row_shl
	case 2:
		ctrl, row = 0x110+n, func(i int) int { return i - n } // row_shr
	case 3:
		ctrl, row = 0x120+n, func(i int) int { return (i - n) & 15 } // row_ror
	case 4:
		ctrl, row = 0x140, func(i int) int { return 15 - i } // row_mirror
	case 5:
		ctrl, row = 0x141, func(i int) int { return i ^ 7 } // row_half_mirror
	}
	rows, banks := [...]int{15, 15, 5, 10}[r.IntN(4)], 15
	if r.IntN(2) == 0 {
		banks = r.IntN(16)
	}
	for i := range x.from {
		x.from[i] = i
		if k := row(i & 15); k >= 0 && k < 16 && rows>>(i>>4&1)&1 != 0 && banks>>(i>>2&3)&1 != 0 {
			x.from[i] = i&^15 | k
		}
	}
	x.code = fmt.Sprintf("  %%yP = call i32 @llvm.amdgcn.update.dpp.i32(i32 %%xP, i32 %%xP, i32 %d, i32 %d, i32 %d, i1 false)\n", ctrl, rows, banks)
}

// gpu writes the exchange behind phase p.
func (x *exchange) gpu(b *strings.Builder, p int) {
	text := fmt.Sprintf(`  %%oP = mul i32 %%gid, %d
  %%aP = getelementptr i8, ptr addrspace(1) %%out, i32 %%oP
  %%giveP = getelementptr i8, ptr addrspace(1) %%aP, i32 %d
  %%takeP = getelementptr i8, ptr addrspace(1) %%aP, i32 %d
  %%xP = load i32, ptr addrspace(1) %%giveP, align 4
%s  %%zP = %s i32 %%yP, %%xP
  store i32 %%zP, ptr addrspace(1) %%takeP, align 4
`, slotSize, slotFree, slotFree+4, x.code, x.op)
	b.WriteString(strings.ReplaceAll(text, "P", fmt.Sprint(p)))
}

// host writes a function that makes the exchange for a group.
func (x *exchange) host(b *strings.Builder, name string) {
	table := make([]string, groupSize)
	for i, f := range x.from {
		table[i] = fmt.Sprintf("i32 %d", f)
	}
	fmt.Fprintf(b, "@%s.t = internal constant [%d x i32] [%s]\n", name, groupSize, strings.Join(table, ", "))
	fmt.Fprintf(b, "define internal void @%s(i32 %%g, ptr addrspace(1) %%out) #1 {\n%s", name, hostLoopHead)
	address := func(v, index string, off int) {
		fmt.Fprintf(b, "  %%%s.0 = mul i32 %s, %d\n  %%%[1]s.1 = add i32 %%%[1]s.0, %[4]d\n  %%%[1]s = getelementptr i8, ptr addrspace(1) %%out, i32 %%%[1]s.1\n", v, index, slotSize, off)
	}
	address("own", "%gid", slotFree)
	b.WriteString("  %x = load i32, ptr addrspace(1) %own, align 4\n")
	switch {
	case x.mask:
		b.WriteString("  %first = and i32 %gid, -32\n")
		last := "0"
		for i := range 32 {
			n := fmt.Sprintf("m%d", i)
			fmt.Fprintf(b, "  %%%s.l = add i32 %%first, %d\n", n, i)
			address(n, "%"+n+".l", slotFree)
			fmt.Fprintf(b, "  %%%s.v = load i32, ptr addrspace(1) %%%[1]s, align 4\n  %%%[1]s.s = lshr i32 %%%[1]s.v, 31\n", n)
			fmt.Fprintf(b, "  %%%s.b = shl i32 %%%[1]s.s, %d\n  %%%[1]s.o = or i32 %%%[1]s.b, %[3]s\n", n, i, last)
			last = "%" + n + ".o"
		}
		fmt.Fprintf(b, "  %%y = or i32 %s, 0\n", last)
	case x.take != "":
		b.WriteString(x.take)
	default:
		fmt.Fprintf(b, "  %%tp = getelementptr i32, ptr @%s.t, i32 %%lid\n  %%src = load i32, ptr %%tp, align 4\n", name)
	}
	if !x.mask {
		b.WriteString("  %sg = or i32 %gb, %src\n")
		address("from", "%sg", slotFree)
		b.WriteString("  %y = load i32, ptr addrspace(1) %from, align 4\n")
	}
	fmt.Fprintf(b, "  %%z = %s i32 %%y, %%x\n", x.op)
	address("to", "%gid", slotFree+4)
	b.WriteString("  store i32 %z, ptr addrspace(1) %to, align 4\n")
	b.WriteString(hostLoopTail)
}
