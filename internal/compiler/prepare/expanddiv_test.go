package prepare

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/internal/testing/passtest"
	"github.com/gfx-toolchain/gfx/ir/text"
)

// divDriver compares functions on uint64_t with C's operators for all kinds of
// numbers, with reciprocals that are off by up to one ulp in either direction.
const divDriver = `
typedef unsigned long long u64; typedef long long i64;
int printf(const char *, ...);
static u64 state = 88172645463325252ull;
static u64 rnd(void) { state ^= state << 13; state ^= state >> 7; state ^= state << 17; return state; }
static int mode;
float rcp(float x) {
  union { float f; unsigned b; } u;
  double t = 1.0 / (double)x;
  u.f = (float)t;
  int m = mode == 2 ? (int)(rnd() % 3) - 1 : mode;
  double back = (double)u.f;
  if (m > 0 && back <= t) u.b++;
  if (m < 0 && back >= t) u.b--;
  return u.f;
}
static u64 mask(int w) { return w == 64 ? ~0ull : (1ull << w) - 1; }
static u64 pick(int w) {
  u64 r = rnd(), k = rnd();
  switch (k % 6) {
  case 0: return r & mask(w);
  case 1: return (r & mask(w)) >> (k / 8 % w);
  case 2: return (1ull << (k / 8 % w)) + (r % 5) - 2 & mask(w);
  case 3: return (r % 16) - 8 & mask(w);
  case 4: return (mask(w) / (1 + r % 9)) + (k / 8 % 3) - 1 & mask(w);
  }
  return (1ull << (w - 1)) + (r % 7) - 3 & mask(w);
}
static i64 sext(u64 x, int w) { return (i64)(x << (64 - w)) >> (64 - w); }
struct row { const char *name; int op, w, bits; u64 c; u64 (*f)(u64, u64); };
DECLARATIONS
static struct row rows[] = { ROWS };
int main(void) {
  for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct row *r = &rows[i];
    for (int n = 0; n < TRIES; n++) {
      mode = n % 4 - 1;
      u64 x = pick(r->w), y = r->c ? r->c : pick(r->w), want;
      if (r->bits) { x &= mask(r->bits); y &= mask(r->bits); }
      if (y == 0) y = 1;
      i64 sx = sext(x, r->w), sy = sext(y, r->w);
      if (r->op >= 2 && sy == -1 && x == 1ull << (r->w - 1)) continue;
      switch (r->op) {
      case 0: want = x / y; break;
      case 1: want = x % y; break;
      case 2: want = sx / sy; break;
      default: want = sx % sy;
      }
      want &= mask(r->w);
      u64 got = r->f(x, y);
      if (got != want) { printf("%s(%#llx, %#llx) is %#llx, not %#llx; rcp %d\n", r->name, x, y, got, want, mode); return 1; }
    }
  }
  printf("ok\n");
  return 0;
}
`

// divCases returns the functions as IR, and their declarations and table rows
// in C.
func divCases() (code, decls, rows string) {
	var ll, d, r strings.Builder
	seen := map[string]bool{}
	add := func(op int, width, bits int, c uint64) {
		opName := []string{"udiv", "urem", "sdiv", "srem"}[op]
		name := fmt.Sprintf("t_%s_%d_%d_%x", opName, width, bits, c)
		if seen[name] {
			return
		}
		seen[name] = true
		t := "i" + strconv.Itoa(width)
		fmt.Fprintf(&ll, "define i64 @%s(i64 %%a, i64 %%b) {\n", name)
		fmt.Fprintf(&ll, "  %%m = and i64 %%a, %d\n  %%n = and i64 %%b, %d\n", int64(1<<(bits%64))-1, int64(1<<(bits%64))-1)
		x, y := "a", "b"
		if bits != 0 {
			x, y = "m", "n"
		}
		if width < 64 {
			fmt.Fprintf(&ll, "  %%x = trunc i64 %%%s to %s\n  %%y = trunc i64 %%%s to %s\n", x, t, y, t)
			x, y = "x", "y"
		}
		y = "%" + y
		if c != 0 {
			y = strconv.FormatUint(c, 10)
		}
		fmt.Fprintf(&ll, "  %%r = %s %s %%%s, %s\n", opName, t, x, y)
		if width < 64 {
			fmt.Fprintf(&ll, "  %%z = zext %s %%r to i64\n  ret i64 %%z\n}\n", t)
		} else {
			ll.WriteString("  ret i64 %r\n}\n")
		}
		fmt.Fprintf(&d, "u64 %s(u64, u64);\n", name)
		fmt.Fprintf(&r, "{\"%s\", %d, %d, %d, %dull, %s},\n", name, op, width, bits, c, name)
	}
	for op := range 4 {
		for _, w := range []int{1, 5, 8, 16, 22, 23, 24, 25, 31, 32, 33, 47, 63, 64} {
			if op < 2 || w > 1 {
				add(op, w, 0, 0)
			}
		}
		for _, bits := range []int{8, 21, 22, 23, 24} {
			add(op, 32, bits, 0)
			add(op, 64, bits, 0)
		}
		add(op, 64, 32, 0)
		for _, w := range []int{8, 16, 32, 48, 64} {
			top := uint64(1)<<(w-1) - 1
			for _, c := range []uint64{1, 2, 3, 5, 6, 7, 9, 10, 11, 12, 14, 25, 28, 60, 64, 100, 125, 127, 641, 1000, 60000, 1000000007, 1 << 31, 1<<32 + 1,
				6700417, top, top - 1, top + 1, 2*top + 1, 2 * top, 2*top - 6, top + 2} {
				if c != 0 && c <= 2*top+1 {
					add(op, w, 0, c)
				}
			}
		}
	}
	return ll.String(), d.String(), r.String()
}

// TestExpandDiv compares expanded divisions with the machine's.
func TestExpandDiv(t *testing.T) {
	clang, lli := oracle.Tool(t, "clang-22"), oracle.Tool(t, "lli-22")
	code, decls, rows := divCases()
	m := parse(t, "div.ll", code)
	run(t, "expand-div-rem", m)
	for _, g := range m.Globals() {
		if g.Func == nil || g.IsDeclaration() {
			continue
		}
		for b := g.Func.Entry(); b != 0; b = g.Func.NextBlock(b) {
			for v := g.Func.First(b); v != 0; v = g.Func.Next(v) {
				if isDivision(g.Func.Op(v)) {
					t.Fatalf("%s has a division left", g.Name())
				}
			}
		}
	}
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	ll := strings.ReplaceAll(string(text.Print(m)), "@llvm.amdgcn.rcp.f32", "@rcp")
	c := strings.NewReplacer("DECLARATIONS", decls, "ROWS", rows, "TRIES", strconv.Itoa(passtest.Tries(20)*100)).Replace(divDriver)
	for name, content := range map[string]string{"div.ll": ll, "main.c": c} {
		if err := os.WriteFile(path(name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	_, msg, exit := oracle.Run(t, nil, time.Minute, clang, "-O1", "-w", "-S", "-emit-llvm", "-o", path("main.ll"), path("main.c"))
	if exit != 0 {
		t.Fatalf("clang-22: %s", msg)
	}
	out, msg, exit := oracle.Run(t, nil, 10*time.Minute, lli, "-extra-module="+path("div.ll"), path("main.ll"))
	if exit != 0 || string(out) != "ok\n" {
		t.Fatalf("%s%s", out, msg)
	}
}
