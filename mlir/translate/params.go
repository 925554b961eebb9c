package translate

import (
	"strconv"
	"strings"

	"github.com/gfx-toolchain/gfx/mlir"
)

// Attributes of dialects are read by their spelling, which is the same whether a
// context knows the dialect or not.

// body returns the text between the outer angle brackets of an attribute or of a
// parameter: "#llvm.name<…>", "name<…>" or "<…>".
func body(s string) string {
	i := strings.IndexByte(s, '<')
	if i < 0 || !strings.HasSuffix(s, ">") {
		return ""
	}
	return s[i+1 : len(s)-1]
}

// mnemonic returns the name of an attribute without its dialect.
func mnemonic(s string) string {
	head, _, _ := strings.Cut(s, "<")
	return head[strings.LastIndexByte(head, '.')+1:]
}

// parts splits a text at the commas outside of brackets and strings.
func parts(s string) []string {
	var list []string
	depth, start := 0, 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '"':
			for i++; i < len(s) && s[i] != '"'; i++ {
				if s[i] == '\\' {
					i++
				}
			}
		case '<', '[', '(', '{':
			depth++
		case '>', ']', ')', '}':
			depth--
		case ',':
			if depth == 0 {
				list = append(list, strings.TrimSpace(s[start:i]))
				start = i + 1
			}
		}
	}
	if rest := strings.TrimSpace(s[start:]); rest != "" {
		list = append(list, rest)
	}
	return list
}

// param returns the value of a parameter "name = value", or "".
func param(s, name string) string {
	for _, p := range parts(body(s)) {
		if key, value, ok := strings.Cut(p, "="); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// integer returns the value of a parameter that is an integer with or without a
// type after it.
func integer(s string) (int64, bool) {
	digits, _, _ := strings.Cut(s, ":")
	n, err := strconv.ParseInt(strings.TrimSpace(digits), 10, 64)
	return n, err == nil
}

func unquote(s string) string {
	if len(s) >= 2 && s[0] == '"' && s[len(s)-1] == '"' {
		return unescape(s[1 : len(s)-1])
	}
	return s
}

// unescape replaces MLIR's escapes: \" \\ \n \t and two hexadecimal digits.
func unescape(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		if i+2 <= len(s) {
			if n, err := strconv.ParseUint(s[i:i+2], 16, 8); err == nil {
				b.WriteByte(byte(n))
				i++
				continue
			}
		}
		switch s[i] {
		case 'n':
			b.WriteByte('\n')
		case 't':
			b.WriteByte('\t')
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// word returns the case of an enumeration's attribute, or "" if it is missing:
// "internal" of #llvm.linkage<internal>.
func word(a *mlir.Attr) string {
	switch {
	case a == nil:
		return ""
	case a.Kind == mlir.EnumAttr:
		return a.Text
	}
	return body(a.String())
}

// words returns the cases of an attribute with a combination of bits.
func words(a *mlir.Attr) []string {
	return strings.FieldsFunc(word(a), func(r rune) bool { return r == ',' || r == '|' || r == ' ' })
}

// TargetChip returns the processor of an attribute #rocdl.target, or "" if it names
// none.
func TargetChip(a *mlir.Attr) string {
	if s := a.String(); strings.HasPrefix(s, "#rocdl.target") {
		return unquote(param(s, "chip"))
	}
	return ""
}
