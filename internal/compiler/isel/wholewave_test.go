package isel_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/compile"
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// wholeCase is code with whole wave mode, which runs in lanes with a bit of 5
// in their number, and the expected result %r, computed by hand. x are the
// values of all lanes, on are the lanes that run the code.
type wholeCase struct {
	name, body, functions string
	want                  func(x []uint32, on []bool, lane int) uint32
	large                 bool // needs more registers than the smallest limit
	ours                  bool // llc does not select it, or mixes lanes of phis
}

// all returns the sum of a function's results for the lanes of a wave.
func all(x []uint32, f func(n int) uint32) (sum uint32) {
	for n := range x {
		sum += f(n)
	}
	return sum
}

// onOr returns the value of an active lane, otherwise other.
func onOr(x []uint32, on []bool, n int, other uint32) uint32 {
	if on[n] {
		return x[n]
	}
	return other
}

// square returns what helper lanes compute from their number.
func square(lane int) uint32 { return uint32(lane*lane + 7) }

// rowSums adds 16 lanes with moves between them, so that a row's sum is in its
// last lane, then adds the rows. $R runs for each lane that ends a row.
const rowSums = `
  %d1 = call i32 @llvm.amdgcn.update.dpp.i32(i32 0, i32 %s, i32 273, i32 15, i32 15, i1 false)
  %s1 = add i32 %s, %d1
  %d2 = call i32 @llvm.amdgcn.update.dpp.i32(i32 0, i32 %s1, i32 274, i32 15, i32 15, i1 false)
  %s2 = add i32 %s1, %d2
  %d3 = call i32 @llvm.amdgcn.update.dpp.i32(i32 0, i32 %s2, i32 276, i32 15, i32 15, i1 false)
  %s3 = add i32 %s2, %d3
  %d4 = call i32 @llvm.amdgcn.update.dpp.i32(i32 0, i32 %s3, i32 280, i32 15, i32 15, i1 false)
  %s4 = add i32 %s3, %d4
  $R
`

