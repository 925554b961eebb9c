package linker

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
)

// maker generates random modules. Names of symbols, types and COMDATs are from
// a small pool, so that modules share them.
type maker struct {
	*rand.Rand
	out     strings.Builder
	kinds   map[string]byte // defined or aliased symbols: v, f
	used    map[string]bool // referenced symbols
	comdats map[string]bool
}

func (mk *maker) pick(words ...string) string { return words[mk.IntN(len(words))] }

// chance returns true with probability 1/n.
func (mk *maker) chance(n int) bool { return mk.IntN(n) == 0 }

func (mk *maker) ref(kind string) string {
	name := kind + strconv.Itoa(mk.IntN(6))
	mk.used[name] = true
	return "@" + name
}

func (mk *maker) any() string { return mk.ref(mk.pick("v", "f")) }

func (mk *maker) typ() string {
	return mk.pick("i32", "ptr", "%T0", "%T1", "%T2", "%T3", "[2 x i16]", "{ i8, %T1 }")
}

func (mk *maker) value(t string) string {
	switch t {
	case "i32":
		return strconv.Itoa(mk.IntN(3))
	case "ptr":
		return mk.pick("null", mk.any(), "getelementptr ("+mk.pick("%T0", "%T1", "i8")+", ptr "+mk.any()+", i64 1)")
	}
	return mk.pick("zeroinitializer", "undef")
}

// properties writes the visibility and similar properties of an externally
// visible definition.
func (mk *maker) properties(linkage string) string {
	s := ""
	if linkage != "private" && linkage != "internal" {
		s = mk.pick("", "", "", "hidden ", "protected ", "dso_local ")
	}
	return s + mk.pick("", "", "unnamed_addr ", "local_unnamed_addr ")
}

func (mk *maker) comdat(linkage string) string {
	if !mk.chance(4) || linkage == "available_externally" || linkage == "common" {
		return ""
	}
	c := "c" + strconv.Itoa(mk.IntN(2))
	mk.comdats[c] = true
	return "comdat($" + c + ")"
}

func (mk *maker) variable(name string) {
	linkage := mk.pick("", "", "internal", "private", "weak", "weak_odr", "linkonce", "linkonce_odr", "linkonce_odr", "common", "available_externally")
	t := mk.typ()
	init := mk.value(t)
	kind := mk.pick("global", "global", "constant")
	if linkage == "common" {
		init, kind = "zeroinitializer", "global"
	}
	fmt.Fprintf(&mk.out, "@%s = %s %s%s %s %s", name, linkage, mk.properties(linkage), kind, t, init)
	if c := mk.comdat(linkage); c != "" {
		mk.out.WriteString(", " + c)
	}
	mk.out.WriteString(mk.pick("", "", ", align 4", ", align 16") + mk.pick("", "", "", ", !x !0") + "\n")
}

func (mk *maker) function(name string) {
	linkage := mk.pick("", "", "", "internal", "weak", "weak_odr", "linkonce", "linkonce_odr", "linkonce_odr", "available_externally")
	ua := mk.properties(linkage)
	pre, ua, _ := strings.Cut(ua, "unnamed_addr")
	if strings.HasSuffix(pre, "local_") {
		pre, ua = strings.TrimSuffix(pre, "local_"), "local_unnamed_addr"
	} else if strings.Contains(ua, " ") {
		ua = "unnamed_addr"
	}
	fmt.Fprintf(&mk.out, "define %s %svoid @%s() %s %s%s {\n", linkage, pre, name, ua, mk.comdat(linkage), mk.pick("", "", " !x !1"))
	for i := range mk.IntN(4) {
		switch mk.IntN(4) {
		case 0:
			fmt.Fprintf(&mk.out, "  call void %s()%s\n", mk.ref("f"), mk.pick("", " nounwind", ", !y !0"))
		case 1:
			fmt.Fprintf(&mk.out, "  store ptr %s, ptr %s%s\n", mk.any(), mk.ref("v"), mk.pick("", ", !y !1"))
		case 2:
			fmt.Fprintf(&mk.out, "  %%a%d = alloca %s\n", i, mk.typ())
		case 3:
			fmt.Fprintf(&mk.out, "  call void %s(ptr byval(%s) %s)\n", mk.ref("f"), mk.pick("%T0", "%T2"), mk.ref("v"))
		}
	}
	mk.out.WriteString("  ret void\n}\n")
}

// alias writes an alias of a defined symbol.
func (mk *maker) alias(name, to string) {
	fmt.Fprintf(&mk.out, "@%s = %s alias %s, ptr @%s\n", name, mk.pick("", "", "internal", "weak", "linkonce_odr"),
		map[byte]string{'v': "i32", 'f': "void ()"}[to[0]], to)
}

