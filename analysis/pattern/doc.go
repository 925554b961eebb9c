// Package pattern holds rewrites of instructions as data: a rule is two expressions, what is looked for and what stands for it.
//
//	{From: "(add (sub x y) y)", To: "x"}
//	{From: "(mul x C)", To: "(shl x (log2 C))", If: "(pow2 C)"}
//
// Tables have the rules by operation, so that nothing is read of a rule before its operation is met.
//
// # Expressions
//
//	(op a b …)    an operation by its name: add, icmp.ult, select, or an intrinsic: smax, ctpop
//	x y z …       any value; the same name is the same value
//	C D E         an integer or floating-point constant without undef or poison in it, scalar or vector
//	0 -1 smin     a number: sign-extended to the width; smin and smax are the smallest and largest signed integer
//	0.0 -0.0 1.0  a floating-point number; also inf and -inf
//	poison, undef in To
//	a:(op …)      an operation that has a name, so that To may give it
//	P             as part of icmp or fcmp: any predicate. In To also P~ (inverse) and P^ (for exchanged operands)
//
// Names of operations may have flags behind them (add.nsw.nuw): From wants them, To sets them. In To "=" stands for the flags of the
// matched instruction as far as the operation may have them. "!" behind an operation of From means that it has one use only.
// Operands of operations that commute match in both orders.
//
// If holds conditions: expressions that must fold to true for the constants at hand, and the predicates of predicates.go.
//
// # Types
//
// An operation has the type of its first operand, a comparison i1 or a vector of it, a select that of its second operand; a conversion in To
// makes the type of the whole. Numbers have the type of the operand beside them, or of the whole.
package pattern
