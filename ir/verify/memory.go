package verify

import (
	"math/bits"

	"github.com/gfx-toolchain/gfx/ir"
)

// atomicSize checks that the size of an atomic access is a power of two in
// bytes.
func (c *checker) atomicSize(t ir.Type) string {
	switch n := c.m.SizeInBits(t); {
	case n < 8:
		return c.found("atomic memory access' size must be byte-sized", t)
	case bits.OnesCount64(n) != 1:
		return c.found("atomic memory access' operand must have a power-of-two size", t)
	}
	return ""
}

// isAtomicType reports whether loads and stores of type t may be atomic.
func (c *checker) isAtomicType(t ir.Type) bool {
	t = c.m.Scalar(t)
	return c.m.IsInt(t) || c.m.IsPtr(t) || c.m.IsFloat(t)
}

func (c *checker) load(v ir.Value) string {
	t, mi := c.f.Instr(v).Type, c.f.MemInfo(v)
	address := c.opType(v, 0)
	switch {
	case !c.m.IsPtr(address):
		return c.found("Load operand must be a pointer.", address)
	case !c.m.IsSized(t):
		return c.found("loading unsized types is not allowed", t)
	case mi.Ordering == ir.NotAtomic:
		return ""
	case mi.Ordering == ir.Release || mi.Ordering == ir.AcqRel:
		return "Load cannot have Release ordering"
	case !c.isAtomicType(t):
		return c.found("atomic load operand must have integer, pointer, floating point, or vector type!", t)
	}
	return c.atomicSize(t)
}

func (c *checker) store(v ir.Value) string {
	t, mi := c.opType(v, 0), c.f.MemInfo(v)
	address := c.opType(v, 1)
	switch {
	case !c.m.IsPtr(address):
		return c.found("Store operand must be a pointer.", address)
	case !c.m.IsSized(t):
		return c.found("storing unsized types is not allowed", t)
	case mi.Ordering == ir.NotAtomic:
		return ""
	case mi.Ordering == ir.Acquire || mi.Ordering == ir.AcqRel:
		return "Store cannot have Acquire ordering"
	case !c.isAtomicType(t):
		return c.found("atomic store operand must have integer, pointer, floating point, or vector type!", t)
	}
	return c.atomicSize(t)
}

// privateSpace is the address space of allocas on AMDGPU.
const privateSpace = 5

func (c *checker) alloca(v ir.Value) string {
	m, t, mi := c.m, c.f.AllocatedType(v), c.f.MemInfo(v)
	switch {
	case !m.IsSized(t):
		return c.found("Cannot allocate unsized type", t)
	case c.containsNonLocal(t):
		return c.found("Alloca has illegal target extension type", t)
	case !m.IsInt(c.opType(v, 0)):
		return c.found("Alloca array size must have integer type", c.opType(v, 0))
	case !m.IsPtr(c.f.Instr(v).Type):
		return c.found("alloca must return a pointer", c.f.Instr(v).Type)
	}
	if mi.SwiftErr {
		n, isConst := m.IntValue(c.f.Operand(v, 0))
		switch {
		case !m.IsPtr(t):
			return c.found("swifterror alloca must have pointer type", t)
		case !isConst || n != 1:
			return "swifterror alloca must not be array allocation"
		}
		if message := c.swiftErrorUses(v); message != "" {
			return message
		}
	}
	if c.amdgpu && m.AddrSpace(c.f.Instr(v).Type) != privateSpace {
		return c.found("alloca on amdgpu must be in addrspace(5)", c.f.Instr(v).Type)
	}
	return ""
}

// swiftErrorUses checks that a swifterror value is only loaded, stored to and
// passed as a swifterror argument.
func (c *checker) swiftErrorUses(v ir.Value) string {
	f := c.f
	for u := f.FirstUse(v); u != 0; u = f.NextUse(u) {
		user := f.User(u)
		switch op := f.Op(user); op {
		case ir.OpLoad:
		case ir.OpStore:
			if f.UseIndex(u) != 1 {
				return "swifterror value should be the second operand when used by stores"
			}
		case ir.OpCall, ir.OpInvoke:
			if i := f.UseIndex(u); i < len(f.Args(user)) && !c.argHas(user, i, ir.AttrSwiftError) {
				return "swifterror value when used in a callsite should be marked with swifterror attribute"
			}
		default:
			return "swifterror value can only be loaded and stored from, or as a swifterror argument!"
		}
	}
	return ""
}

