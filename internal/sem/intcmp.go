package sem

// Comparisons of integers, vector and scalar. Source: AMD's ISA documents,
// VOPC, SOPC and SOPK.

// predicates lists the comparisons of integers in opcode order.
var predicates = [...]string{"f", "lt", "eq", "le", "gt", "ne", "ge", "t"}

// comparisons returns the functions of the predicates for one type.
func comparisons[T integer]() [len(predicates)]Func {
	return [...]Func{never, less[T], equal, lessEqual[T], greater[T], unequal, greaterEqual[T], always}
}

// cmpRows returns the rows of v_cmp and v_cmpx. Sources are zero-extended, so
// one set of functions serves all unsigned types.
func cmpRows() []Row {
	var rows []Row
	for _, of := range [...]struct {
		name string
		t    Type
		fn   [len(predicates)]Func
	}{
		{"i16", I16, comparisons[int16]()},
		{"i32", I32, comparisons[int32]()},
		{"i64", I64, comparisons[int64]()},
		{"u16", U16, comparisons[uint64]()},
		{"u32", U32, comparisons[uint64]()},
		{"u64", U64, comparisons[uint64]()},
	} {
		for i, p := range predicates {
			n := p + "_" + of.name
			rows = append(rows, Row{Name: "v_cmp_" + n + " v_cmpx_" + n, Sig: sig(Bool, of.t, of.t), Fn: of.fn[i]})
		}
	}
	return rows
}

func never(*Ctx, uint64, uint64, uint64) uint64  { return 0 }
func always(*Ctx, uint64, uint64, uint64) uint64 { return 1 }

func equal(_ *Ctx, s0, s1, _ uint64) uint64   { return boolBit(s0 == s1) }
func unequal(_ *Ctx, s0, s1, _ uint64) uint64 { return boolBit(s0 != s1) }

func less[T integer](_ *Ctx, s0, s1, _ uint64) uint64         { return boolBit(T(s0) < T(s1)) }
func lessEqual[T integer](_ *Ctx, s0, s1, _ uint64) uint64    { return boolBit(T(s0) <= T(s1)) }
func greater[T integer](_ *Ctx, s0, s1, _ uint64) uint64      { return boolBit(T(s0) > T(s1)) }
func greaterEqual[T integer](_ *Ctx, s0, s1, _ uint64) uint64 { return boolBit(T(s0) >= T(s1)) }
