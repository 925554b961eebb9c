package litmus

import "github.com/gfx-toolchain/gfx/diag"

// Limits of a test. Parse reports an error for a larger one.
const (
	MaxText       = 1 << 20 // bytes of a text
	MaxThreads    = 16      // threads of a test
	MaxVariables  = 32      // variables of a test
	MaxElements   = 16      // elements of a variable
	MaxRegisters  = 32      // registers of a thread
	MaxStatements = 256     // statements of a thread, with nested ones
	MaxNesting    = 32      // depth of expressions and of conditional statements
	MaxPlace      = 15      // number of an agent, a group or a wave
	MaxPolls      = 1 << 20 // loads of a polling loop
)

// Test is a litmus test.
type Test struct {
	Name      string     // words of letters, digits and "_+-."
	Variables []Variable // in the order of declaration
	Threads   []Thread   // in the order of declaration
	Observed  []Term     // final values that outcomes list, in addition to the condition's
	Kind      Kind       // the quantifier of the condition
	Condition *Expr      // on the final values of registers and variables
	Expected  Verdict    // the model's expected verdict, Unknown if the text has none
}

// Space is the address space of a variable.
type Space uint8

// Address spaces.
const (
	Global Space = iota // global memory, which all threads share
	Local               // LDS, which the threads of one work-group share
)

var spaceNames = [...]string{"global", "local"}

// String returns "global" or "local".
func (s Space) String() string { return spaceNames[s] }

// Variable is one 32-bit integer in memory, or an array of them.
type Variable struct {
	Name    string  // an identifier
	Space   Space   // where the variable is
	Generic bool    // accesses use generic (flat) addresses
	Init    []int32 // initial values, one for each element
	At      Span    // the name in the text
}

// Thread is one work-item of the test.
type Thread struct {
	Name      string      // an identifier
	Agent     int         // number of its agent, 0 to MaxPlace
	Group     int         // number of its work-group within the agent, 0 to MaxPlace
	Wave      int         // number of its wave within the work-group, 0 to MaxPlace
	Registers []string    // in the order of their first assignment
	Body      []Statement // in program order
	At        Span        // the name in the text
}

// Ordering is a memory ordering, with LLVM's names.
type Ordering uint8

// Memory orderings. Plain is a non-atomic access.
const (
	Plain Ordering = iota
	Monotonic
	Acquire
	Release
	AcqRel
	SeqCst
)

var orderingNames = [...]string{"", "monotonic", "acquire", "release", "acq_rel", "seq_cst"}

// String returns LLVM's name, "" for Plain.
func (o Ordering) String() string { return orderingNames[o] }

// Acquires reports whether the ordering includes acquire.
func (o Ordering) Acquires() bool { return o == Acquire || o >= AcqRel }

// Releases reports whether the ordering includes release.
func (o Ordering) Releases() bool { return o >= Release }

// Scope is a synchronization scope, with LLVM's names.
type Scope uint8

// Synchronization scopes, the narrowest first.
const (
	SingleThread Scope = iota
	Wavefront
	Workgroup
	Agent
	System
)

var scopeNames = [...]string{"singlethread", "wavefront", "workgroup", "agent", "system"}

// String returns LLVM's name; "system" for LLVM's empty name.
func (s Scope) String() string { return scopeNames[s] }

// Action is the kind of a statement.
type Action uint8

// The kinds of statements.
const (
	Load    Action = iota // Dest = load Variable
	Store                 // store Variable, Value
	RMW                   // Dest = Op Variable, Value
	CmpXchg               // Dest = cmpxchg Variable, Expected, Value
	Fence                 // fence
	Barrier               // s_barrier, without any fence
	Assign                // Dest = Value
	If                    // if Value { Then } else { Else }
)

// RMWOp is the operation of a read-modify-write access, with LLVM's names.
type RMWOp uint8

// Operations of read-modify-write accesses.
const (
	Xchg RMWOp = iota
	Add
	Sub
	And
	Or
	Xor
	Max
	Min
	UMax
	UMin
)

// rmwOps is the table of the operations.
var rmwOps = [...]struct {
	name  string
	apply func(old, v int32) int32
}{
	{"xchg", func(_, v int32) int32 { return v }},
	{"add", func(a, v int32) int32 { return a + v }},
	{"sub", func(a, v int32) int32 { return a - v }},
	{"and", func(a, v int32) int32 { return a & v }},
	{"or", func(a, v int32) int32 { return a | v }},
	{"xor", func(a, v int32) int32 { return a ^ v }},
	{"max", func(a, v int32) int32 { return max(a, v) }},
	{"min", func(a, v int32) int32 { return min(a, v) }},
	{"umax", func(a, v int32) int32 { return int32(max(uint32(a), uint32(v))) }},
	{"umin", func(a, v int32) int32 { return int32(min(uint32(a), uint32(v))) }},
}

// String returns LLVM's name.
func (o RMWOp) String() string { return rmwOps[o].name }

// Result returns the value that the operation writes.
func (o RMWOp) Result(old, value int32) int32 { return rmwOps[o].apply(old, value) }

