package weakmem

import "github.com/gfx-toolchain/gfx/isa"

// Caches is a set of kinds of caches.
type Caches uint8

const (
	Vector Caches = 1 << iota // of a CU: L1 before gfx10, L0 since
	Array                     // of a shader array: L1 of gfx10 and gfx11
	L2                        // of the agent or of an XCC
	Scalar                    // of a group of CUs
)

// Rules are the properties of a generation's memory hierarchy.
type Rules struct {
	// HasArray reports whether shader arrays have a cache.
	HasArray bool
	// L2s is the number of L2 caches. It is 0 if the L2 cache is coherent with
	// everything that a dispatch can observe.
	L2s int
	// ScalarCUs is the number of CUs that share a scalar cache.
	ScalarCUs int
	// LateVector is set if requests enter the vector cache in any order.
	LateVector bool
	policies   []policyRule
	ops        []opRule
}

// Policy describes how an access treats the caches.
type Policy struct {
	Bypass Caches // caches in which a load does not hit
	Memory bool   // a store reaches memory, an atomic is performed there
}

// policyRule is the effect of a cache policy. The first rule of a list that
// matches applies: one with (bits & mask) == value.
type policyRule struct {
	mask, value isa.CPol
	bypass      Caches // of loads
	store, rmw  bool   // a store reaches memory, an atomic is performed there
}

// Op is the effect of an instruction that manages caches.
type Op struct {
	Invalidate Caches // caches whose unmodified lines become invalid
	WriteBack  Caches // caches whose modified lines are written to memory
}

// opRule is the effect of an instruction by name and cache policy.
type opRule struct {
	name        string
	mask, value isa.CPol
	op          Op
}

const (
	glc = isa.CPolGLC
	dlc = isa.CPolDLC
	sc0 = isa.CPolGLC
	sc1 = isa.CPolSCC

	scopeMask     = isa.CPolScope
	scopeCU       = isa.CPol(0) << isa.CPolScopeShift
	scopeSE       = isa.CPol(1) << isa.CPolScopeShift
	scopeDev      = isa.CPol(2) << isa.CPolScopeShift
	scopeSys      = isa.CPol(3) << isa.CPolScopeShift
	vectorL2      = Vector | L2
	vectorAndArr  = Vector | Array
	arrayCacheCUs = 4 // CUs of a shader array, and of an XCC
)

// scalarOps manage the scalar caches of all generations.
var scalarOps = []opRule{
	{"s_dcache_inv", 0, 0, Op{Invalidate: Scalar}},
	{"s_dcache_inv_vol", 0, 0, Op{Invalidate: Scalar}},
	{"s_dcache_wb", 0, 0, Op{WriteBack: Scalar}},
	{"s_dcache_wb_vol", 0, 0, Op{WriteBack: Scalar}},
}

// glcBypasses and vectorOps apply to gfx6 to gfx90a.
var (
	glcBypasses = []policyRule{{glc, glc, Vector, false, false}}
	vectorOps   = []opRule{
		{"buffer_wbinvl1", 0, 0, Op{Invalidate: Vector}},
		{"buffer_wbinvl1_sc", 0, 0, Op{Invalidate: Vector}},
		{"buffer_wbinvl1_vol", 0, 0, Op{Invalidate: Vector}},
		{"buffer_wbl2", 0, 0, Op{WriteBack: L2}},
		{"buffer_invl2", 0, 0, Op{Invalidate: L2}},
	}
)

// arrayOps apply to gfx10 and gfx11.
var arrayOps = []opRule{
	{"buffer_gl0_inv", 0, 0, Op{Invalidate: Vector}},
	{"buffer_gl1_inv", 0, 0, Op{Invalidate: Array}},
}