// wholeCases lists the cases. $W is the wave size, $Z computes i32 %n from a
// number %n0 of that size.
var wholeCases = []wholeCase{
	{name: "sum", body: "%s = call i32 @llvm.amdgcn.set.inactive.i32(i32 %x, i32 0)" + rowSums + "  %r = call i32 @llvm.amdgcn.strict.wwm.i32(i32 %sum)",
		want: func(x []uint32, on []bool, _ int) uint32 {
			return all(x, func(n int) uint32 { return onOr(x, on, n, 0) })
		}},
	{name: "off", body: "%s = call i32 @llvm.amdgcn.set.inactive.i32(i32 %x, i32 123456)" + rowSums + "  %r = call i32 @llvm.amdgcn.wwm.i32(i32 %sum)",
		want: func(x []uint32, on []bool, _ int) uint32 {
			return all(x, func(n int) uint32 { return onOr(x, on, n, 123456) })
		}},
	{name: "neighbour", body: `%s = call i32 @llvm.amdgcn.set.inactive.i32(i32 %x, i32 77)
  %d = call i32 @llvm.amdgcn.update.dpp.i32(i32 %s, i32 %s, i32 177, i32 15, i32 15, i1 false)
  %e = mul i32 %d, 3
  %w = call i32 @llvm.amdgcn.strict.wwm.i32(i32 %e)
  %r = add i32 %w, %x`,
		want: func(x []uint32, on []bool, lane int) uint32 { return 3*onOr(x, on, lane^1, 77) + x[lane] }},
	{name: "loads", body: `%lo = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %lane = call i32 @llvm.amdgcn.mbcnt.hi(i32 -1, i32 %lo)
  %at = mul i32 %lane, 2048
  %lp = getelementptr i8, ptr addrspace(1) %base, i32 %at
  %pl = getelementptr i8, ptr addrspace(1) %lp, i32 96
  %s = load i32, ptr addrspace(1) %pl` + rowSums + `  %w = call i32 @llvm.amdgcn.strict.wwm.i32(i32 %sum)
  %own = load i32, ptr addrspace(1) %pl
  %r = xor i32 %w, %own`},
	{name: "wide", body: `%wx = zext i32 %x to i64
  %big = mul i64 %wx, 4294967299
  %s = call i64 @llvm.amdgcn.set.inactive.i64(i64 %big, i64 81985529216486895)
  %a = call i64 @llvm.amdgcn.readlane.i64(i64 %s, i32 0)
  %bv = call i64 @llvm.amdgcn.readlane.i64(i64 %s, i32 3)
  %c = add i64 %s, %a
  %d = add i64 %c, %bv
  %e = call i64 @llvm.amdgcn.update.dpp.i64(i64 0, i64 %d, i32 177, i32 15, i32 15, i1 false)
  %w = call i64 @llvm.amdgcn.strict.wwm.i64(i64 %e)
  %hi = lshr i64 %w, 32
  %mix = xor i64 %w, %hi
  %r = trunc i64 %mix to i32`,
		want: func(x []uint32, on []bool, lane int) uint32 {
			v := func(n int) uint64 {
				if on[n] {
					return uint64(x[n]) * 4294967299
				}
				return 81985529216486895
			}
			w := v(lane^1) + v(0) + v(3)
			return uint32(w ^ w>>32)
		}},
	{name: "two", body: `%s = call i32 @llvm.amdgcn.set.inactive.i32(i32 %x, i32 5)
  %d = call i32 @llvm.amdgcn.update.dpp.i32(i32 0, i32 %s, i32 177, i32 15, i32 15, i1 false)
  %a = add i32 %s, %d
  %w1 = call i32 @llvm.amdgcn.strict.wwm.i32(i32 %a)
  %m = mul i32 %w1, %x
  %s2 = call i32 @llvm.amdgcn.set.inactive.i32(i32 %m, i32 %a)
  %d2 = call i32 @llvm.amdgcn.update.dpp.i32(i32 0, i32 %s2, i32 78, i32 15, i32 15, i1 false)
  %bv = sub i32 %d2, %a
  %w2 = call i32 @llvm.amdgcn.strict.wwm.i32(i32 %bv)
  %r = add i32 %w2, %w1`,
		want: func(x []uint32, on []bool, lane int) uint32 {
			a := func(n int) uint32 { return onOr(x, on, n, 5) + onOr(x, on, n^1, 5) }
			s2 := func(n int) uint32 {
				if on[n] {
					return a(n) * x[n]
				}
				return a(n)
			}
			return s2(lane^2) - a(lane) + a(lane)
		}},
	{name: "nested", body: `%s = call i32 @llvm.amdgcn.set.inactive.i32(i32 %x, i32 9)
  %a = mul i32 %s, 7
  %w1 = call i32 @llvm.amdgcn.strict.wwm.i32(i32 %a)
  %d = call i32 @llvm.amdgcn.update.dpp.i32(i32 0, i32 %w1, i32 177, i32 15, i32 15, i1 false)
  %r = call i32 @llvm.amdgcn.strict.wwm.i32(i32 %d)`,
		want: func(x []uint32, on []bool, lane int) uint32 { return 7 * onOr(x, on, lane^1, 9) }},
	{name: "compare", body: `%s = call i32 @llvm.amdgcn.set.inactive.i32(i32 %x, i32 50)
  %c = icmp ult i32 %s, 1056964608
  %y1 = select i1 %c, i32 %s, i32 11
  %mask = call i$W @llvm.amdgcn.ballot.i$W(i1 %c)
  %n0 = call i$W @llvm.ctpop.i$W(i$W %mask)
  $Z
  %z = add i32 %y1, %n
  %r = call i32 @llvm.amdgcn.strict.wwm.i32(i32 %z)`,
		want: func(x []uint32, on []bool, lane int) uint32 {
			n := all(x, func(n int) uint32 {
				if onOr(x, on, n, 50) < 1056964608 {
					return 1
				}
				return 0
			})
			if x[lane] < 1056964608 {
				return x[lane] + n
			}
			return 11 + n
		}},
	{name: "loop", body: `%times = and i32 %tid, 3
  br label %loop
loop:
  %i = phi i32 [ 0, %then ], [ %i1, %loop ]
  %acc = phi i32 [ %x, %then ], [ %acc1, %loop ]
  %s = call i32 @llvm.amdgcn.set.inactive.i32(i32 %i, i32 100)` + rowSums + `  %w = call i32 @llvm.amdgcn.strict.wwm.i32(i32 %sum)
  %acc1 = add i32 %acc, %w
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i, %times
  br i1 %more, label %loop, label %done
done:
  %r = add i32 %acc1, 1`,
		want: func(x []uint32, on []bool, lane int) uint32 {
			r := x[lane] + 1
			for i := 0; i <= lane&3; i++ {
				r += all(x, func(n int) uint32 {
					if on[n] && n&3 >= i {
						return uint32(i)
					}
					return 100
				})
			}
			return r
		}},
	{name: "blocks", body: `%s = call i32 @llvm.amdgcn.set.inactive.i32(i32 %x, i32 7)
  %bit = and i32 %tid, 2
  %cv = icmp ne i32 %bit, 0
  br i1 %cv, label %inner, label %done
inner:` + rowSums + `  %w = call i32 @llvm.amdgcn.strict.wwm.i32(i32 %sum)
  br label %done
done:
  %r = phi i32 [ %x, %then ], [ %w, %inner ]`,
		want: func(x []uint32, on []bool, lane int) uint32 {
			if lane&2 == 0 {
				return x[lane]
			}
			return all(x, func(n int) uint32 { return onOr(x, on, n, 7) })
		}},
	{name: "workitem", body: `%t = and i32 %tid, $M
  %d = call i32 @llvm.amdgcn.update.dpp.i32(i32 0, i32 %t, i32 177, i32 15, i32 15, i1 false)
  %e = mul i32 %d, 3
  %w = call i32 @llvm.amdgcn.strict.wwm.i32(i32 %e)
  %r = add i32 %w, %x`,
		want: func(x []uint32, on []bool, lane int) uint32 { return 3*uint32(lane^1) + x[lane] }},
	{name: "accumulate", large: true, body: `%s = call i64 @llvm.amdgcn.set.inactive.i64(i64 5, i64 4294967299)
  %wx = zext i32 %x to i64
  %s2 = call i64 @llvm.amdgcn.set.inactive.i64(i64 %wx, i64 %s)
  br label %loop
loop:
  %i = phi i32 [ 0, %then ], [ %i1, %loop ]
  %acc = phi i64 [ %s2, %then ], [ %old, %loop ]
  %old = phi i64 [ %s, %then ], [ %acc1, %loop ]
  %d = call i64 @llvm.amdgcn.update.dpp.i64(i64 0, i64 %acc, i32 177, i32 15, i32 15, i1 false)
  %acc1 = add i64 %d, %old
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, 4
  br i1 %more, label %loop, label %done
done:
  %w = call i64 @llvm.amdgcn.strict.wwm.i64(i64 %acc1)
  %hi = lshr i64 %w, 32
  %mix = xor i64 %w, %hi
  %r = trunc i64 %mix to i32`,
		want: func(x []uint32, on []bool, lane int) uint32 {
			acc, old := make([]uint64, len(x)), make([]uint64, len(x))
			for n := range x {
				acc[n], old[n] = 4294967299, 4294967299
				if on[n] {
					acc[n], old[n] = uint64(x[n]), 5
				}
			}
			for range 4 {
				next := make([]uint64, len(x))
				for n := range x {
					next[n] = acc[n^1] + old[n]
				}
				acc, old = old, next
			}
			return uint32(old[lane] ^ old[lane]>>32)
		}},
	{name: "quads", body: `%lo = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %lane = call i32 @llvm.amdgcn.mbcnt.hi(i32 -1, i32 %lo)
  %below = icmp ult i32 %lane, 9
  br i1 %below, label %inner, label %done
inner:
  %s = call i32 @llvm.amdgcn.set.inactive.i32(i32 %x, i32 9)
  %d = call i32 @llvm.amdgcn.update.dpp.i32(i32 0, i32 %s, i32 177, i32 15, i32 15, i1 false)
  %mask = call i$W @llvm.amdgcn.ballot.i$W(i1 true)
  %n0 = call i$W @llvm.ctpop.i$W(i$W %mask)
  $Z
  %e = add i32 %d, %n
  %w = call i32 @llvm.amdgcn.strict.wqm.i32(i32 %e)
  br label %done
done:
  %r = phi i32 [ %x, %then ], [ %w, %inner ]`,
		want: func(x []uint32, on []bool, lane int) uint32 {
			if lane >= 9 {
				return x[lane]
			}
			return onOr(x, on, lane^1, 9) + 8 // lane 8 is off, so the third quad is, too
		}},
	{name: "kept", body: `%s = call i32 @llvm.amdgcn.set.inactive.i32(i32 %x, i32 3)
  %y9 = call i32 @many(i32 %x)
  br label %inner
inner:` + rowSums + `  %w = call i32 @llvm.amdgcn.strict.wwm.i32(i32 %sum)
  %r = add i32 %w, %y9`,
		functions: `define internal i32 @many(i32 %x) noinline {
  call void asm sideeffect "v_mov_b32 v0, 1\0Av_mov_b32 v5, 1\0Av_mov_b32 v20, 2\0Av_mov_b32 v30, 2", "~{v0},~{v5},~{v20},~{v30},~{v40},~{v41}"()
  %y = mul i32 %x, 11
  ret i32 %y
}
`,
		want: func(x []uint32, on []bool, lane int) uint32 {
			return all(x, func(n int) uint32 { return onOr(x, on, n, 3) }) + 11*x[lane]
		}},
	{name: "inplace", body: `%s = load i32, ptr addrspace(1) %px
  store i32 7, ptr addrspace(1) %px` + rowSums + `  %w = call i32 @llvm.amdgcn.strict.wwm.i32(i32 %sum)
  %r = xor i32 %w, %x`,
		want: func(x []uint32, on []bool, lane int) uint32 {
			return all(x, func(n int) uint32 { return x[n] }) ^ x[lane]
		}},
	{name: "call", body: `%r0 = call i32 @sum_of(i32 %x)
  %r = add i32 %r0, %x`,
		functions: `define internal i32 @sum_of(i32 %x) noinline {
  %s = call i32 @llvm.amdgcn.set.inactive.i32(i32 %x, i32 3)` + rowSums + `  %r = call i32 @llvm.amdgcn.strict.wwm.i32(i32 %sum)
  %q = mul i32 %r, %x
  ret i32 %q
}
`,
		want: func(x []uint32, on []bool, lane int) uint32 {
			return all(x, func(n int) uint32 { return onOr(x, on, n, 3) })*x[lane] + x[lane]
		}},
	{name: "truth", body: `%s = call i32 @llvm.amdgcn.set.inactive.i32(i32 %x, i32 50)
  %cv = icmp ult i32 %s, 1056964608
  %bit = and i32 %tid, 2
  %c2 = icmp ne i32 %bit, 0
  br i1 %c2, label %inner, label %done
inner:
  %y1 = select i1 %cv, i32 20, i32 30
  %d = call i32 @llvm.amdgcn.update.dpp.i32(i32 0, i32 %y1, i32 177, i32 15, i32 15, i1 false)
  %c3 = icmp eq i32 %d, 20
  %w = call i1 @llvm.amdgcn.strict.wwm.i1(i1 %c3)
  %w32 = zext i1 %w to i32
  br label %done
done:
  %r = phi i32 [ %x, %then ], [ %w32, %inner ]`,
		want: func(x []uint32, on []bool, lane int) uint32 {
			switch {
			case lane&2 == 0:
				return x[lane]
			case onOr(x, on, lane^1, 50) < 1056964608:
				return 1
			}
			return 0
		}, ours: true},
	{name: "joined", body: `%bit = and i32 %tid, 2
  %cv = icmp ne i32 %bit, 0
  br i1 %cv, label %left, label %right
left:
  %av = call i32 @llvm.amdgcn.set.inactive.i32(i32 %x, i32 1)
  %a2 = call i32 @llvm.amdgcn.update.dpp.i32(i32 0, i32 %av, i32 177, i32 15, i32 15, i1 false)
  br label %done
right:
  %b3 = mul i32 %x, 3
  %bv = call i32 @llvm.amdgcn.set.inactive.i32(i32 %b3, i32 2)
  br label %done
done:
  %joined = phi i32 [ %a2, %left ], [ %bv, %right ]
  %d = call i32 @llvm.amdgcn.update.dpp.i32(i32 0, i32 %joined, i32 78, i32 15, i32 15, i1 false)
  %w = call i32 @llvm.amdgcn.strict.wwm.i32(i32 %d)
  %flip = xor i32 %tid, 2
  %their = and i32 %flip, 5
  %ok = icmp ne i32 %their, 0
  %r = select i1 %ok, i32 %w, i32 4`,
		want: func(x []uint32, on []bool, lane int) uint32 {
			switch n := lane ^ 2; {
			case !on[n]:
				return 4
			case n&2 != 0:
				return onOr(x, on, n^1, 1)
			default:
				return 3 * x[n]
			}
		}, ours: true},
	{name: "helpers", ours: true, body: `%r0 = call i32 @helpers_of(ptr addrspace(1) %out, i32 %x)
  %r = add i32 %r0, %x`, functions: `define internal i32 @helpers_of(ptr addrspace(1) %p, i32 %x) noinline {
  %lo = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %lane = call i32 @llvm.amdgcn.mbcnt.hi(i32 -1, i32 %lo)
  %sq = mul i32 %lane, %lane
  %v = add i32 %sq, 7
  store i32 5, ptr addrspace(1) %p
  %d = call i32 @llvm.amdgcn.update.dpp.i32(i32 0, i32 %v, i32 177, i32 15, i32 15, i1 false)
  %q = call i32 @llvm.amdgcn.wqm.i32(i32 %d)
  %old = load i32, ptr addrspace(1) %p
  %r1 = add i32 %q, %old
  %live = call i1 @llvm.amdgcn.ps.live()
  %live32 = zext i1 %live to i32
  %r = add i32 %r1, %live32
  ret i32 %r
}
`,
		want: func(x []uint32, on []bool, lane int) uint32 { return square(lane^1) + 6 + x[lane] }},
	{name: "helperbranch", ours: true, body: `%r0 = call i32 @helpers_in(i32 %x)
  %r = add i32 %r0, %x`, functions: `define internal i32 @helpers_in(i32 %x) noinline {
  %lo = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %lane = call i32 @llvm.amdgcn.mbcnt.hi(i32 -1, i32 %lo)
  %sq = mul i32 %lane, %lane
  %v = add i32 %sq, 7
  %bit = and i32 %lane, 2
  %c = icmp ne i32 %bit, 0
  br i1 %c, label %inner, label %done
inner:
  %d = call i32 @llvm.amdgcn.update.dpp.i32(i32 0, i32 %v, i32 177, i32 15, i32 15, i1 false)
  %w = call i32 @llvm.amdgcn.wqm.i32(i32 %d)
  br label %done
done:
  %r = phi i32 [ %w, %inner ], [ 1, %0 ]
  ret i32 %r
}
`,
		want: func(x []uint32, on []bool, lane int) uint32 {
			if lane&2 == 0 {
				return 1 + x[lane]
			}
			return square(lane^1) + x[lane]
		}},
	{name: "helperloop", ours: true, body: `%r0 = call i32 @helpers_loop(ptr addrspace(1) %out, i32 %x)
  %r = add i32 %r0, %x`, functions: `define internal i32 @helpers_loop(ptr addrspace(1) %p, i32 %x) noinline {
  %lo = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %lane = call i32 @llvm.amdgcn.mbcnt.hi(i32 -1, i32 %lo)
  %sq = mul i32 %lane, %lane
  %v = add i32 %sq, 7
  %quad = lshr i32 %lane, 2
  %times = and i32 %quad, 3
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %i1, %loop ]
  %acc = phi i32 [ %v, %0 ], [ %acc1, %loop ]
  %d = call i32 @llvm.amdgcn.update.dpp.i32(i32 0, i32 %acc, i32 177, i32 15, i32 15, i1 false)
  %twice = mul i32 %d, 2
  %acc1 = add i32 %acc, %twice
  store i32 %acc1, ptr addrspace(1) %p
  %i1 = add i32 %i, 1
  %more = icmp ule i32 %i1, %times
  br i1 %more, label %loop, label %done
done:
  %q = call i32 @llvm.amdgcn.softwqm.i32(i32 %acc1)
  %q2 = call i32 @llvm.amdgcn.wqm.i32(i32 %q)
  %old = load i32, ptr addrspace(1) %p
  %r = xor i32 %q2, %old
  ret i32 %r
}
`,
		want: func(x []uint32, on []bool, lane int) uint32 { return x[lane] }},
	{name: "demoted", ours: true, body: `%r0 = call i32 @demoted_of(ptr addrspace(1) %out, i32 %x)
  %odd1 = and i32 %tid, 1
  %even = icmp eq i32 %odd1, 0
  %r = select i1 %even, i32 %r0, i32 3`, functions: `define internal i32 @demoted_of(ptr addrspace(1) %p, i32 %x) noinline {
  %lo = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %lane = call i32 @llvm.amdgcn.mbcnt.hi(i32 -1, i32 %lo)
  %sq = mul i32 %lane, %lane
  %v = add i32 %sq, 7
  %bit = and i32 %lane, 1
  %c = icmp eq i32 %bit, 0
  call void @llvm.amdgcn.wqm.demote(i1 %c)
  %mask = call i$W @llvm.amdgcn.ballot.i$W(i1 true)
  %n0 = call i$W @llvm.ctpop.i$W(i$W %mask)
  $Z
  %d = call i32 @llvm.amdgcn.update.dpp.i32(i32 0, i32 %v, i32 177, i32 15, i32 15, i1 false)
  %q = call i32 @llvm.amdgcn.wqm.i32(i32 %d)
  %r = add i32 %q, %n
  ret i32 %r
}
`,
		want: func(x []uint32, on []bool, lane int) uint32 {
			if lane&1 != 0 {
				return 3
			}
			n := all(x, func(n int) uint32 {
				if on[n] && n&1 == 0 {
					return 1
				}
				return 0
			})
			return square(lane^1) + n
		}},
	{name: "killed", ours: true, body: `%r0 = call i32 @killed_of(i32 %x)
  %odd1 = and i32 %tid, 1
  %even = icmp eq i32 %odd1, 0
  %r = select i1 %even, i32 %r0, i32 3`, functions: `define internal i32 @killed_of(i32 %x) noinline {
  %lo = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %lane = call i32 @llvm.amdgcn.mbcnt.hi(i32 -1, i32 %lo)
  %sq = mul i32 %lane, %lane
  %v = add i32 %sq, 7
  %bit = and i32 %lane, 1
  %c = icmp eq i32 %bit, 0
  call void @llvm.amdgcn.kill(i1 %c)
  %d = call i32 @llvm.amdgcn.update.dpp.i32(i32 9, i32 %v, i32 177, i32 15, i32 15, i1 false)
  %r = add i32 %d, %x
  ret i32 %r
}
`,
		want: func(x []uint32, on []bool, lane int) uint32 {
			if lane&1 != 0 {
				return 3
			}
			return 9 + x[lane]
		}},
	{name: "vote", ours: true, body: `%small = icmp ult i32 %x, 1056964608
  %any = call i1 @llvm.amdgcn.wqm.vote(i1 %small)
  %r = zext i1 %any to i32`, functions: ``,
		want: func(x []uint32, on []bool, lane int) uint32 {
			for n := lane &^ 3; n < lane&^3+4; n++ {
				if on[n] && x[n] < 1056964608 {
					return 1
				}
			}
			return 0
		}},
	{name: "started", ours: true, body: `%r0 = call i32 @all_lanes(i32 %x)
  %r = add i32 %r0, %x`, functions: `define internal i32 @all_lanes(i32 %x) noinline {
  %was = call i1 @llvm.amdgcn.init.whole.wave()
  %mask = call i$W @llvm.amdgcn.ballot.i$W(i1 true)
  %n0 = call i$W @llvm.ctpop.i$W(i$W %mask)
  $Z
  br i1 %was, label %active, label %done
active:
  %y = mul i32 %x, 3
  br label %done
done:
  %p = phi i32 [ %y, %active ], [ 4, %0 ]
  %r = add i32 %p, %n
  ret i32 %r
}
`,
		want: func(x []uint32, on []bool, lane int) uint32 { return 4*x[lane] + uint32(len(x)) }},
	{name: "called", ours: true, body: `%s5 = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %x)
  %s6 = or i32 %s5, 5
  %r0 = call i32 (ptr, ...) @llvm.amdgcn.call.whole.wave(ptr @whole, i32 %x, i32 inreg 1000, [2 x i32] [i32 3, i32 4], i64 inreg 7)
  %r1 = xor i32 %r0, %x
  %r2 = sub i32 %s6, %s6
  %r = add i32 %r1, %r2`, functions: `declare i32 @llvm.amdgcn.call.whole.wave(ptr, ...)
define internal i32 @inner(i32 %x) noinline {
  call void asm sideeffect "v_mov_b32 v9, 77", "~{v9},~{s20}"()
  %r = mul i32 %x, 3
  ret i32 %r
}
define internal amdgpu_gfx_whole_wave i32 @whole(i1 %active, i32 %x, i32 inreg %off, [2 x i32] %a, i64 inreg %w) noinline {
  %v = select i1 %active, i32 %x, i32 %off
  call void asm sideeffect "v_mov_b32 v41, 0", "~{v41},~{v2},~{s70}"()
  %d = call i32 @llvm.amdgcn.update.dpp.i32(i32 0, i32 %v, i32 27, i32 15, i32 15, i1 false)
  %a1 = extractvalue [2 x i32] %a, 1
  %wl = trunc i64 %w to i32
  %e = add i32 %d, %wl
  %f = call i32 @inner(i32 %e)
  br i1 %active, label %add, label %done
add:
  %g = add i32 %f, %a1
  br label %done
done:
  %p = phi i32 [ %f, %0 ], [ %g, %add ]
  ret i32 %p
}
`,
		want: func(x []uint32, on []bool, lane int) uint32 {
			return (onOr(x, on, lane^3, 1000)+7)*3 + 4 ^ x[lane]
		}},
	{name: "callers", ours: true, body: `%r = call amdgpu_gfx i32 @middle(i32 %x)`, functions: `define internal amdgpu_gfx i32 @middle(i32 %x) noinline {
  %a = call i32 (ptr, ...) @llvm.amdgcn.call.whole.wave(ptr @outer, i32 %x)
  %b = call i32 (ptr, ...) @llvm.amdgcn.call.whole.wave(ptr @lanes)
  %c = mul i32 %b, 65536
  %d = add i32 %a, %c
  ret i32 %d
}
define internal amdgpu_gfx_whole_wave i32 @outer(i1 %active, i32 %x) noinline {
  %y = select i1 %active, i32 %x, i32 11
  %n = call i32 (ptr, ...) @llvm.amdgcn.call.whole.wave(ptr @lanes)
  %r = add i32 %y, %n
  ret i32 %r
}
define internal amdgpu_gfx_whole_wave i32 @lanes(i1 %active) noinline {
  %mask = call i$W @llvm.amdgcn.ballot.i$W(i1 %active)
  %n0 = call i$W @llvm.ctpop.i$W(i$W %mask)
  $Z
  ret i32 %n
}
`,
		want: func(x []uint32, on []bool, lane int) uint32 {
			return x[lane] + uint32(len(x)) + 65536*all(x, func(n int) uint32 {
				if on[n] {
					return 1
				}
				return 0
			})
		}},
	{name: "mask", ours: true, body: `%r = call i32 @some_lanes(i32 %x)`, functions: `define internal i32 @some_lanes(i32 %x) noinline {
  call void @llvm.amdgcn.init.exec(i64 240)
  %mask = call i$W @llvm.amdgcn.ballot.i$W(i1 true)
  %n0 = add i$W %mask, 0
  $Z
  %r = add i32 %x, %n
  ret i32 %r
}
`,
		want: func(x []uint32, on []bool, lane int) uint32 {
			if lane&^15 == 0 && lane >= 4 && lane < 8 {
				return x[lane] + 240
			}
			return notCompared
		}},
	{name: "input", ours: true, body: `%r0 = call i32 @counted(i32 inreg 9728, i32 %x)
  %r1 = call i32 @counted(i32 inreg 16384, i32 %x)
  %r = mul i32 %r1, %r0`, functions: `define internal i32 @counted(i32 inreg %count, i32 %x) noinline {
  call void @llvm.amdgcn.init.exec.from.input(i32 %count, i32 9)
  %mask = call i$W @llvm.amdgcn.ballot.i$W(i1 true)
  %n0 = call i$W @llvm.ctpop.i$W(i$W %mask)
  $Z
  ret i32 %n
}
`,
		want: func(x []uint32, on []bool, lane int) uint32 {
			if lane >= 19 {
				return notCompared
			}
			return 19 * 32
		}},
	{name: "bits", ours: true, body: `%low = trunc i32 %x to i1
  %s = call i1 @llvm.amdgcn.set.inactive.i1(i1 %low, i1 true)
  %s32 = zext i1 %s to i32
  %d = call i32 @llvm.amdgcn.update.dpp.i32(i32 0, i32 %s32, i32 27, i32 15, i32 15, i1 false)
  %w = call i32 @llvm.amdgcn.strict.wwm.i32(i32 %d)
  %o = call i1 @llvm.amdgcn.set.inactive.i1(i1 %low, i1 false)
  %ext = zext i1 %o to i32
  %two = shl i32 %ext, 1
  %r = add i32 %w, %two`, functions: ``,
		want: func(x []uint32, on []bool, lane int) uint32 {
			return onOr(x, on, lane^3, 1)&1 + x[lane]&1*2
		}},
}

