package manifest

import "strings"

// fillKinds holds the names of the fill kinds.
var fillKinds = [...]string{
	FillZero: "zero", FillConst: "const", FillIota: "iota",
	FillValues: "values", FillFile: "file", FillHash: "hash",
}

func (k FillKind) String() string { return fillKinds[k] }

// fill reads the fill of a buffer whose type and count are known.
func (r *reader) fill(b *Buffer, n *node) {
	what := "fill of " + b.Name
	if !r.is(n, kindObject, what) {
		return
	}
	kind, ok := r.fillKind(n, what)
	if !ok {
		return
	}
	b.Fill.Kind = kind
	nothing := func(*node) {}
	keys := []key{{name: "kind", read: nothing}}
	texts := map[string]string{} // numbers by key
	add := func(name string, optional bool) {
		keys = append(keys, key{name: name, optional: optional, read: func(n *node) {
			texts[name], _ = r.number(n, what+": "+name, b.Type.Float)
		}})
	}
	switch kind {
	case FillConst:
		keys = append(keys, key{name: "value", read: func(n *node) {
			b.Fill.Values = make([]byte, b.Type.Size)
			r.element(n, b, 0)
		}})
	case FillValues:
		keys = append(keys, key{name: "values", read: func(n *node) { r.values(n, b) }})
	case FillFile:
		keys = append(keys, key{name: "path", read: func(n *node) { r.path(n, b) }})
	case FillIota:
		add("start", true)
		add("step", true)
	case FillHash:
		add("seed", false)
		add("lo", true)
		add("hi", true)
	}
	before := len(r.found)
	r.object(n, what, keys)
	if len(r.found) > before {
		return
	}
	var err error
	switch kind {
	case FillIota:
		err = b.Fill.SetIota(b.Type, texts["start"], texts["step"])
	case FillHash:
		err = b.Fill.SetHash(b.Type, texts["seed"], texts["lo"], texts["hi"])
	}
	if err != nil {
		r.errorf(n, "%s: %v", what, err)
	}
}

// fillKind returns the kind, which determines the other keys.
func (r *reader) fillKind(n *node, what string) (FillKind, bool) {
	for i := range n.members {
		m := &n.members[i]
		if m.name != "kind" {
			continue
		}
		if !r.is(&m.value, kindString, what+": kind") {
			return 0, false
		}
		for k, name := range fillKinds {
			if name == m.value.text {
				return FillKind(k), true
			}
		}
		r.errorf(&m.value, "%s: unknown kind %q; expected one of %s", what, m.value.text, strings.Join(fillKinds[:], ", "))
		return 0, false
	}
	r.errorf(n, "%s: missing key %q", what, "kind")
	return 0, false
}

// element reads element i of the list.
func (r *reader) element(n *node, b *Buffer, i uint64) {
	text, ok := r.number(n, "value of "+b.Name, b.Type.Float)
	if !ok {
		return
	}
	bits, err := b.Type.Parse(text)
	if err != nil {
		r.errorf(n, "value of %s: %v", b.Name, err)
		return
	}
	b.Type.put(b.Fill.Values, i, bits)
}

func (r *reader) values(n *node, b *Buffer) {
	if !r.is(n, kindList, "values") {
		return
	}
	if uint64(len(n.elems)) != b.Count {
		r.errorf(n, "values of %s: expected %d, one per buffer element, found %d", b.Name, b.Count, len(n.elems))
		return
	}
	b.Fill.Values = make([]byte, b.Size())
	for i := range n.elems {
		r.element(&n.elems[i], b, uint64(i))
	}
}

func (r *reader) path(n *node, b *Buffer) {
	if r.is(n, kindString, "path") {
		b.Fill.Path = n.text
		b.Fill.src, b.Fill.off, b.Fill.end = r.src, n.off, n.end
		if n.text == "" {
			r.errorf(n, "path: expected the name of a file")
		}
	}
}

func (r *reader) expectations(n *node) {
	if !r.is(n, kindList, "expect") {
		return
	}
	for i := range n.elems {
		r.expectation(&n.elems[i])
	}
}

func (r *reader) expectation(n *node) {
	const what = "expectation"
	e := Expect{Buffer: -1}
	var from string
	r.object(n, what, []key{
		{name: "buffer", optional: hasKey(n, "image"), read: r.bufferRef(&e.Buffer, what)},
		{name: "image", optional: true, read: r.imageRef(&e.Buffer, what)},
		{name: "golden", read: func(n *node) {
			r.text(&e.Golden, "golden")(n)
			e.off, e.end = n.off, n.end
			if n.kind == kindString && n.text == "" {
				r.errorf(n, "golden: expected the name of a file")
			}
		}},
		{name: "compare", read: func(n *node) { r.compare(n, &e) }},
		{name: "from", optional: true, read: r.text(&from, "from")},
		{name: "wave", optional: true, read: func(n *node) {
			v, ok := r.integer(n, "wave", 32, 64)
			if e.Wave = int(v); ok && v != 32 && v != 64 {
				r.errorf(n, "wave: expected 32 or 64, found %d", v)
			}
		}},
	})
	r.m.Expect = append(r.m.Expect, e)
}

func (r *reader) compare(n *node, e *Expect) {
	const what = "compare"
	mode := ""
	keys := []key{{name: "mode", read: func(n *node) {
		r.text(&mode, "mode")(n)
		if n.kind != kindString {
			return
		}
		if e.Compare.Float = mode == "float"; mode != "float" && mode != "exact" {
			r.errorf(n, "mode: expected exact or float, found %q", mode)
		} else if e.Buffer >= 0 {
			b := &r.m.Buffers[e.Buffer]
			if mode == "float" && b.Type != nil && !b.Type.Float {
				r.errorf(n, "mode: float needs a buffer of floats, %s is of %s", b.Name, b.Type.Name)
			}
		}
	}}}
	for _, t := range []struct {
		name string
		to   *float64
	}{{"abs", &e.Compare.Abs}, {"rel", &e.Compare.Rel}} {
		keys = append(keys, key{name: t.name, optional: true, read: func(n *node) {
			if mode == "exact" {
				r.errorf(n, "%s: only valid with mode float", t.name)
			}
			*t.to = r.tolerance(n, t.name)
		}})
	}
	r.object(n, what, keys)
}

// tolerance reads a nonnegative number.
func (r *reader) tolerance(n *node, what string) float64 {
	if !r.is(n, kindNumber, what) {
		return 0
	}
	f, err := parseFloat(n.text)
	switch {
	case err != nil:
		r.errorf(n, "%s: %v", what, err)
	case f < 0:
		r.errorf(n, "%s: expected 0 or more, found %s", what, n.text)
	}
	return f
}
