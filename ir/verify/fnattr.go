package verify

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
)

// boolAttrs lists the string attributes with the values true and false (LLVM
// 22, Attributes.td).
var boolAttrs = []string{"allow_direct_access_in_hot_patch_function", "less-precise-fpmad", "loader-replaceable",
	"marked_for_windows_hot_patching", "no-infs-fp-math", "no-inline-line-tables", "no-jump-tables", "no-nans-fp-math",
	"no-signed-zeros-fp-math", "profile-sample-accurate", "use-sample-profile"}

func (c *checker) boolAttr(a ir.Attr) string {
	value := c.m.Str(a.Str)
	if value == "" || value == "true" || value == "false" || !slices.Contains(boolAttrs, c.m.Str(a.Key)) {
		return ""
	}
	return invalidAttr(c.m.Str(a.Key), value)
}

func invalidAttr(key, value string) string {
	return "invalid value for '" + key + "' attribute: " + value
}

// wordAttrs lists the string attributes with a fixed set of values.
var wordAttrs = lazy.Value[map[string][]string]{Make: func() map[string][]string {
	return map[string][]string{
		"frame-pointer":              {"all", "non-leaf", "none", "reserved", "non-leaf-no-reserve"},
		"sign-return-address":        {"none", "all", "non-leaf"},
		"sign-return-address-key":    {"a_key", "b_key"},
		"branch-target-enforcement":  {"", "true", "false"},
		"branch-protection-pauth-lr": {"", "true", "false"},
		"guarded-control-stack":      {"", "true", "false"},
	}
}}

// numberAttrs lists the string attributes with a numeric value.
var numberAttrs = []string{"patchable-function-prefix", "patchable-function-entry", "warn-stack-size"}

// fnPairs lists pairs of mutually exclusive function attributes.
var fnPairs = [...]attrPair{
	{ir.AttrNoInline, ir.AttrAlwaysInline, "Attributes 'noinline and alwaysinline' are incompatible!"},
	{ir.AttrOptNone, ir.AttrOptSize, "Attributes 'optsize and optnone' are incompatible!"},
	{ir.AttrOptNone, ir.AttrMinSize, "Attributes 'minsize and optnone' are incompatible!"},
	{ir.AttrOptNone, ir.AttrOptDebug, "Attributes 'optdebug and optnone' are incompatible!"},
	{ir.AttrSanitizeRealtime, ir.AttrSanitizeRealtimeBlocking, "Attributes 'sanitize_realtime and sanitize_realtime_blocking' are incompatible!"},
	{ir.AttrOptDebug, ir.AttrOptSize, "Attributes 'optsize and optdebug' are incompatible!"},
	{ir.AttrOptDebug, ir.AttrMinSize, "Attributes 'minsize and optdebug' are incompatible!"},
}

// exclusive lists groups of mutually exclusive string attributes.
var exclusive = [...]struct {
	keys    []string
	message string
}{
	{[]string{"aarch64_pstate_sm_enabled", "aarch64_pstate_sm_compatible"},
		"Attributes 'aarch64_pstate_sm_enabled and aarch64_pstate_sm_compatible' are incompatible!"},
	{[]string{"aarch64_new_za", "aarch64_in_za", "aarch64_inout_za", "aarch64_out_za", "aarch64_preserves_za", "aarch64_za_state_agnostic"},
		"Attributes 'aarch64_new_za', 'aarch64_in_za', 'aarch64_out_za', 'aarch64_inout_za', 'aarch64_preserves_za' and 'aarch64_za_state_agnostic' are mutually exclusive"},
	{[]string{"aarch64_new_zt0", "aarch64_in_zt0", "aarch64_inout_zt0", "aarch64_out_zt0", "aarch64_preserves_zt0", "aarch64_za_state_agnostic"},
		"Attributes 'aarch64_new_zt0', 'aarch64_in_zt0', 'aarch64_out_zt0', 'aarch64_inout_zt0', 'aarch64_preserves_zt0' and 'aarch64_za_state_agnostic' are mutually exclusive"},
}