// notCompared is the expected result of lanes without one.
const notCompared = 0xffffffff

// wholeKernel surrounds a case. Values of the lanes that do not run it, and
// many values of all lanes, are live across it.
const wholeKernel = `define amdgpu_kernel void @$N(` + kernelParams + `) #0 {
  %base = load ptr addrspace(1), ptr addrspace(4) %kernarg, align 16
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %far = mul i32 %tid, 2048
  %in = getelementptr i8, ptr addrspace(1) %base, i32 %far
  %px = getelementptr i8, ptr addrspace(1) %in, i32 64
  %x = load i32, ptr addrspace(1) %px, align 16
  %y = mul i32 %x, 3
  %y2 = add i32 %x, 17
$L  %out = getelementptr i8, ptr addrspace(1) %in, i32 1024
  %out2 = getelementptr i8, ptr addrspace(1) %in, i32 1028
  %out3 = getelementptr i8, ptr addrspace(1) %in, i32 1032
  %odd = and i32 %tid, 5
  %some = icmp ne i32 %odd, 0
  br i1 %some, label %then, label %else
then:
  $B
  store i32 %r, ptr addrspace(1) %out
  br label %after
after:
  br label %end
else:
  %y3 = xor i32 %y, %y2
  br label %end
end:
$E  store i32 %o$Q, ptr addrspace(1) %out2
$S  store i32 %k$P, ptr addrspace(1) %out3
  ret void
}
`

