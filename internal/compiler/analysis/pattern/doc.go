// Package pattern represents instruction rewrites as data: a rule is a pair of
// expressions, the pattern and its replacement.
//
//	{From: "(add (sub x y) y)", To: "x"}
//	{From: "(mul x C)", To: "(shl x (log2 C))", If: "(pow2 C)"}
//
// Tables group the rules by operation; a rule is parsed when its operation is
// first encountered.
//
// # Expressions
//
//	(op a b …)    an operation by its name: add, icmp.ult, select, or an intrinsic: smax, ctpop
//	x y z …       any value; the same name is the same value
//	C D E         integer or floating-point constant (scalar or vector) without undef and poison
//	0 -1 smin     a number, sign-extended; smin, smax: smallest, largest signed integer
//	0.0 -0.0 1.0  a floating-point number; also inf and -inf
//	poison, undef in To
//	a:(op …)      a named operation, which To can refer to
//	P             any predicate of icmp or fcmp; in To also P~ (inverse) and P^ (operands swapped)
//
// An operation's name may have flags as suffixes (add.nsw.nuw): From requires
// them, To sets them. In To, "=" represents the flags of the matched
// instruction that the operation may have. A "!" suffix in From requires that
// the operation has a single use. The operands of commutative operations match
// in both orders.
//
// If holds conditions: expressions that must fold to true for the matched
// constants, and the predicates of predicates.go.
//
// # Types
//
// The type of an operation is its first operand's type; of a comparison, i1 or
// a vector of i1; of a select, its second operand's type. A conversion in To
// has the type of the matched instruction. A number has the type of its sibling
// operand, or of the matched instruction.
package pattern
