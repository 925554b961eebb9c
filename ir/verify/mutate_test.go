package verify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/ir/text"
)

// GFX_VERIFY_TRIES is the number of mutations in TestMutations, GFX_VERIFY_SEED
// the first seed. GFX_VERIFY_KEEP is a directory for mutations with a
// difference.
const (
	triesVar = "GFX_VERIFY_TRIES"
	seedVar  = "GFX_VERIFY_SEED"
	keepVar  = "GFX_VERIFY_KEEP"
)

func envInt(t testing.TB, name string, otherwise int) int {
	s := os.Getenv(name)
	if s == "" {
		return otherwise
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// rightModules returns the modules of testdata/right.txtar.
func rightModules(t testing.TB) []txtar.File {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/right.txtar")
	if err != nil {
		t.Fatal(err)
	}
	return archive.Files
}

// verdict is the result of verifying a module.
type verdict int

const (
	accepted verdict = iota
	stripped         // accepted without its debug information
	refused
)

func (v verdict) String() string {
	return [...]string{"accepted", "accepted without debug info", "refused"}[v]
}

// ours returns gfx's verdict on a text and the reason.
func ours(name string, src []byte) (verdict, string) {
	m, list := text.Parse(name, src)
	if list.HasErrors() {
		return refused, list.Err().Error()
	}
	dropped, wrong := AfterReading(m)
	var why []string
	for _, v := range append(dropped, wrong...) {
		why = append(why, v.String())
	}
	switch {
	case len(why) == 0:
		return accepted, ""
	case len(wrong) == 0:
		return stripped, strings.Join(why, "\n")
	}
	return refused, strings.Join(why, "\n")
}

// runLLVM runs llvm-as on a text. An abort counts as an error.
func runLLVM(t testing.TB, as string, src []byte) (errs []byte, exit int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), toolTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, as, "-o", os.DevNull, "-")
	var out bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(src), &out
	err := cmd.Run()
	var status *exec.ExitError
	switch {
	case ctx.Err() != nil:
		t.Fatalf("%s takes longer than %v", as, toolTime)
	case err == nil:
	case errors.As(err, &status):
		exit = 1
	default:
		t.Fatal(err)
	}
	return out.Bytes(), exit
}

// theirs returns LLVM's verdict on a text and the reason.
func theirs(t testing.TB, as string, src []byte) (verdict, string) {
	errs, exit := runLLVM(t, as, src)
	switch {
	case exit != 0:
		return refused, string(errs)
	case bytes.Contains(errs, []byte("ignoring invalid debug info")):
		return stripped, string(errs)
	}
	return accepted, ""
}

var tokens = regexp.MustCompile(`"[^"\n]*"|[%@!#$][-\w.$]*|-?\d+\.\d+|-?\d+|[A-Za-z_][\w.]*|[^\s\w]`)

// mutator changes texts.
type mutator struct {
	r     *rand.Rand
	pools map[byte][]string // tokens by class
}

// classOf returns the class of a token. Tokens of the same class are
// interchangeable.
func classOf(tok string) byte {
	switch c := tok[0]; {
	case c == '"', c == '%', c == '@', c == '!', c == '#', c == '$':
		return c
	case c >= '0' && c <= '9', c == '-':
		return '0'
	case c == 'i' && len(tok) > 1 && strings.Trim(tok[1:], "0123456789") == "":
		return 't'
	case !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'):
		return 'p'
	}
	switch tok {
	case "float", "double", "half", "void", "ptr", "token", "label", "metadata":
		return 't'
	}
	return 'w'
}

// moreTokens lists additional tokens that do not occur in the modules.
const moreTokens = `i1 i7 i16 i128 half bfloat fp128 x86_fp80 token metadata label opaque
add fadd udiv urem frem and lshr ashr xor trunc fptoui uitofp bitcast addrspacecast ptrtoaddr eq ne sgt ule une ord
unordered monotonic acquire release acq_rel seq_cst xchg sub nand umax fsub fmax uinc_wrap volatile tail musttail notail
amdgpu_gfx amdgpu_vs amdgpu_cs amdgpu_gfx_whole_wave fastcc coldcc cc11 x86_intrcc tailcc swifttailcc private internal weak
available_externally linkonce_odr common appending extern_weak hidden protected dllimport dllexport thread_local unnamed_addr
readnone readonly writeonly writable nest noalias inreg immarg returned zeroext signext swiftself swifterror byval byref inalloca
preallocated sret elementtype align dereferenceable nonnull noundef noinline alwaysinline optnone minsize optsize naked builtin
speculatable jumptable convergent undef poison zeroinitializer null none true false distinct
DW_TAG_member DW_TAG_base_type DW_TAG_array_type DW_TAG_inheritance DW_OP_plus DW_OP_LLVM_fragment DW_OP_LLVM_entry_value
DIFlagLValueReference DIFlagRValueReference DISPFlagDefinition 0 1 2 3 8 64 -1 4294967295 1.0`