// Statement is one statement of a thread.
type Statement struct {
	Action   Action   // the kind of the statement
	Dest     int      // index in Thread.Registers, -1 for none
	Variable int      // index in Test.Variables, for accesses
	Index    *Expr    // element of the variable, nil for the first one
	Op       RMWOp    // of RMW
	Value    *Expr    // stored value, operand, assigned value or condition
	Expected *Expr    // of CmpXchg
	Ordering Ordering // of accesses and fences
	Scope    Scope    // of accesses that are not Plain, and of fences
	OneAS    bool     // the -one-as form of the scope
	// Polls is the maximum number of accesses of a polling loop, which ends when Until
	// is not zero. It is 0 for statements other than polling loads, read-modify-write and
	// compare-and-exchange accesses.
	Polls int
	Until *Expr       // of polling loops
	Then  []Statement // of If, for a condition that is not 0
	Else  []Statement // of If, for 0
	At    Span        // the statement in the text
}

// Accesses reports whether the statement accesses memory.
func (s *Statement) Accesses() bool { return s.Action <= CmpXchg }

// ScopeName returns LLVM's name of the scope with the suffix of the one-as form,
// "" for the system scope.
func (s *Statement) ScopeName() string {
	switch {
	case s.Scope == System && s.OneAS:
		return "one-as"
	case s.Scope == System:
		return ""
	case s.OneAS:
		return s.Scope.String() + "-one-as"
	}
	return s.Scope.String()
}

// Span is a byte range of the text.
type Span struct {
	Off, End int // offsets in bytes, of the first byte and past the last one
}

// Kind is the quantifier of a condition.
type Kind uint8

// Quantifiers of conditions.
const (
	Exists    Kind = iota // some execution ends in a state with the condition
	NotExists             // no execution does
	ForAll                // all executions do
)

var kindNames = [...]string{"exists", "~exists", "forall"}

// String returns the word of the language.
func (k Kind) String() string { return kindNames[k] }

// Verdict is the result of a test under the memory model.
type Verdict uint8

// Verdicts.
const (
	Unknown Verdict = iota // not known
	Holds                  // the quantified condition is true of the allowed outcomes
	Fails                  // it is false
	Racy                   // the program has a data race: all outcomes are allowed
)

var verdictNames = [...]string{"unknown", "holds", "fails", "racy"}

// String returns the word of the language, "unknown" for Unknown.
func (v Verdict) String() string { return verdictNames[v] }

// Term names a final value: a register of a thread, or an element of a variable.
type Term struct {
	Thread   int // index in Test.Threads, -1 for a variable
	Register int // index in Thread.Registers
	Variable int // index in Test.Variables
	Element  int // of the variable
}

// Places reports the number of distinct work-groups, and for each thread the
// index of its work-group in the order of first use.
func (t *Test) Places() (groups int, of []int) {
	type place struct{ agent, group int }
	var seen []place
	for i := range t.Threads {
		p := place{t.Threads[i].Agent, t.Threads[i].Group}
		at := indexOf(seen, p)
		if at == len(seen) {
			seen = append(seen, p)
		}
		of = append(of, at)
	}
	return len(seen), of
}

// indexOf returns the index of x in list, or the length of the list.
func indexOf[T comparable](list []T, x T) int {
	for i := range list {
		if list[i] == x {
			return i
		}
	}
	return len(list)
}

// Elements returns the index of the first element of each variable when the elements
// of all variables are numbered in order, and the number of elements.
func (t *Test) Elements() (first []int, n int) {
	for i := range t.Variables {
		first = append(first, n)
		n += len(t.Variables[i].Init)
	}
	return first, n
}

// Outcome returns the terms that outcomes of the test list: registers and variables
// of the condition and then the observed ones, in order and without repetitions.
func (t *Test) Outcome() []Term {
	var list []Term
	add := func(x Term) {
		if indexOf(list, x) == len(list) {
			list = append(list, x)
		}
	}
	t.Condition.walk(func(e *Expr) {
		if e.Op == OpTerm {
			add(e.Term)
		}
	})
	for _, x := range t.Observed {
		add(x)
	}
	return list
}

// TermName returns the name of a term in the text, such as "P0.r1" or "x[1]".
func (t *Test) TermName(x Term) string {
	if x.Thread >= 0 {
		th := &t.Threads[x.Thread]
		return th.Name + "." + th.Registers[x.Register]
	}
	return elementName(&t.Variables[x.Variable], x.Element)
}

// Satisfied reports whether final values satisfy the condition, without its
// quantifier. The values are in the order of Outcome.
func (t *Test) Satisfied(values []int32) bool {
	terms := t.Outcome()
	return t.Condition.Eval(func(e *Expr) int32 { return values[indexOf(terms, e.Term)] }) != 0
}

// errorAt appends an error about a span.
func errorAt(list *diag.List, src *diag.Source, at Span, format string, args ...any) {
	list.Errorf(src, at.Off, at.End, format, args...)
}