// pressure is the number of values live across a case, and others the number
// used only by lanes that do not run it.
const pressure, others = 24, 40

// wholeText returns the module of the cases, for llc without those that it
// does not select.
func wholeText(wave int, attr string, llc bool) (text string, list []rowCase) {
	var loads, sums, src strings.Builder
	sums.WriteString("  %k0 = add i32 0, 0\n")
	for k := range pressure {
		fmt.Fprintf(&loads, "  %%p%d = getelementptr i8, ptr addrspace(1) %%in, i32 %d\n  %%v%d = load volatile i32, ptr addrspace(1) %%p%d\n", k, 128+4*k, k, k)
		fmt.Fprintf(&sums, "  %%m%d = mul i32 %%v%d, %d\n  %%k%d = add i32 %%k%d, %%m%d\n", k, k, 2*k+1, k+1, k, k)
	}
	elses := strings.Builder{}
	elses.WriteString("  %o0 = phi i32 [ %x, %after ], [ %y3, %else ]\n")
	for k := range others {
		fmt.Fprintf(&elses, "  %%z%d.o = phi i32 [ %%x, %%after ], [ %%w%d.o, %%else ]\n", k, k)
	}
	for k := range others {
		fmt.Fprintf(&loads, "  %%q%d = getelementptr i8, ptr addrspace(1) %%in, i32 %d\n  %%w%d.o = load volatile i32, ptr addrspace(1) %%q%d\n", k, 256+4*k, k, k)
		fmt.Fprintf(&elses, "  %%a%d.o = mul i32 %%z%d.o, %d\n  %%o%d = add i32 %%o%d, %%a%d.o\n", k, k, 2*k+3, k+1, k, k)
	}
	var rows strings.Builder
	for n := range wave / 16 {
		fmt.Fprintf(&rows, "%%e%d = call i32 @llvm.amdgcn.readlane.i32(i32 %%s4, i32 %d)\n  ", n, 16*n+15)
	}
	rows.WriteString("%t1 = add i32 %e0, %e1\n  ")
	if wave == 64 {
		rows.WriteString("%t2 = add i32 %e2, %e3\n  %sum = add i32 %t1, %t2")
	} else {
		rows.WriteString("%sum = add i32 %t1, 0")
	}
	narrow := "%n = trunc i64 %n0 to i32"
	if wave == 32 {
		narrow = "%n = add i32 %n0, 0"
	}
	src.WriteString(header)
	for i := range wholeCases {
		c := &wholeCases[i]
		if llc && c.ours {
			continue
		}
		r := strings.NewReplacer("$R", rows.String(), "$W", fmt.Sprint(wave), "$M", fmt.Sprint(wave-1), "$Z", narrow)
		k := strings.NewReplacer("$N", c.name, "$L", loads.String(), "$S", sums.String(), "$E", elses.String(), "$Q", fmt.Sprint(others), "$P", fmt.Sprint(pressure), "$B", r.Replace(c.body)).Replace(wholeKernel)
		k = strings.Replace(k, "  %base =", "  %kernarg = call ptr addrspace(4) @llvm.amdgcn.kernarg.segment.ptr()\n  %base =", 1)
		if c.large {
			k = strings.Replace(k, ") #0 {", ") #1 {", 1)
		}
		src.WriteString(r.Replace(c.functions) + k)
		list = append(list, rowCase{name: c.name})
	}
	fmt.Fprintf(&src, "attributes #0 = { nounwind %s }\n", attr)
	fmt.Fprintf(&src, "attributes #1 = { nounwind %s }\n", strings.Replace(attr, `"16"`, `"28"`, 1))
	return src.String(), list
}

