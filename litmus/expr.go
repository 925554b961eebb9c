package litmus

// Expr is an expression over 32-bit integers. A comparison or logical operation
// yields 0 or 1.
type Expr struct {
	Op    Op    // the operation
	Value int32 // of OpConst
	// Register is the index in Thread.Registers, of OpRegister.
	Register int
	Term     Term  // of OpTerm
	X, Y     *Expr // operands; OpNot has only X
}

// Op is the operation of an expression.
type Op uint8

// Operations of expressions that are not operators.
const (
	OpConst    Op = iota // a number
	OpRegister           // a register, in statements
	OpTerm               // a final value, in conditions
	OpNot                // !X
	opBinary             // the first of binaryOps
)

// Operators with two operands, in the order of binaryOps.
const (
	OpOrElse  = opBinary + iota // ||
	OpAndAlso                   // &&
	OpEq                        // ==
	OpNe                        // !=
	OpLt                        // <, signed
	OpLe                        // <=, signed
	OpGt                        // >, signed
	OpGe                        // >=, signed
	OpAdd                       // +
	OpSub                       // -
	OpOr                        // |
	OpXor                       // ^
	OpAnd                       // &
)

func truth(b bool) int32 {
	if b {
		return 1
	}
	return 0
}

// binaryOps is the table of the operators with two operands. A higher level binds
// tighter; operators associate to the left.
var binaryOps = [...]struct {
	text  string
	level int
	apply func(x, y int32) int32
}{
	{"||", 1, func(x, y int32) int32 { return truth(x != 0 || y != 0) }},
	{"&&", 2, func(x, y int32) int32 { return truth(x != 0 && y != 0) }},
	{"==", 3, func(x, y int32) int32 { return truth(x == y) }},
	{"!=", 3, func(x, y int32) int32 { return truth(x != y) }},
	{"<", 3, func(x, y int32) int32 { return truth(x < y) }},
	{"<=", 3, func(x, y int32) int32 { return truth(x <= y) }},
	{">", 3, func(x, y int32) int32 { return truth(x > y) }},
	{">=", 3, func(x, y int32) int32 { return truth(x >= y) }},
	{"+", 4, func(x, y int32) int32 { return x + y }},
	{"-", 4, func(x, y int32) int32 { return x - y }},
	{"|", 4, func(x, y int32) int32 { return x | y }},
	{"^", 4, func(x, y int32) int32 { return x ^ y }},
	{"&", 5, func(x, y int32) int32 { return x & y }},
}

// Levels of operands that are not binary operations.
const (
	lowestLevel = 1
	unaryLevel  = 6
)

// Binary reports whether the operation is an operator with two operands.
func (o Op) Binary() bool { return o >= opBinary }

// Eval returns the value of an expression. leaf returns the values of registers and
// terms.
func (e *Expr) Eval(leaf func(*Expr) int32) int32 {
	switch e.Op {
	case OpConst:
		return e.Value
	case OpRegister, OpTerm:
		return leaf(e)
	case OpNot:
		return truth(e.X.Eval(leaf) == 0)
	}
	return binaryOps[e.Op-opBinary].apply(e.X.Eval(leaf), e.Y.Eval(leaf))
}

// Walk calls f with the expression and its operands; a nil expression has none.
func (e *Expr) Walk(f func(*Expr)) { e.walk(f) }

func (e *Expr) walk(f func(*Expr)) {
	if e == nil {
		return
	}
	f(e)
	e.X.walk(f)
	e.Y.walk(f)
}

// Number returns an expression for a number.
func Number(v int32) *Expr { return &Expr{Op: OpConst, Value: v} }

// Reg returns an expression for a register.
func Reg(index int) *Expr { return &Expr{Op: OpRegister, Register: index} }

// Final returns an expression for a final value.
func Final(x Term) *Expr { return &Expr{Op: OpTerm, Term: x} }

// Binary returns an expression with two operands.
func Binary(op Op, x, y *Expr) *Expr { return &Expr{Op: op, X: x, Y: y} }