func (c *checker) fence(v ir.Value) string {
	switch c.f.MemInfo(v).Ordering {
	case ir.Acquire, ir.Release, ir.AcqRel, ir.SeqCst:
		return ""
	}
	return "fence instructions may only have acquire, release, acq_rel, or seq_cst ordering."
}

func (c *checker) cmpXchg(v ir.Value) string {
	address, t, with := c.opType(v, 0), c.opType(v, 1), c.opType(v, 2)
	mi := c.f.MemInfo(v)
	switch {
	case !c.m.IsPtr(address):
		return c.found("cmpxchg operand must be a pointer", address)
	case !c.m.IsInt(t) && !c.m.IsPtr(t):
		return c.found("cmpxchg operand must have integer or pointer type", t)
	case t != with:
		return c.found("cmpxchg compare and new value must have the same type", t, with)
	case mi.Ordering < ir.Monotonic:
		return "cmpxchg instructions must be atomic and cannot be unordered"
	case mi.Failure < ir.Monotonic || mi.Failure == ir.Release || mi.Failure == ir.AcqRel:
		return "cmpxchg failure ordering cannot include release semantics and must be atomic"
	}
	return c.atomicSize(t)
}

func (c *checker) atomicRMW(v ir.Value) string {
	address, t, op := c.opType(v, 0), c.opType(v, 1), c.f.RMWOp(v)
	name := ""
	if op < ir.NumRMWOps {
		name = op.String()
	}
	switch ordering := c.f.MemInfo(v).Ordering; {
	case !c.m.IsPtr(address):
		return c.found("atomicrmw operand must be a pointer", address)
	case ordering == ir.Unordered:
		return "atomicrmw instructions cannot be unordered."
	case ordering == ir.NotAtomic:
		return "atomicrmw instructions must be atomic."
	case op >= ir.NumRMWOps:
		return "Invalid binary operation!"
	case op == ir.RMWXchg && !c.m.IsInt(t) && !c.m.IsFloat(t) && !c.m.IsPtr(t):
		return c.found("atomicrmw xchg operand must have integer or floating point type!", t)
	case op == ir.RMWXchg:
	case op.IsFloat() && !c.m.IsFloatOrFloatVector(t):
		return c.found("atomicrmw "+name+" operand must have floating-point or fixed vector of floating-point type!", t)
	case !op.IsFloat() && !c.m.IsInt(t):
		return c.found("atomicrmw "+name+" operand must have integer type!", t)
	case c.f.Instr(v).Type != t:
		return c.found("atomicrmw result and operand must have the same type", c.f.Instr(v).Type, t)
	}
	return c.atomicSize(t)
}

// containsNonLocal reports whether a type is or contains a target type that
// must not be on the stack.
func (c *checker) containsNonLocal(t ir.Type) bool {
	info := c.m.TypeInfo(t)
	switch info.Kind {
	case ir.KindArray, ir.KindVector:
		return c.containsNonLocal(info.Elem)
	case ir.KindStruct:
		for _, e := range info.Elems {
			if c.containsNonLocal(e) {
				return true
			}
		}
	case ir.KindTarget:
		return targetTypeOf(info.Name).notLocal
	}
	return false
}

// targetType lists the restrictions on values of a target type (LLVM 22,
// Type.cpp).
type targetType struct {
	prefix    string
	notLocal  bool // no alloca
	notGlobal bool // no global variable
}

// The first match applies. Unlisted types have both restrictions.
var targetTypes = []targetType{
	{prefix: "spirv.Padding", notLocal: true}, {prefix: "spirv."}, {prefix: "dx."},
	{prefix: "amdgcn.named.barrier", notLocal: true}, {prefix: "aarch64.svcount", notGlobal: true},
	{prefix: "riscv.vector.tuple", notGlobal: true}, {prefix: "llvm.test.vectorelement", notGlobal: true},
}

func targetTypeOf(name string) targetType {
	for _, t := range targetTypes {
		if len(name) >= len(t.prefix) && name[:len(t.prefix)] == t.prefix {
			return t
		}
	}
	return targetType{notLocal: true, notGlobal: true}
}
