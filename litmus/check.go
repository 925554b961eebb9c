package litmus

// checkTest reports the errors that the grammar does not exclude.
func (p *parser) checkTest() {
	t := p.test
	if len(t.Threads) == 0 {
		p.fail(p.tok.at, "a test needs a thread")
	}
	_, groups := t.Places()
	user := make([]int, len(t.Variables)) // number of a thread that accesses the variable, plus 1
	barriers := map[int]int{}             // thread number by group
	for i := range t.Threads {
		th := &t.Threads[i]
		p.checkIndices(th.Body)
		p.checkBarriers(th.Body)
		walkStatements(th.Body, func(s *Statement) {
			if !s.Accesses() || t.Variables[s.Variable].Space == Global {
				return
			}
			if u := user[s.Variable] - 1; u >= 0 && groups[u] != groups[i] {
				p.fail(s.At, "local variable %s is accessed by threads of two work-groups: %s and %s",
					t.Variables[s.Variable].Name, t.Threads[u].Name, th.Name)
			}
			user[s.Variable] = i + 1
		})
		first, ok := barriers[groups[i]]
		if !ok {
			barriers[groups[i]] = i
		} else if a, b := countBarriers(t.Threads[first].Body), countBarriers(th.Body); a != b {
			p.fail(th.At, "threads %s and %s of one work-group have %d and %d barriers", t.Threads[first].Name, th.Name, a, b)
		}
	}
	for i, u := range user {
		if t.Variables[i].Space == Local && u == 0 {
			p.fail(t.Variables[i].At, "no thread accesses local variable %s", t.Variables[i].Name)
		}
	}
}

// walkStatements calls f with all statements.
func walkStatements(list []Statement, f func(*Statement)) {
	for i := range list {
		f(&list[i])
		walkStatements(list[i].Then, f)
		walkStatements(list[i].Else, f)
	}
}

// checkIndices reports indices without an array, and constant ones out of range.
func (p *parser) checkIndices(list []Statement) {
	walkStatements(list, func(s *Statement) {
		if s.Index == nil {
			return
		}
		v := &p.test.Variables[s.Variable]
		if e := s.Index; e.Op == OpConst && (e.Value < 0 || int(e.Value) >= len(v.Init)) {
			p.fail(s.At, "variable %s has no element %d", v.Name, e.Value)
		}
	})
}

// checkBarriers reports barriers in conditional statements.
func (p *parser) checkBarriers(list []Statement) {
	for i := range list {
		walkStatements(list[i].Then, p.refuseBarrier)
		walkStatements(list[i].Else, p.refuseBarrier)
	}
}

func (p *parser) refuseBarrier(s *Statement) {
	if s.Action == Barrier {
		p.fail(s.At, "a barrier in a conditional statement: all threads of a work-group execute the same barriers")
	}
}

func countBarriers(list []Statement) (n int) {
	for i := range list {
		if list[i].Action == Barrier {
			n++
		}
	}
	return n
}
