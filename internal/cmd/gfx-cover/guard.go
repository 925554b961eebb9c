package main

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// isGuard reports whether a block consists only of statements that need no row
// in the list:
//
//   - a panic, or a return whose last result is an error of a callee or a message about a broken invariant: whether the callee can fail is
//     a question about the callee, which has its own rows;
//   - an exit: a return of nothing or of existing values, a break, a continue. It has no effect, and tests run the condition before it.
func isGuard(list []ast.Stmt) bool {
	for _, s := range list {
		if !guardStatement(s) {
			return false
		}
	}
	return len(list) > 0
}

func guardStatement(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.ExprStmt:
		name, _ := call(s.X)
		return name == "panic"
	case *ast.BranchStmt:
		return s.Tok == token.BREAK || s.Tok == token.CONTINUE
	case *ast.ReturnStmt:
		return !slices.ContainsFunc(s.Results, func(x ast.Expr) bool { return !isValue(x) }) || passedOn(s.Results[len(s.Results)-1])
	}
	return false
}

// isValue reports whether an expression is a name, a number, or an empty literal.
func isValue(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.Ident, *ast.BasicLit:
		return true
	case *ast.SelectorExpr:
		return isValue(x.X)
	case *ast.UnaryExpr:
		return isValue(x.X)
	case *ast.CompositeLit:
		return len(x.Elts) == 0
	}
	return false
}

// passedOn reports whether an expression is err, or err in a message, or a
// message about a broken invariant.
func passedOn(x ast.Expr) bool {
	if id, ok := x.(*ast.Ident); ok {
		return id.Name == "err"
	}
	name, args := call(x)
	if name != "fmt.Errorf" {
		return false
	}
	lit, ok := args[0].(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return false
	}
	format, err := strconv.Unquote(lit.Value)
	return err == nil && (strings.HasPrefix(format, "BUG") || strings.Contains(format, "%w"))
}

// call returns the function and the arguments of a call of a named function.
func call(x ast.Expr) (name string, args []ast.Expr) {
	c, ok := x.(*ast.CallExpr)
	if !ok {
		return "", nil
	}
	switch f := c.Fun.(type) {
	case *ast.Ident:
		return f.Name, c.Args
	case *ast.SelectorExpr:
		if p, ok := f.X.(*ast.Ident); ok {
			return p.Name + "." + f.Sel.Name, c.Args
		}
	}
	return "", nil
}

// lists returns the statement lists of a file, outer ones first.
func lists(tree *ast.File) (all [][]ast.Stmt) {
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			all = append(all, n.List)
		case *ast.CaseClause:
			all = append(all, n.Body)
		case *ast.CommClause:
			all = append(all, n.Body)
		}
		return true
	})
	return all
}