// fnAttrs checks the function attributes of a function or call.
func (c *checker) fnAttrs(set ir.AttrSet, s attrSite) string {
	m := c.m
	for _, a := range m.Attrs(set) {
		if !a.Kind.OnFunction() {
			return "Attribute '" + a.Kind.String() + "' does not apply to functions!"
		}
		if a.Kind == ir.AttrString {
			if message := c.stringAttr(a, set, s); message != "" {
				return message
			}
		}
	}
	for _, p := range fnPairs {
		if m.HasAttr(set, p.a) && m.HasAttr(set, p.b) {
			return p.message
		}
	}
	if m.HasAttr(set, ir.AttrOptNone) && !m.HasAttr(set, ir.AttrNoInline) {
		return "Attribute 'optnone' requires 'noinline'!"
	}
	if effects, ok := m.Attr(set, ir.AttrMemory); ok && ir.MemoryEffects(effects.Int).At(ir.ArgMem)&2 == 0 && c.somewhere(s.list, ir.AttrWritable) {
		return "Attribute writable and memory without argmem: write are incompatible!"
	}
	if m.HasAttr(set, ir.AttrJumpTable) && s.global != nil && s.global.Unnamed != ir.GlobalUnnamedAddr {
		return "Attribute 'jumptable' requires 'unnamed_addr'"
	}
	return c.fnNumbers(set, s)
}

// somewhere reports whether the result or a parameter has the attribute k.
func (c *checker) somewhere(l ir.AttrList, k ir.AttrKind) bool {
	for i, s := range c.m.AttrSets(l) {
		if i != ir.AttrFunction && c.m.HasAttr(s, k) {
			return true
		}
	}
	return false
}

// fnNumbers checks the function attributes with numeric values.
func (c *checker) fnNumbers(set ir.AttrSet, s attrSite) string {
	if a, ok := c.m.Attr(set, ir.AttrAllocSize); ok {
		const none = 1<<32 - 1
		for i, name := range [...]string{"element size", "number of elements"} {
			n := a.Int >> (32 * (1 - i)) & none
			switch {
			case i == 1 && n == none:
			case n >= uint64(len(s.fn.Elems)):
				return "'allocsize' " + name + " argument is out of bounds"
			case !c.m.IsInt(s.fn.Elems[n]):
				return "'allocsize' " + name + " argument must refer to an integer parameter"
			}
		}
	}
	if a, ok := c.m.Attr(set, ir.AttrAllocKind); ok {
		if message := allocKind(a.Int); message != "" {
			return message
		}
	}
	if a, ok := c.m.Attr(set, ir.AttrVScaleRange); ok {
		return vscaleRange(uint32(a.Int>>32), uint32(a.Int))
	}
	return ""
}

func allocKind(k uint64) string {
	const alloc, realloc, free, uninitialized, zeroed, aligned = 1, 2, 4, 8, 16, 32
	switch which := k & (alloc | realloc | free); {
	case bits.OnesCount64(which) != 1:
		return "'allockind()' requires exactly one of alloc, realloc, and free"
	case which == free && k&(uninitialized|zeroed|aligned) != 0:
		return `'allockind("free")' doesn't allow uninitialized, zeroed, or aligned modifiers.`
	case k&uninitialized != 0 && k&zeroed != 0:
		return "'allockind()' can't be both zeroed and uninitialized"
	}
	return ""
}

func vscaleRange(low, high uint32) string {
	switch {
	case low == 0:
		return "'vscale_range' minimum must be greater than 0"
	case bits.OnesCount32(low) != 1:
		return "'vscale_range' minimum must be power-of-two value"
	case high != 0 && low > high:
		return "'vscale_range' minimum cannot be greater than maximum"
	case high != 0 && bits.OnesCount32(high) != 1:
		return "'vscale_range' maximum must be power-of-two value"
	}
	return ""
}

