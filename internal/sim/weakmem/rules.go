package weakmem

import "github.com/gfx-toolchain/gfx/isa"

// Caches is a set of kinds of caches.
type Caches uint8

const (
	Vector Caches = 1 << iota // of a CU: L1 before gfx10, L0 since
	Array                     // of a shader array: L1 of gfx10 and gfx11
	L2                        // of an agent or of an XCC
	Scalar                    // of a group of CUs
)

// Rules are the properties of a generation's memory hierarchy.
type Rules struct {
	// HasArray reports whether shader arrays have a cache.
	HasArray bool
	// L2s is the number of an agent's L2 caches. It is 0 if the L2 cache is coherent with
	// everything that a dispatch can observe.
	L2s int
	// FineBypasses is set if fine-grained memory is never in an L2 cache (MTYPE UC).
	FineBypasses bool
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
	Never  Caches // caches of Bypass that never hold the line
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

// gfx12Policies and gfx12Ops apply to agents with one L2 cache.
var (
	gfx12Policies = []policyRule{
		{scopeMask, scopeSys, vectorL2, true, true}, {scopeMask, scopeDev, Vector, false, false}, {scopeMask, scopeSE, Vector, false, false},
	}
	gfx12Ops = []opRule{
		{"global_inv", scopeMask, scopeSys, Op{Invalidate: vectorL2}}, {"global_inv", scopeMask, scopeCU, Op{}}, {"global_inv", 0, 0, Op{Invalidate: Vector}},
		{"global_wb", scopeMask, scopeSys, Op{WriteBack: L2}}, {"global_wb", 0, 0, Op{}},
		{"global_wbinv", scopeMask, scopeSys, Op{Invalidate: vectorL2, WriteBack: L2}}, {"global_wbinv", scopeMask, scopeCU, Op{}}, {"global_wbinv", 0, 0, Op{Invalidate: Vector}},
	}
)

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
	isa.Gen12: {ScalarCUs: 2, L2s: 1, policies: gfx12Policies, ops: gfx12Ops},
	isa.Gen1250: {ScalarCUs: 2, L2s: 2, LateVector: true, policies: []policyRule{
		{scopeMask, scopeCU, 0, false, false}, {scopeMask, scopeSE, Vector, false, false}, {0, 0, vectorL2, true, true},
	}, ops: []opRule{
		{"global_inv", scopeMask, scopeCU, Op{}}, {"global_inv", scopeMask, scopeSE, Op{Invalidate: Vector}}, {"global_inv", 0, 0, Op{Invalidate: vectorL2}},
		{"global_wb", scopeMask, scopeCU, Op{}}, {"global_wb", scopeMask, scopeSE, Op{}}, {"global_wb", 0, 0, Op{WriteBack: L2}},
		{"global_wbinv", scopeMask, scopeCU, Op{}}, {"global_wbinv", scopeMask, scopeSE, Op{Invalidate: Vector}}, {"global_wbinv", 0, 0, Op{Invalidate: vectorL2, WriteBack: L2}},
	}},
}

// severalOf lists the generations whose rules differ if a dispatch runs on several
// agents. An agent of gfx942 and gfx12.5 then has one L2 cache, so that agent and
// system scope differ. The instructions of gfx90a do not name the system scope: accesses of
// that scope reach the other agents because they are to fine-grained memory.
var severalOf = [isa.NumGens]Rules{
	isa.Gen90A: {ScalarCUs: 4, L2s: 1, FineBypasses: true, policies: glcBypasses, ops: vectorOps},
	isa.Gen940: {ScalarCUs: 2, L2s: 1, policies: []policyRule{
		{sc0 | sc1, sc0 | sc1, vectorL2, true, true}, {sc1, sc1, Vector, false, true}, {sc0, sc0, Vector, false, false},
	}, ops: []opRule{
		{"buffer_inv", sc0 | sc1, sc0 | sc1, Op{Invalidate: vectorL2}}, {"buffer_inv", sc1, sc1, Op{Invalidate: Vector}},
		{"buffer_inv", sc0, sc0, Op{Invalidate: Vector}}, {"buffer_inv", 0, 0, Op{}},
		{"buffer_wbl2", sc0 | sc1, sc0 | sc1, Op{WriteBack: L2}}, {"buffer_wbl2", 0, 0, Op{}},
	}},
	isa.Gen1250: {ScalarCUs: 2, L2s: 1, LateVector: true, policies: gfx12Policies, ops: gfx12Ops},
}

// RulesOf returns the rules of a generation for a number of agents.
func RulesOf(g isa.Gen, agents int) *Rules {
	if r := &severalOf[g]; r.L2s > 0 && agents > 1 {
		return r
	}
	return &rulesOf[g]
}

// Fine returns the policy of an access to fine-grained memory.
func (r *Rules) Fine(p Policy) Policy {
	if r.FineBypasses {
		p.Bypass, p.Never, p.Memory = p.Bypass|L2, L2, true
	}
	return p
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
