package clrx

import (
	"bytes"
	"slices"
)

// scope is a name space of symbols.
type scope struct {
	parent    *scope
	symbols   map[string]*symbol
	scopes    map[string]*scope
	used      []*scope // scopes named by .using, the last one first
	enum      uint64   // next value of .enum
	temporary bool
	stamp     uint32 // last search that visited the scope
}

func newScope(parent *scope) *scope { return &scope{parent: parent, symbols: map[string]*symbol{}} }

// ownSymbol returns the symbol of this very scope with a name, which it creates if it
// does not exist.
func (sc *scope) ownSymbol(name []byte) *symbol {
	if s := sc.symbols[string(name)]; s != nil {
		return s
	}
	return sc.addSymbol(string(name))
}

// addSymbol creates an undefined symbol.
func (sc *scope) addSymbol(name string) *symbol {
	s := &symbol{name: name, sect: absolute, bind: bindGlobal}
	sc.symbols[name] = s
	return s
}

// findSymbol returns the symbol with a scoped name, or nil, and the scope and name
// under which a new symbol is to be created. A simple name is looked for in the
// current scope and the scopes that it uses, and unless it is about to be
// defined, in the scopes around it.
func (p *parser) findSymbol(name []byte, define bool) (s *symbol, home *scope, simple string) {
	if bytes.IndexByte(name, ':') < 0 {
		sc := p.scope
		if s := sc.symbols[string(name)]; s != nil {
			return s, sc, s.name
		}
		if sc.parent != nil || sc.used != nil {
			p.visits++
			for ; sc != nil; sc = sc.parent {
				if s := p.symbolIn(sc, name); s != nil {
					return s, sc, s.name
				}
				if define {
					break
				}
			}
		}
		return nil, p.scope, string(name)
	}
	last := bytes.LastIndex(name, []byte("::"))
	home = p.scopeOf(name[:last])
	p.visits++
	return p.symbolIn(home, name[last+2:]), home, string(name[last+2:])
}

// symbolIn returns the symbol of a scope or of the scopes that it uses.
func (p *parser) symbolIn(sc *scope, name []byte) (found *symbol) {
	p.visitScopes(sc, func(sc *scope) bool {
		found = sc.symbols[string(name)]
		return found != nil
	})
	return found
}

// scopeIn returns the scope with a name in a scope or in those that it uses.
func (p *parser) scopeIn(sc *scope, name []byte) (found *scope) {
	p.visitScopes(sc, func(sc *scope) bool {
		found = sc.scopes[string(name)]
		return found != nil
	})
	return found
}

// visitScopes calls f for a scope, the scopes that it uses, those that they use and
// so on, until f returns true. It leaves out scopes that the current search has
// visited.
func (p *parser) visitScopes(sc *scope, f func(*scope) bool) {
	todo := []*scope{sc}
	for len(todo) > 0 {
		sc := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if sc.stamp == p.visits {
			continue
		}
		sc.stamp = p.visits
		if p.visited++; f(sc) {
			return
		}
		if p.visited > maxVisits && !p.ended {
			p.errorAt(p.start, "more than %d scopes searched", maxVisits)
			p.ended = true
		}
		for _, u := range slices.Backward(sc.used) {
			todo = append(todo, u)
		}
	}
}

// scopeOf returns the scope with a path, such as a::b. A path that begins with
// :: begins in the global scope; the first name of another one is looked for
// outwards from the current scope. Scopes that do not exist are created.
func (p *parser) scopeOf(path []byte) *scope {
	sc := p.scope
	absolutePath := len(path) == 0 || bytes.HasPrefix(path, []byte("::"))
	if absolutePath {
		sc = p.global
		path = bytes.TrimPrefix(path, []byte("::"))
	}
	if len(path) == 0 {
		return sc
	}
	names := bytes.Split(path, []byte("::"))
	p.visits++
	for outer := sc; outer != nil; outer = outer.parent {
		if found := p.scopeIn(outer, names[0]); found != nil {
			sc = found.parent
			break
		}
	}
	for _, name := range names {
		sc = p.subscope(sc, name)
	}
	return sc
}

// subscope returns the scope with a name in another one, which it creates if
// it does not exist.
func (p *parser) subscope(sc *scope, name []byte) *scope {
	p.visits++
	if found := p.scopeIn(sc, name); found != nil {
		return found
	}
	sub := newScope(sc)
	if sc.scopes == nil {
		sc.scopes = map[string]*scope{}
	}
	sc.scopes[string(name)] = sub
	return sub
}

// openScope implements .scope.
func (p *parser) openScope(stmt int) {
	p.skipSpace()
	name := p.name()
	if len(p.scopes) >= maxScopes {
		p.errorAt(stmt, "scopes nested more than %d deep", maxScopes)
		return
	}
	if !p.finish() {
		return
	}
	if len(name) > 0 {
		p.scope = p.subscope(p.scope, name)
	} else {
		sub := newScope(p.scope)
		sub.temporary = true
		p.scope = sub
	}
	p.scopes = append(p.scopes, p.scope)
}

// closeScope implements .ends.
func (p *parser) closeScope(stmt int) {
	if len(p.scopes) == 0 {
		p.errorAt(stmt, "no scope is open")
		return
	}
	if !p.finish() {
		return
	}
	if p.scope.temporary {
		p.reportUndefined(p.scope)
	}
	p.scopes = p.scopes[:len(p.scopes)-1]
	p.scope = p.global
	if n := len(p.scopes); n > 0 {
		p.scope = p.scopes[n-1]
	}
}

// useScope implements .using.
func (p *parser) useScope(int) {
	p.skipSpace()
	at := p.pos
	path := p.scopedName()
	if len(path) == 0 {
		p.errorAt(at, "expected a scope")
		return
	}
	if !p.finish() {
		return
	}
	used := p.scopeOf(path)
	p.dropUsed(used)
	if len(p.scope.used) >= maxUsed {
		p.errorAt(at, "scope uses more than %d others", maxUsed)
		return
	}
	p.scope.used = append([]*scope{used}, p.scope.used...)
}

// unuseScope implements .unusing.
func (p *parser) unuseScope(int) {
	p.skipSpace()
	path := p.scopedName()
	if !p.finish() {
		return
	}
	if len(path) == 0 {
		p.scope.used = nil
		return
	}
	p.dropUsed(p.scopeOf(path))
}

func (p *parser) dropUsed(used *scope) {
	p.scope.used = slices.DeleteFunc(p.scope.used, func(sc *scope) bool { return sc == used })
}