// stringAttr checks a string attribute of a function.
func (c *checker) stringAttr(a ir.Attr, set ir.AttrSet, s attrSite) string {
	key, value := c.m.Str(a.Key), c.m.Str(a.Str)
	if words, ok := wordAttrs.Get()[key]; ok {
		if !slices.Contains(words, value) {
			return invalidAttr(key, value)
		}
		if _, has := c.m.StringAttr(set, "sign-return-address"); key == "sign-return-address-key" && !has {
			return "'sign-return-address-key' present without `sign-return-address`"
		}
		return ""
	}
	if slices.Contains(numberAttrs, key) {
		if _, err := strconv.ParseUint(value, 10, 32); err != nil {
			return fmt.Sprintf("%q takes an unsigned integer: %s", key, value)
		}
		return ""
	}
	switch key {
	case "denormal-fp-math", "denormal-fp-math-f32":
		if !isDenormalMode(value) {
			return invalidAttr(key, value)
		}
	case "patchable-function-entry-section":
		if value == "" {
			return `"patchable-function-entry-section" must not be empty`
		}
	case "modular-format":
		return modularFormat(value, s.fn)
	case "alloc-variant-zeroed":
		return c.zeroedVariant(value, set, s)
	case "target-features":
		return c.evex512(value, s.fn)
	}
	if strings.HasPrefix(key, "aarch64_") {
		return c.exclusiveAttrs(key, set)
	}
	return c.boolAttr(a)
}

func (c *checker) exclusiveAttrs(key string, set ir.AttrSet) string {
	for _, group := range exclusive {
		for _, other := range group.keys {
			if _, has := c.m.StringAttr(set, other); has && other != key && slices.Contains(group.keys, key) {
				return group.message
			}
		}
	}
	return ""
}

// isDenormalMode reports whether s is a valid value of denormal-fp-math: one or
// two modes.
func isDenormalMode(s string) bool {
	for i, part := range strings.Split(s, ",") {
		switch part {
		case "ieee", "", "preserve-sign", "positive-zero", "dynamic":
		default:
			return false
		}
		if i > 1 {
			return false
		}
	}
	return true
}

// modularFormat checks "modular-format".
func modularFormat(value string, fn *ir.TypeInfo) string {
	parts := strings.Split(value, ",")
	if len(parts) < 5 {
		return "modular-format attribute requires at least 5 arguments"
	}
	n, err := strconv.ParseUint(parts[2], 10, 32)
	limit := uint64(len(fn.Elems))
	if fn.VarArg {
		limit++
	}
	switch {
	case err != nil:
		return "modular-format attribute first arg index is not an integer"
	case n == 0 || n > limit:
		return "modular-format attribute first arg index is out of bounds"
	}
	return ""
}

// zeroedVariant checks "alloc-variant-zeroed".
func (c *checker) zeroedVariant(value string, set ir.AttrSet, s attrSite) string {
	if value == "" {
		return "'alloc-variant-zeroed' must not be empty"
	}
	f := c.m.Function(value)
	if f == nil {
		return ""
	}
	theirs := c.m.AttrsAt(f.Attributes, ir.AttrFunction)
	family, has := c.m.StringAttr(set, "alloc-family")
	other, hasOther := c.m.StringAttr(theirs, "alloc-family")
	kind, _ := c.m.Attr(theirs, ir.AttrAllocKind)
	switch {
	case has && (!hasOther || family != other):
		return "'alloc-variant-zeroed' must name a function belonging to the same 'alloc-family'"
	case kind.Int&16 == 0:
		return `'alloc-variant-zeroed' must name a function with 'allockind("zeroed")'`
	case c.m.TypeInfo(f.Global.Type) != s.fn:
		return "'alloc-variant-zeroed' must name a function with the same signature"
	}
	return ""
}

// evex512 checks that functions with 512-bit vectors have the registers for
// them.
func (c *checker) evex512(features string, fn *ir.TypeInfo) string {
	if !c.x86 || !strings.Contains(features, "+avx512f") || !strings.Contains(features, "-evex512") {
		return ""
	}
	widest := uint64(0)
	for _, t := range append([]ir.Type{fn.Elem}, fn.Elems...) {
		if c.m.IsVector(t) {
			widest = max(widest, c.m.PrimitiveBits(t))
		}
	}
	if widest >= 512 {
		return "512-bit vector arguments require 'evex512' for AVX512"
	}
	return ""
}