// module writes a module.
func (mk *maker) module() string {
	mk.kinds, mk.used, mk.comdats = map[string]byte{}, map[string]bool{}, map[string]bool{}
	mk.out.Reset()
	for i := range 4 {
		fmt.Fprintf(&mk.out, "%%T%d = type { %s }\n", i, mk.pick("i8", "i16", "i8, i16", "ptr", fmt.Sprintf("%%T%d, i8", i+1)))
	}
	mk.out.WriteString("%T4 = type " + mk.pick("{ i64 }", "<{ i8, i64 }>", "{ i32 }") + "\n")
	var defined []string
	for i := range 6 {
		for _, kind := range []string{"v", "f"} {
			if name := kind + strconv.Itoa(i); mk.chance(2) {
				mk.kinds[name] = kind[0]
				defined = append(defined, name)
			}
		}
	}
	for _, name := range defined {
		if mk.kinds[name] == 'v' {
			mk.variable(name)
		} else {
			mk.function(name)
		}
	}
	mk.aliases(defined)
	mk.metadata()
	if mk.chance(3) {
		fmt.Fprintf(&mk.out, "@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 %d, ptr %s, ptr %s }]\n",
			mk.IntN(3), mk.ref("f"), mk.pick("null", mk.ref("v")))
	}
	for i := range 6 {
		for _, kind := range []string{"v", "f"} {
			name := kind + strconv.Itoa(i)
			if _, ok := mk.kinds[name]; !ok && (mk.used[name] || mk.chance(8)) {
				mk.declare(name)
			}
		}
	}
	comdats := ""
	for _, c := range []string{"c0", "c1"} {
		if mk.comdats[c] {
			comdats += "$" + c + " = comdat " + mk.pick("any", "any", "any", "any", "any", "nodeduplicate") + "\n"
		}
	}
	return comdats + mk.out.String()
}

func (mk *maker) aliases(defined []string) {
	for i := range 6 {
		name := mk.pick("v", "f") + strconv.Itoa(i)
		if _, ok := mk.kinds[name]; ok || len(defined) == 0 || !mk.chance(4) {
			continue
		}
		to := defined[mk.IntN(len(defined))]
		if name[0] == to[0] && !mk.available(to) {
			mk.kinds[name] = name[0]
			mk.alias(name, to)
		}
	}
}

// available reports whether a symbol is available_externally, which an alias
// must not refer to.
func (mk *maker) available(name string) bool {
	for line := range strings.Lines(mk.out.String()) {
		if strings.Contains(line, "available_externally") && (strings.HasPrefix(line, "@"+name+" ") || strings.Contains(line, "@"+name+"()")) {
			return true
		}
	}
	return false
}

func (mk *maker) declare(name string) {
	linkage := mk.pick("external", "external", "external hidden", "extern_weak")
	if name[0] == 'v' {
		fmt.Fprintf(&mk.out, "@%s = %s %s %s%s\n", name, linkage, mk.pick("global", "global", "constant"), mk.typ(), mk.pick("", "", ", !x !1"))
		return
	}
	fmt.Fprintf(&mk.out, "declare %s%s void @%s()\n", mk.pick("", "", "!x !0 "), strings.TrimPrefix(linkage, "external"), name)
}

func (mk *maker) metadata() {
	// LLVM makes a node distinct if it becomes equal to another one when a
	// declaration is replaced; gfx merges the nodes. Nodes with globals
	// therefore differ between the modules.
	one := mk.pick("!{!0, i32 1}", "distinct !{!0, ptr "+mk.any()+"}")
	fmt.Fprintf(&mk.out, "!n = !{!0, !2}\n!0 = !{!%q}\n!1 = %s\n!2 = !{ptr %s, !1, i32 %d}\n", mk.pick("a", "b"), one, mk.any(), mk.IntN(1<<30))
	if mk.chance(3) {
		v := mk.any()
		fmt.Fprintf(&mk.out, "@llvm.used = appending global [1 x ptr] [ptr %s], section \"llvm.metadata\"\n", v)
	}
}

// asBitcode converts texts to bitcode, which is read lazily.
func asBitcode(t *testing.T, files []input) []input {
	t.Helper()
	out := make([]input, len(files))
	for i, f := range files {
		bc, errs, exit := oracle.Run(t, []byte(f.text), toolTime, oracle.Tool(t, "llvm-as-22"), "-o", "-")
		if exit != 0 {
			t.Fatalf("llvm-as-22: %s", errs)
		}
		out[i] = input{strings.TrimSuffix(f.name, ".ll") + ".bc", string(bc)}
	}
	return out
}

// TestRandom compares the linking of random modules with LLVM. GFX_SUITE_TRIES
// multiplies the number of modules.
func TestRandom(t *testing.T) {
	n := 16
	if s := os.Getenv("GFX_SUITE_TRIES"); s != "" {
		tries, err := strconv.Atoi(s)
		if err != nil {
			t.Fatalf("invalid GFX_SUITE_TRIES=%s: want a positive number", s)
		}
		n *= tries
	}
	for seed := range uint64(n) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			mk := &maker{Rand: rand.New(rand.NewPCG(seed, 6))}
			var files []input
			for i := range 2 + mk.IntN(2) {
				files = append(files, input{fmt.Sprintf("%c.ll", 'a'+i), mk.module()})
			}
			flags := [][]string{nil, nil, {"--only-needed"}, {"--internalize"}, {"--only-needed", "--internalize"}}[mk.IntN(5)]
			if seed%4 == 3 {
				files = asBitcode(t, files)
			}
			compare(t, files, flags)
			for _, f := range files {
				if t.Failed() && strings.HasSuffix(f.name, ".ll") {
					t.Logf("%s %v\n%s", f.name, flags, f.text)
				}
			}
		})
	}
}
