package simplify

import (
	"fmt"
	"strings"
	"testing"
)

const ptrGlobals = `
%pair = type { i8, i32, [3 x i16], ptr }
@words = internal constant [4 x i32] [i32 1, i32 -2, i32 305419896, i32 -559038737]
@wordsx = addrspace(1) constant [4 x i32] [i32 1, i32 -2, i32 305419896, i32 -559038737]
@lds = internal addrspace(3) global [16 x i32] poison
@str = internal constant [8 x i8] c"abcdefg\00"
@rec = internal constant [2 x %pair] [%pair { i8 7, i32 9, [3 x i16] [i16 1, i16 2, i16 3], ptr @words }, %pair { i8 1, i32 2, [3 x i16] [i16 4, i16 undef, i16 6], ptr null }]
@vec = internal constant <4 x float> <float 1.0, float 2.0, float 0x7FF8000000000000, float -4.0>
@zero = internal constant [100 x i64] zeroinitializer
@und = internal constant [4 x i32] undef
@var = global i32 5
@weak = weak constant i32 5
@ext = external constant i32
@extinit = externally_initialized constant i32 7
@al = alias i32, getelementptr (i8, ptr @words, i64 4)
@big = internal constant i128 340282366920938463463374607431768211450
@dbl = internal constant double 3.5
@weakext = extern_weak global i32
declare void @fn()
`

// ptrCases are instructions on addresses; all results must match LLVM's.
var ptrCases = strings.Split(strings.TrimSpace(`
load i32, ptr @words
load i32, ptr getelementptr (i8, ptr @words, i64 8)
load i64, ptr @words
load i16, ptr getelementptr (i8, ptr @words, i64 9)
load i16, ptr getelementptr (i8, ptr @words, i64 3)
load float, ptr getelementptr ([4 x i32], ptr @words, i64 0, i64 2)
load <2 x i32>, ptr getelementptr (i32, ptr @words, i64 1)
load <4 x i8>, ptr getelementptr (i32, ptr @words, i64 2)
load i32, ptr addrspace(1) getelementptr (i32, ptr addrspace(1) @wordsx, i64 3)
load i32, ptr getelementptr (i32, ptr @words, i64 4)
load i32, ptr getelementptr (i32, ptr @words, i64 -1)
load i64, ptr getelementptr (i32, ptr @words, i64 3)
load i8, ptr getelementptr (i8, ptr @str, i64 3)
load i32, ptr @str
load i64, ptr @str
load double, ptr @str
load half, ptr @str
load [2 x i8], ptr @str
load i8, ptr @rec
load i32, ptr getelementptr (%pair, ptr @rec, i64 1, i32 1)
load i16, ptr getelementptr (%pair, ptr @rec, i64 0, i32 2, i64 1)
load i16, ptr getelementptr (%pair, ptr @rec, i64 1, i32 2, i64 1)
load i32, ptr getelementptr (%pair, ptr @rec, i64 1, i32 2, i64 0)
load ptr, ptr getelementptr (%pair, ptr @rec, i64 0, i32 3)
load ptr, ptr getelementptr (%pair, ptr @rec, i64 1, i32 3)
load i64, ptr getelementptr (%pair, ptr @rec, i64 1, i32 3)
load i64, ptr getelementptr (%pair, ptr @rec, i64 0, i32 3)
load i64, ptr @rec
load i32, ptr @rec
load float, ptr getelementptr (float, ptr @vec, i64 1)
load i32, ptr getelementptr (float, ptr @vec, i64 2)
load <2 x float>, ptr getelementptr (float, ptr @vec, i64 2)
load <4 x i32>, ptr @vec
load i64, ptr getelementptr (i8, ptr @zero, i64 123)
load ptr, ptr @zero
load <4 x i32>, ptr @zero
load i8, ptr @und
load i32, ptr @var
load i32, ptr @weak
load i32, ptr @ext
load i32, ptr @extinit
load i32, ptr @al
load i64, ptr @big
load i64, ptr getelementptr (i64, ptr @big, i64 1)
load i32, ptr getelementptr (i8, ptr @big, i64 6)
load i64, ptr @dbl
load i8, ptr getelementptr (i8, ptr @dbl, i64 6)
load volatile i32, ptr @words
getelementptr i32, ptr @words, i64 1
getelementptr inbounds i32, ptr @words, i64 3
getelementptr i32, ptr @words, i64 5
getelementptr i32, ptr @words, i64 -1
getelementptr %pair, ptr @rec, i64 1, i32 2, i32 1
getelementptr inbounds nuw %pair, ptr @rec, i64 1, i32 3
getelementptr i8, ptr getelementptr inbounds (i8, ptr @words, i64 8), i64 4
getelementptr i8, ptr getelementptr (i8, ptr @words, i64 8), i64 -8
getelementptr i8, ptr null, i64 16
getelementptr i8, ptr inttoptr (i64 100 to ptr), i64 16
getelementptr i32, ptr addrspace(3) null, i32 4
getelementptr i32, ptr addrspace(3) @lds, i32 4
getelementptr i32, ptr addrspace(3) @lds, i32 400
getelementptr i8, ptr undef, i64 3
getelementptr i8, ptr poison, i64 3
getelementptr i8, ptr @fn, i64 0
getelementptr i8, ptr @fn, i64 1
ptrtoint ptr null to i64
ptrtoint ptr @words to i64
ptrtoint ptr @words to i32
ptrtoint ptr inttoptr (i64 77 to ptr) to i64
ptrtoint ptr getelementptr (i8, ptr null, i64 12) to i32
inttoptr i64 0 to ptr
inttoptr i64 12 to ptr
inttoptr i64 ptrtoint (ptr @words to i64) to ptr
inttoptr i32 5 to ptr addrspace(3)
addrspacecast ptr null to ptr addrspace(3)
addrspacecast ptr addrspace(3) null to ptr
addrspacecast ptr addrspace(3) @lds to ptr
add i64 ptrtoint (ptr @words to i64), 4
sub i64 ptrtoint (ptr @words to i64), ptrtoint (ptr @words to i64)
trunc i64 ptrtoint (ptr @words to i64) to i32
icmp eq ptr @words, @str
icmp ne ptr @words, @words
icmp eq ptr @words, null
icmp eq ptr @weakext, null
icmp eq ptr addrspace(3) @lds, null
icmp eq ptr @words, @weak
icmp ugt ptr @words, null
icmp eq ptr getelementptr (i8, ptr @words, i64 4), getelementptr (i8, ptr @words, i64 8)
icmp ult ptr getelementptr inbounds (i8, ptr @words, i64 4), getelementptr inbounds (i8, ptr @words, i64 8)
icmp eq ptr getelementptr (i8, ptr @words, i64 4), @words
icmp eq ptr @fn, null
icmp eq ptr @fn, @words
icmp eq ptr @words, @al
select i1 true, ptr @words, ptr @str
freeze ptr @words
`), "\n")

