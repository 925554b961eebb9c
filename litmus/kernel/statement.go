package kernel

import (
	"fmt"

	"github.com/gfx-toolchain/gfx/litmus"
	"github.com/gfx-toolchain/gfx/litmus/model"
)

// register returns the stack slot of a register of the current thread.
func (w *writer) register(r int) string {
	return fmt.Sprintf("%%r%d", w.layout.register[w.thread]+r)
}

func (w *writer) statements(list []litmus.Statement) {
	for i := range list {
		w.statement(&list[i])
	}
}

func (w *writer) statement(s *litmus.Statement) {
	switch {
	case s.Action == litmus.Fence:
		w.line("  fence%s %s", scope(s), s.Ordering)
	case s.Action == litmus.Assign:
		w.assign(s.Dest, w.expr(s.Value))
	case s.Action == litmus.If:
		w.conditional(s)
	case s.Polls > 0:
		w.poll(s)
	default:
		w.access(s)
	}
}

// scope returns a scope as an operand, with a space before it.
func scope(s *litmus.Statement) string {
	if name := s.ScopeName(); name != "" {
		return fmt.Sprintf(" syncscope(%q)", name)
	}
	return ""
}

// assign writes the assignment of a value to a register, if there is one.
func (w *writer) assign(r int, value string) {
	if r >= 0 {
		w.line("  store i32 %s, ptr addrspace(5) %s, align 4", value, w.register(r))
	}
}

func (w *writer) conditional(s *litmus.Statement) {
	yes, no, end := w.block(), w.block(), w.block()
	w.branch(w.condition(s.Value), yes, no)
	w.begin(yes)
	w.statements(s.Then)
	w.jump(end)
	w.begin(no)
	w.statements(s.Else)
	w.jump(end)
	w.begin(end)
}

// condition returns an expression as a truth value.
func (w *writer) condition(e *litmus.Expr) string { return w.value("icmp ne i32 %s, 0", w.expr(e)) }

// poll writes a polling loop.
func (w *writer) poll(s *litmus.Statement) {
	before, loop, again, end := w.block(), w.block(), w.block(), w.block()
	w.jump(before)
	w.begin(before)
	w.jump(loop)
	w.begin(loop)
	count, next := fmt.Sprintf("%%n%d", w.blocks), fmt.Sprintf("%%m%d", w.blocks)
	w.line("  %s = phi i32 [ %d, %%%s ], [ %s, %%%s ]", count, s.Polls, before, next, again)
	w.access(s)
	found := w.condition(s.Until)
	w.line("  %s = sub i32 %s, 1", next, count)
	left := w.value("icmp eq i32 %s, 0", next)
	done := w.value("or i1 %s, %s", found, left)
	w.branch(done, end, again)
	w.begin(again)
	w.line("  call void @llvm.amdgcn.s.sleep(i32 1)")
	w.jump(loop)
	w.begin(end)
}

// access writes an access to memory and the assignment of its result.
func (w *writer) access(s *litmus.Statement) {
	p := w.address(s)
	order := scope(s) + " " + s.Ordering.String()
	atomic := " atomic"
	if s.Ordering == litmus.Plain {
		order, atomic = "", ""
	}
	switch s.Action {
	case litmus.Load:
		w.assign(s.Dest, w.value("load%s i32, %s%s, align 4", atomic, p, order))
	case litmus.Store:
		w.line("  store%s i32 %s, %s%s, align 4", atomic, w.expr(s.Value), p, order)
	case litmus.RMW:
		w.assign(s.Dest, w.value("atomicrmw %s %s, i32 %s%s, align 4", s.Op, p, w.expr(s.Value), order))
	case litmus.CmpXchg:
		expected, desired := w.expr(s.Expected), w.expr(s.Value)
		pair := w.value("cmpxchg %s, i32 %s, i32 %s%s %s, align 4", p, expected, desired, order, model.FailureOrdering(s.Ordering))
		w.assign(s.Dest, w.value("extractvalue { i32, i1 } %s, 0", pair))
	}
}

// address returns the pointer operand of an access.
func (w *writer) address(s *litmus.Statement) string {
	v := &w.test.Variables[s.Variable]
	element := fmt.Sprint(w.layout.element[s.Variable])
	if s.Index != nil {
		index := w.expr(s.Index)
		inside := w.value("icmp ult i32 %s, %d", index, len(v.Init))
		safe := w.value("select i1 %s, i32 %s, i32 0", inside, index)
		element = w.value("add i32 %s, %s", safe, element)
	}
	space, p := 1, ""
	if m := w.layout.memory[s.Variable]; m == local {
		space, p = 3, w.local(element)
	} else {
		p = w.global(m, element)
	}
	if !v.Generic {
		return fmt.Sprintf("ptr addrspace(%d) %s", space, p)
	}
	// The sum is the same address, which the compiler does not know.
	flat := w.value("addrspacecast ptr addrspace(%d) %s to ptr", space, p)
	number := w.value("ptrtoint ptr %s to i64", flat)
	sum := w.value("add i64 %s, %%zero", number)
	return "ptr " + w.value("inttoptr i64 %s to ptr", sum)
}

// instructions holds LLVM's instructions for operators with two operands.
var instructions = [...]string{
	litmus.OpAdd: "add", litmus.OpSub: "sub", litmus.OpOr: "or", litmus.OpXor: "xor", litmus.OpAnd: "and",
	litmus.OpEq: "icmp eq", litmus.OpNe: "icmp ne", litmus.OpLt: "icmp slt", litmus.OpLe: "icmp sle", litmus.OpGt: "icmp sgt", litmus.OpGe: "icmp sge",
}

// expr writes the computation of an expression and returns its value.
func (w *writer) expr(e *litmus.Expr) string {
	switch e.Op {
	case litmus.OpConst:
		return fmt.Sprint(e.Value)
	case litmus.OpRegister:
		return w.value("load i32, ptr addrspace(5) %s, align 4", w.register(e.Register))
	case litmus.OpNot:
		return w.value("zext i1 %s to i32", w.value("icmp eq i32 %s, 0", w.expr(e.X)))
	case litmus.OpAndAlso, litmus.OpOrElse:
		x, y := w.condition(e.X), w.condition(e.Y)
		op := "and"
		if e.Op == litmus.OpOrElse {
			op = "or"
		}
		return w.value("zext i1 %s to i32", w.value("%s i1 %s, %s", op, x, y))
	}
	x, y := w.expr(e.X), w.expr(e.Y)
	v := w.value("%s i32 %s, %s", instructions[e.Op], x, y)
	if e.Op >= litmus.OpEq && e.Op <= litmus.OpGe {
		v = w.value("zext i1 %s to i32", v)
	}
	return v
}