func newMutator(seed uint64, files []txtar.File) *mutator {
	m := &mutator{r: rand.New(rand.NewPCG(seed, 1)), pools: map[byte][]string{}}
	add := func(tok string) { m.pools[classOf(tok)] = append(m.pools[classOf(tok)], tok) }
	for _, f := range files {
		for _, tok := range tokens.FindAllString(string(f.Data), -1) {
			add(tok)
		}
	}
	for range 20 { // as frequent as the others
		for _, tok := range strings.Fields(moreTokens) {
			add(tok)
		}
	}
	return m
}

func (m *mutator) pick(list []string) string { return list[m.r.IntN(len(list))] }

// token replaces a token by another token of the same class, usually from the
// same text.
func (m *mutator) token(src string) string {
	at := tokens.FindAllStringIndex(src, -1)
	i := m.r.IntN(len(at))
	tok := src[at[i][0]:at[i][1]]
	with := ""
	switch m.r.IntN(10) {
	case 0: // nothing
	case 1: // any
		j := m.r.IntN(len(at))
		with = src[at[j][0]:at[j][1]]
	case 2, 3, 4, 5: // from the same text, usually nearby
		for range 50 {
			j := m.r.IntN(len(at))
			if m.r.IntN(4) > 0 {
				j = min(max(i+m.r.IntN(80)-40, 0), len(at)-1)
			}
			if with = src[at[j][0]:at[j][1]]; classOf(with) == classOf(tok) && with != tok {
				break
			}
		}
	case 6: // an additional word
		with = tok + " " + m.pick(m.pools['w'])
	default:
		with = m.pick(m.pools[classOf(tok)])
	}
	return src[:at[i][0]] + with + src[at[i][1]:]
}

// lines removes, duplicates or swaps lines.
func (m *mutator) lines(src string) string {
	list := strings.Split(src, "\n")
	i, j := m.r.IntN(len(list)), m.r.IntN(len(list))
	switch m.r.IntN(3) {
	case 0:
		list = append(list[:i:i], list[i+1:]...)
	case 1:
		list = append(list[:j:j], append([]string{list[i]}, list[j:]...)...)
	default:
		list[i], list[j] = list[j], list[i]
	}
	return strings.Join(list, "\n")
}

// kinds lists attachments for which the verifier has rules.
var kinds = strings.Fields("tbaa prof fpmath range alias.scope noalias nonnull dereferenceable dereferenceable_or_null align " +
	"llvm.loop llvm.access.group annotation memprof callsite mmra noalias.addrspace callee_type nofree captures invariant.group " +
	"DIAssignID dbg associated absolute_symbol kcfi_type nosanitize")

// valueAttrs and fnAttrs list attributes in textual form.
var (
	valueAttrs = []string{"align 4", "dereferenceable(8)", "byval(i32)", "byref(i32)", "sret(i32)", "inalloca(i32)", "preallocated(i32)",
		"elementtype(i32)", "range(i32 0, 5)", "range(i64 -1, 1)", "nofpclass(nan)", "captures(none)", "initializes((0, 4))", "nest", "inreg",
		"noalias", "nonnull", "noundef", "readnone", "readonly", "writeonly", "writable", "returned", "zeroext", "signext", "noext", "immarg",
		"swiftself", "swifterror", "swiftasync", "nofree", "allocalign", "allocptr", "dead_on_unwind", "dead_on_return", "alignstack(8)"}
	fnWords = []string{"naked", "noinline", "alwaysinline", "optnone", "optsize", "minsize", "optdebug", "jumptable", "convergent", "speculatable",
		"memory(none)", "memory(read)", "memory(argmem: write)", "allocsize(0)", "allocsize(1,0)", `allockind("alloc")`, `allockind("free,zeroed")`,
		"vscale_range(1,2)", "uwtable", "alignstack(8)", "nofree", `"frame-pointer"="x"`, `"denormal-fp-math"="ieee"`, "sanitize_realtime",
		"sanitize_realtime_blocking", "noreturn", "strictfp", `"less-precise-fpmad"="1"`}
	globalWords = []string{"private", "internal", "weak", "linkonce", "weak_odr", "linkonce_odr", "available_externally", "common", "appending",
		"extern_weak", "external", "hidden", "protected", "dllimport", "dllexport", "dso_local", "thread_local", "unnamed_addr"}
	valueType = regexp.MustCompile(`\b(?:ptr(?: addrspace\(\d\))?|i\d+|float|<2 x float>)`)
	number    = regexp.MustCompile(`![0-9]+`)
)