// TestPointerOracle compares addresses, address comparisons and loads from
// constant memory with LLVM's.
func TestPointerOracle(t *testing.T) {
	var src strings.Builder
	src.WriteString(header + ptrGlobals)
	for i, c := range ptrCases {
		rt := ptrResult(c)
		fmt.Fprintf(&src, "define %s @f%d() {\n  %%r = %s\n  ret %s %%r\n}\n", rt, i, c, rt)
	}
	ours, theirs := compare(t, src.String())
	for i, c := range ptrCases {
		if name := fmt.Sprint("f", i); ours[name] != theirs[name] {
			t.Errorf("%s\n\tours   %s\n\ttheirs %s", c, ours[name], theirs[name])
		}
	}
}

func ptrResult(c string) string {
	word, rest, _ := strings.Cut(c, " ")
	switch word {
	case "load":
		rest = strings.TrimPrefix(rest, "volatile ")
		if rest[0] == '[' {
			return rest[:strings.IndexByte(rest, ']')+1]
		}
		return strings.TrimSuffix(typeList(strings.Replace(rest, ",", " ,", 1))[0], ",")
	case "icmp":
		return "i1"
	case "getelementptr":
		if strings.Contains(c, "addrspace(3)") {
			return "ptr addrspace(3)"
		}
		return "ptr"
	case "ptrtoint", "inttoptr", "addrspacecast", "trunc":
		return c[strings.LastIndex(c, " to ")+4:]
	case "add", "sub":
		return "i64"
	}
	return "ptr"
}