// rulesOf lists the generations. Each XCC of gfx942 and gfx12.5 has an L2 cache,
// and an agent has several XCCs. The L2 cache of gfx90a and gfx12 is
// coherent within the agent but not with the system.
var rulesOf = [isa.NumGens]Rules{
	isa.Gen6:   {ScalarCUs: 4, policies: glcBypasses, ops: vectorOps},
	isa.Gen7:   {ScalarCUs: 4, policies: glcBypasses, ops: vectorOps},
	isa.Gen8:   {ScalarCUs: 4, policies: glcBypasses, ops: vectorOps},
	isa.Gen9:   {ScalarCUs: 4, policies: glcBypasses, ops: vectorOps},
	isa.Gen90A: {ScalarCUs: 4, L2s: 1, policies: glcBypasses, ops: vectorOps},
	isa.Gen940: {ScalarCUs: 2, L2s: 2, policies: []policyRule{
		{sc1, sc1, vectorL2, true, true}, {sc0, sc0, Vector, false, true}, {0, 0, 0, false, true},
	}, ops: []opRule{
		{"buffer_inv", sc1, sc1, Op{Invalidate: vectorL2}}, {"buffer_inv", sc0, sc0, Op{Invalidate: Vector}}, {"buffer_inv", 0, 0, Op{}},
		{"buffer_wbl2", sc1, sc1, Op{WriteBack: L2}}, {"buffer_wbl2", 0, 0, Op{}},
	}},
	isa.Gen10: {ScalarCUs: 2, HasArray: true, policies: []policyRule{
		{glc | dlc, glc | dlc, vectorAndArr, false, false}, {glc, glc, Vector, false, false}, {dlc, dlc, Array, false, false},
	}, ops: arrayOps},
	isa.Gen11: {ScalarCUs: 2, HasArray: true, policies: []policyRule{{glc, glc, vectorAndArr, false, false}}, ops: arrayOps},
	isa.Gen12: {ScalarCUs: 2, L2s: 1, policies: []policyRule{
		{scopeMask, scopeSys, vectorL2, true, true}, {scopeMask, scopeDev, Vector, false, false}, {scopeMask, scopeSE, Vector, false, false},
	}, ops: []opRule{
		{"global_inv", scopeMask, scopeSys, Op{Invalidate: vectorL2}}, {"global_inv", scopeMask, scopeCU, Op{}}, {"global_inv", 0, 0, Op{Invalidate: Vector}},
		{"global_wb", scopeMask, scopeSys, Op{WriteBack: L2}}, {"global_wb", 0, 0, Op{}},
		{"global_wbinv", scopeMask, scopeSys, Op{Invalidate: vectorL2, WriteBack: L2}}, {"global_wbinv", scopeMask, scopeCU, Op{}}, {"global_wbinv", 0, 0, Op{Invalidate: Vector}},
	}},
	isa.Gen1250: {ScalarCUs: 2, L2s: 2, LateVector: true, policies: []policyRule{
		{scopeMask, scopeCU, 0, false, false}, {scopeMask, scopeSE, Vector, false, false}, {0, 0, vectorL2, true, true},
	}, ops: []opRule{
		{"global_inv", scopeMask, scopeCU, Op{}}, {"global_inv", scopeMask, scopeSE, Op{Invalidate: Vector}}, {"global_inv", 0, 0, Op{Invalidate: vectorL2}},
		{"global_wb", scopeMask, scopeCU, Op{}}, {"global_wb", scopeMask, scopeSE, Op{}}, {"global_wb", 0, 0, Op{WriteBack: L2}},
		{"global_wbinv", scopeMask, scopeCU, Op{}}, {"global_wbinv", scopeMask, scopeSE, Op{Invalidate: Vector}}, {"global_wbinv", 0, 0, Op{Invalidate: vectorL2, WriteBack: L2}},
	}},
}

// RulesOf returns the rules of a generation.
func RulesOf(g isa.Gen) *Rules {
	return &rulesOf[g]
}

// PolicyOf returns the effect of a cache policy. GLC of an atomic specifies that
// it returns the old value.
func (r *Rules) PolicyOf(c isa.CPol, k Kind) (p Policy) {
	for i := range r.policies {
		x := &r.policies[i]
		if c&x.mask != x.value {
			continue
		}
		switch k {
		case Load:
			p.Bypass = x.bypass
		case Store:
			p.Memory = x.store
		default:
			p.Memory = x.rmw
		}
		return p
	}
	return p
}

// OpOf returns the effect of an instruction that manages caches. An instruction
// of another kind has none.
func (r *Rules) OpOf(name string, c isa.CPol) Op {
	for _, list := range [...][]opRule{r.ops, scalarOps} {
		for i := range list {
			if x := &list[i]; x.name == name && c&x.mask == x.value {
				return x.op
			}
		}
	}
	return Op{}
}