// insert adds an attachment, attribute or linkage to a line.
func (m *mutator) insert(src string) string {
	list := strings.Split(src, "\n")
	i := m.r.IntN(len(list))
	line := list[i]
	isHead := strings.HasPrefix(line, "define") || strings.HasPrefix(line, "declare")
	switch n := m.r.IntN(4); {
	case strings.HasPrefix(line, "@"):
		at := strings.Index(line, "= ") + 2
		line = line[:at] + m.pick(globalWords) + " " + line[at:]
	case isHead && n == 0:
		word, rest, _ := strings.Cut(line, " ")
		line = word + " " + m.pick(globalWords) + " " + rest
	case isHead && n == 1:
		if at := strings.LastIndex(line, ")"); at > 0 {
			line = line[:at+1] + " " + m.pick(fnWords) + line[at+1:]
		}
	case isHead || strings.Contains(line, "call ") && n < 3:
		if at := valueType.FindAllStringIndex(line, -1); len(at) > 0 {
			end := at[m.r.IntN(len(at))][1]
			line = line[:end] + " " + m.pick(valueAttrs) + line[end:]
		}
	case strings.HasPrefix(line, "  ") && !strings.HasPrefix(line, "    "):
		if nodes := number.FindAllString(src, -1); len(nodes) > 0 {
			line += ", !" + m.pick(kinds) + " " + m.pick(nodes)
		}
	}
	list[i] = line
	return strings.Join(list, "\n")
}

func (m *mutator) mutate(src string) string {
	switch m.r.IntN(12) {
	case 0:
		return m.lines(src)
	case 1, 2, 3, 4:
		return m.insert(src)
	}
	src = m.token(src)
	if m.r.IntN(5) == 0 {
		src = m.token(src)
	}
	return src
}

// TestMutations modifies valid modules at random and compares the verdict with
// LLVM's.
func TestMutations(t *testing.T) {
	as := oracle.Tool(t, "llvm-as-22")
	files := rightModules(t)
	tries, seed := envInt(t, triesVar, 60), envInt(t, seedVar, 1)
	m := newMutator(uint64(seed), files)
	wrong, byVerifier, count := 0, 0, [3]int{}
	for i := range tries {
		f := files[m.r.IntN(len(files))]
		src := []byte(m.mutate(string(f.Data)))
		got, why := ours(f.Name, src)
		want, theirWhy := theirs(t, as, src)
		count[want]++
		if strings.Contains(theirWhy, "does not verify") || strings.Contains(theirWhy, "Broken module") {
			byVerifier++
		}
		if got == want || isKnownDifference(theirWhy, why) {
			continue
		}
		wrong++
		t.Errorf("try %d, %s: %v, LLVM: %v\n%s\nLLVM: %s", i, f.Name, got, want, why, theirWhy)
		if keep := os.Getenv(keepVar); keep != "" {
			name := filepath.Join(keep, fmt.Sprintf("%d-%d-%s", seed, i, f.Name))
			if err := os.WriteFile(name, src, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Logf("%d tries, LLVM accepted %d, without debug info %d, rejected %d (%d by its verifier); %d differences",
		tries, count[0], count[1], count[2], byVerifier, wrong)
}

// knownDifferences matches messages of LLVM or gfx about texts that the other
// one accepts intentionally.
var knownDifferences = []*regexp.Regexp{
	regexp.MustCompile("unterminated attribute group"),    // unknown attributes are kept
	regexp.MustCompile(`(?s)^PLEASE submit a bug report`), // LLVM crashes without a message
}

func isKnownDifference(whys ...string) bool {
	for _, why := range whys {
		for _, re := range knownDifferences {
			if re.MatchString(why) {
				return true
			}
		}
	}
	return false
}
