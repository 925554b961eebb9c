package codeobject

import (
	"math"
	"strconv"
	"strings"
)

// scalarFromText returns LLVM's interpretation of an untagged YAML scalar,
// quoted or not: the first that fits of integer, boolean, floating-point number
// and string.
func scalarFromText(s string) Node {
	if n, ok := intFromText(s); ok {
		return n
	}
	if s == "true" || s == "false" {
		return BoolNode(s == "true")
	}
	if f, ok := floatFromText(s); ok {
		return textFloat(f)
	}
	return StringNode(s)
}

// intFromText reads an integer like LLVM's StringRef: with the prefixes 0x, 0b
// and 0o, and a leading 0 for octal.
func intFromText(s string) (Node, bool) {
	digits, negative := strings.CutPrefix(s, "-")
	base, rest := 10, digits
	if len(digits) > 1 && digits[0] == '0' {
		switch c := digits[1]; {
		case c == 'x' || c == 'X':
			base, rest = 16, digits[2:]
		case c == 'b' || c == 'B':
			base, rest = 2, digits[2:]
		case c == 'o':
			base, rest = 8, digits[2:]
		case c >= '0' && c <= '9':
			base, rest = 8, digits[1:]
		}
	}
	v, err := strconv.ParseUint(rest, base, 64)
	switch {
	case err != nil || strings.HasPrefix(rest, "+"):
		return Node{}, false
	case !negative:
		return UintNode(v), true
	case v > 1<<63:
		return Node{}, false
	}
	return IntNode(-int64(v)), true
}

// parseYAMLBool reads a boolean like LLVM's YAML reader where it expects one:
// each word in lower case, upper case or capitalized.
func parseYAMLBool(s string) (value, ok bool) {
	lower := strings.ToLower(s)
	if s == "" || s != lower && s != strings.ToUpper(s) && s != strings.ToUpper(s[:1])+lower[1:] {
		return false, false
	}
	switch lower {
	case "y", "on", "yes", "true":
		return true, true
	case "n", "no", "off", "false":
		return false, true
	}
	return false, false
}

// isYAMLBool reports whether a plain scalar is a boolean in YAML 1.2's core
// schema.
func isYAMLBool(s string) bool {
	switch s {
	case "true", "True", "TRUE", "false", "False", "FALSE":
		return true
	}
	return false
}

// textFloat returns a number that was read from a text. LLVM writes it with 32
// bits if it is in their range.
func textFloat(f float64) Node {
	n := FloatNode(f)
	a := math.Abs(f)
	n.Single = a >= minNormalFloat32 && a <= math.MaxFloat32
	return n
}

const minNormalFloat32 = 0x1p-126

// floatFromText reads a floating-point number like strtod in the C locale.
func floatFromText(s string) (float64, bool) {
	s = strings.TrimLeft(s, " \t\n\v\f\r")
	body := strings.ToLower(strings.TrimLeft(s, "+-"))
	if len(s)-len(body) > 1 || strings.Contains(s, "_") {
		return 0, false
	}
	if isNaNText(body) {
		return math.NaN(), true
	}
	text := s
	if strings.HasPrefix(body, "0x") && !strings.Contains(body, "p") {
		text += "p0"
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil && f == 0 { // an out-of-range number is ±Inf
		return 0, false
	}
	return f, true
}

// isNaNText reports whether s, in lower case, is nan or nan(…).
func isNaNText(s string) bool {
	rest, ok := strings.CutPrefix(s, "nan")
	if !ok || rest == "" {
		return ok
	}
	if len(rest) < 2 || rest[0] != '(' || rest[len(rest)-1] != ')' {
		return false
	}
	return strings.Trim(rest[1:len(rest)-1], "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

// floatText formats a floating-point number like LLVM's raw_ostream.
func floatText(f float64) string {
	switch {
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 1):
		return "INF"
	case math.IsInf(f, -1):
		return "-INF"
	}
	return strconv.FormatFloat(f, 'e', 6, 64)
}

func isYAMLNull(s string) bool { return s == "null" || s == "Null" || s == "NULL" || s == "~" }

// isYAMLNumber reports whether a plain scalar is a number in YAML 1.2's core
// schema.
func isYAMLNumber(s string) bool {
	switch s {
	case ".nan", ".NaN", ".NAN":
		return true
	}
	tail := s
	if s != "" && (s[0] == '-' || s[0] == '+') {
		tail = s[1:]
	}
	switch tail {
	case "":
		return false
	case ".inf", ".Inf", ".INF":
		return true
	}
	if rest, ok := strings.CutPrefix(s, "0o"); ok {
		return rest != "" && strings.Trim(rest, "01234567") == ""
	}
	if rest, ok := strings.CutPrefix(s, "0x"); ok {
		return rest != "" && strings.Trim(rest, "0123456789abcdefABCDEF") == ""
	}
	return isYAMLDecimal(tail)
}

// isYAMLDecimal reports whether s matches (\.[0-9]+ | [0-9]+(\.[0-9]*)?)
// ([eE][-+]?[0-9]+)?
func isYAMLDecimal(s string) bool {
	const digits = "0123456789"
	whole := strings.TrimLeft(s, digits)
	hasWhole := len(whole) < len(s)
	s = whole
	if rest, ok := strings.CutPrefix(s, "."); ok {
		s = strings.TrimLeft(rest, digits)
		if !hasWhole && len(s) == len(rest) {
			return false
		}
	} else if !hasWhole {
		return false
	}
	if s == "" {
		return true
	}
	if s[0] != 'e' && s[0] != 'E' {
		return false
	}
	if s = s[1:]; s != "" && (s[0] == '+' || s[0] == '-') {
		s = s[1:]
	}
	return s != "" && strings.Trim(s, digits) == ""
}