// checkWhole compares the memory contents after a case with the expected
// result.
func checkWhole(t *testing.T, what string, c *wholeCase, memory, before []byte, wave int) {
	t.Helper()
	at := func(data []byte, lane, offset int) uint32 {
		return binary.LittleEndian.Uint32(data[lane*laneBytes+offset:])
	}
	for lane := range 64 {
		x, on := make([]uint32, wave), make([]bool, wave)
		first := lane / wave * wave
		for n := range x {
			x[n], on[n] = at(before, first+n, 64), n&5 != 0
		}
		me := lane - first
		sum := uint32(0)
		for k := range pressure {
			sum += at(before, lane, 128+4*k) * uint32(2*k+1)
		}
		if got := at(memory, lane, 1032); got != sum {
			t.Errorf("%s: %s: lane %d: values live across the case are %#x, want %#x", what, c.name, lane, got, sum)
			return
		}
		y := x[me]*3 ^ (x[me] + 17)
		if on[me] {
			y = x[me]
		}
		for k := range others {
			z := at(before, lane, 256+4*k)
			if on[me] {
				z = x[me]
			}
			y += z * uint32(2*k+3)
		}
		if at(memory, lane, 1028) != y {
			t.Errorf("%s: %s: lane %d: values of inactive lanes are %#x, want %#x", what, c.name, lane, at(memory, lane, 1028), y)
			return
		}
		if !on[me] {
			continue
		}
		want := uint32(0)
		if c.want == nil { // loads all lanes' numbers of the first wave
			for n := range wave {
				want += at(before, n, 96)
			}
			want ^= at(before, me, 96)
		} else {
			if want = c.want(x, on, me); want == notCompared {
				continue
			}
		}
		if got := at(memory, lane, 1024); got != want {
			t.Errorf("%s: %s: lane %d: %#x, want %#x", what, c.name, lane, got, want)
			return
		}
	}
}

// TestWholeWave runs whole wave mode on the simulator, compiled by us with and
// without optimization and with few registers, and by llc. All must produce the
// expected result.
func TestWholeWave(t *testing.T) {
	for _, x := range append([]runMachine{{"gfx1200", 32, false}, {"gfx1200", 64, false}}, runMachines...) {
		if !x.quick && os.Getenv(intrinsicsEnv) == "" && x.cpu != "gfx1030" {
			continue
		}
		t.Run(fmt.Sprintf("%s-wave%d", x.cpu, x.wave), func(t *testing.T) { runWhole(t, x.cpu, x.wave) })
	}
}

func runWhole(t *testing.T, cpu string, wave int) {
	mattr := ""
	if cpu >= "gfx1000" && cpu < "gfx2" {
		mattr = fmt.Sprintf("+wavefrontsize%d", wave)
	}
	tgt, err := target.New("amdgcn-amd-amdhsa", cpu, mattr)
	if err != nil {
		t.Fatal(err)
	}
	set, _ := isa.SetOf(tgt.Processor)
	m := mir.MachineOf(set, wave)
	_, list := wholeText(wave, "", false)
	in := inputs{rand.New(rand.NewPCG(1, 7))} // as in runCases
	var before [][]byte
	for range list {
		before = append(before, in.fill(bufferBytes))
		in.fill(4096)
		in.fill(640)
	}
	check := func(what string, code []byte, o device.Options) {
		list := list
		if what == "llc" {
			_, list = wholeText(wave, "", true)
		}
		got, err := runCases(code, list, m, o)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			return
		}
		for i := range list {
			checkWhole(t, what, caseNamed(list[i].name), got[2*i], before[i], wave)
		}
	}
	src, _ := wholeText(wave, "", true)
	if theirs, err := llcObject(t, src, cpu, mattr); err != nil {
		t.Error(err)
	} else {
		check("llc", theirs, device.Options{})
	}
	checked := device.Options{Workers: 1, Checks: device.CheckAll, Finding: func(f *device.Finding) { t.Errorf("%v", f) }}
	for _, level := range []int{0, 1, 2} {
		for _, attr := range []string{"", `"amdgpu-num-vgpr"="32"`, `"amdgpu-num-vgpr"="16"`, `"amdgpu-num-sgpr"="24" "amdgpu-num-vgpr"="28"`} {
			what := fmt.Sprintf("-O%d %s", level, attr)
			src, _ := wholeText(wave, attr, false)
			res, err := compile.Compile(context.Background(), []compile.Input{{Name: "whole.ll", Data: []byte(src)}}, compile.Options{CPU: cpu, Features: mattr, Level: level, Verify: true})
			if err != nil {
				t.Errorf("%s: %v", what, err)
				continue
			}
			check(what, res.Data, checked)
		}
	}
}

// caseNamed returns the case with a name.
func caseNamed(name string) *wholeCase {
	for i := range wholeCases {
		if wholeCases[i].name == name {
			return &wholeCases[i]
		}
	}
	return nil
}
