package manifest

import (
	"encoding/hex"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/target"
)

// Read parses and validates a manifest. The list contains all problems. The
// manifest is nil if there are errors.
func Read(src *diag.Source) (*Manifest, diag.List) {
	root, err := parseJSON(src)
	if err != nil {
		if d, ok := err.(diag.Diagnostic); ok {
			return nil, diag.List{d}
		}
		return nil, diag.List{{Message: err.Error()}}
	}
	r := reader{src: src, m: &Manifest{src: src}, index: map[string]int{}}
	r.manifest(&root)
	if r.found.HasErrors() {
		slices.SortStableFunc(r.found, func(a, b diag.Diagnostic) int { return a.Off - b.Off })
		return nil, r.found
	}
	return r.m, nil
}

// reader converts nodes to a manifest.
type reader struct {
	src   *diag.Source
	m     *Manifest
	found diag.List
	bytes uint64         // total size of all buffers so far
	index map[string]int // buffer indices by name
}

func (r *reader) errorf(n *node, format string, args ...any) {
	end := n.end
	if n.kind == kindObject || n.kind == kindList {
		end = n.off + 1
	}
	r.found.Errorf(r.src, n.off, end, format, args...)
}

// is reports whether a node has the given kind, and records an error otherwise.
func (r *reader) is(n *node, kind byte, what string) bool {
	if n.kind != kind {
		r.errorf(n, "%s: expected %s, found %s", what, kindNames.Get()[kind], kindNames.Get()[n.kind])
	}
	return n.kind == kind
}

// key is a key of an object; read is called with its value.
type key struct {
	name     string
	optional bool
	read     func(n *node)
}

// object reads an object according to a table of keys, in table order.
func (r *reader) object(n *node, what string, keys []key) {
	if !r.is(n, kindObject, what) {
		return
	}
	values := make([]*node, len(keys))
	for i := range n.members {
		m := &n.members[i]
		k := indexKey(keys, m.name)
		switch {
		case k < 0:
			r.found.Errorf(r.src, m.off, m.end, "%s: unknown key %q; expected one of %s", what, m.name, keyNames(keys))
		case values[k] != nil:
			r.found.Errorf(r.src, m.off, m.end, "%s: duplicate key %q", what, m.name)
		default:
			values[k] = &m.value
		}
	}
	for k := range keys {
		switch {
		case values[k] != nil:
			keys[k].read(values[k])
		case !keys[k].optional:
			r.errorf(n, "%s: missing key %q", what, keys[k].name)
		}
	}
}

func indexKey(keys []key, name string) int {
	for i := range keys {
		if keys[i].name == name {
			return i
		}
	}
	return -1
}

func keyNames(keys []key) string {
	names := make([]string, len(keys))
	for i := range keys {
		names[i] = keys[i].name
	}
	return strings.Join(names, ", ")
}

// text returns a function that reads a string.
func (r *reader) text(to *string, what string) func(*node) {
	return func(n *node) {
		if r.is(n, kindString, what) {
			*to = n.text
		}
	}
}

// integer reads an integer from lo to hi inclusive.
func (r *reader) integer(n *node, what string, lo, hi uint64) (uint64, bool) {
	if !r.is(n, kindNumber, what) {
		return 0, false
	}
	v, err := parseInt(n.text)
	switch {
	case err != nil:
		r.errorf(n, "%s: %v", what, err)
	case v.Cmp(new(big.Int).SetUint64(lo)) < 0 || v.Cmp(new(big.Int).SetUint64(hi)) > 0:
		r.errorf(n, "%s: %s is out of range, expected %d to %d", what, n.text, lo, hi)
	default:
		return v.Uint64(), true
	}
	return 0, false
}

// number returns the text of a number, which may be a string for a float.
func (r *reader) number(n *node, what string, float bool) (string, bool) {
	if n.kind == kindString && float && (n.text == "nan" || n.text == "inf" || n.text == "-inf") {
		return n.text, true
	}
	return n.text, r.is(n, kindNumber, what)
}

func (r *reader) manifest(root *node) {
	var skip string
	r.object(root, "manifest", []key{
		{name: "format", read: r.format},
		{name: "name", optional: true, read: r.text(&r.m.Name, "name")},
		{name: "source", optional: true, read: r.text(&r.m.Source, "source")},
		{name: "options", optional: true, read: r.text(&skip, "options")},
		{name: "notes", optional: true, read: r.text(&skip, "notes")},
		{name: "golden_from", optional: true, read: r.text(&skip, "golden_from")},
		{name: "features", optional: true, read: r.features},
		{name: "targets", optional: true, read: r.targets},
		{name: "buffers", optional: hasKey(root, "images"), read: r.buffers},
		{name: "images", optional: true, read: r.images},
		{name: "samplers", optional: true, read: r.samplers},
		{name: "dispatches", read: r.dispatches},
		{name: "expect", read: r.expectations},
	})
}

func (r *reader) format(n *node) {
	if r.is(n, kindNumber, "format") && n.text != "1" {
		r.errorf(n, "format: unknown version %s, expected 1", n.text)
	}
}

func (r *reader) features(n *node) {
	if r.is(n, kindList, "features") {
		for i := range n.elems {
			r.is(&n.elems[i], kindString, "features")
		}
	}
}

func (r *reader) targets(n *node) {
	if !r.is(n, kindList, "targets") {
		return
	}
	for i := range n.elems {
		e := &n.elems[i]
		if !r.is(e, kindString, "targets") {
			continue
		}
		if _, err := target.ParseProcessorID(target.HSA, e.text); err != nil {
			r.errorf(e, "targets: %v", err)
		}
		r.m.Targets = append(r.m.Targets, e.text)
	}
}

func (r *reader) buffers(n *node) {
	if !r.is(n, kindObject, "buffers") {
		return
	}
	for i := range n.members {
		m := &n.members[i]
		if _, ok := r.index[m.name]; ok {
			r.found.Errorf(r.src, m.off, m.end, "duplicate buffer %q", m.name)
		}
		r.oneBuffer(m)
	}
}

// oneBuffer reads a buffer. Invalid buffers are added as well, so that
// arguments can refer to them.
func (r *reader) oneBuffer(m *member) {
	b := Buffer{Name: m.name}
	what := "buffer " + m.name
	var fill *node
	r.object(&m.value, what, []key{
		{name: "type", read: func(n *node) { b.Type = r.elemType(n, what) }},
		{name: "count", read: func(n *node) { b.Count, _ = r.integer(n, what+": count", 1, MaxBytes) }},
		{name: "fill", read: func(n *node) { fill = n }},
	})
	if b.Type != nil && b.Count > 0 {
		if r.bytes += b.Size(); r.bytes > MaxBytes {
			r.errorf(&m.value, "%s: the buffers exceed %d bytes in total", what, uint64(MaxBytes))
			b.Count, r.bytes = 0, 0
		}
	}
	if fill != nil && b.Type != nil && b.Count > 0 {
		r.fill(&b, fill)
	}
	r.index[b.Name] = len(r.m.Buffers)
	r.m.Buffers = append(r.m.Buffers, b)
}

func (r *reader) elemType(n *node, what string) *Type {
	if !r.is(n, kindString, what+": type") {
		return nil
	}
	t := LookupType(n.text)
	if t == nil {
		r.errorf(n, "%s: unknown type %q; expected one of %s", what, n.text, typeNames())
	}
	return t
}

// bufferRef returns a function that reads the name of a buffer.
func (r *reader) bufferRef(to *int, what string) func(*node) {
	return func(n *node) {
		if !r.is(n, kindString, what) {
			return
		}
		i, ok := r.index[n.text]
		if !ok {
			r.errorf(n, "%s: unknown buffer %q", what, n.text)
			i = -1
		}
		*to = i
	}
}

func (r *reader) dispatches(n *node) {
	if !r.is(n, kindList, "dispatches") {
		return
	}
	if len(n.elems) == 0 {
		r.errorf(n, "dispatches: expected one or more")
	}
	for i := range n.elems {
		r.dispatch(&n.elems[i])
	}
}

func (r *reader) dispatch(n *node) {
	d := Dispatch{Grid: [3]uint32{1, 1, 1}, Group: [3]uint16{1, 1, 1}}
	r.object(n, "dispatch", []key{
		{name: "kernel", read: r.text(&d.Kernel, "kernel")},
		{name: "global", read: func(n *node) { d.Dims = dimensions(r, n, "global", d.Grid[:], 1, MaxGrid) }},
		{name: "local", read: func(n *node) { dimensions(r, n, "local", d.Group[:], 1, MaxGroup) }},
		{name: "offset", optional: true, read: func(n *node) { dimensions(r, n, "offset", d.Offset[:], 0, 1<<63-1) }},
		{name: "cluster", optional: true, read: func(n *node) { d.Cluster = [3]uint8{1, 1, 1}; dimensions(r, n, "cluster", d.Cluster[:], 1, MaxCluster) }},
		{name: "args", read: func(n *node) {
			if r.is(n, kindList, "args") {
				for i := range n.elems {
					d.Args = append(d.Args, r.arg(&n.elems[i]))
				}
			}
		}},
	})
	r.m.Dispatches = append(r.m.Dispatches, d)
}

// dimensions reads a list of one to three numbers and returns its length.
func dimensions[T uint8 | uint16 | uint32 | uint64](r *reader, n *node, what string, to []T, lo, hi uint64) int {
	if !r.is(n, kindList, what) {
		return 0
	}
	if len(n.elems) == 0 || len(n.elems) > len(to) {
		r.errorf(n, "%s: expected one to three numbers, found %d", what, len(n.elems))
		return 0
	}
	for i := range n.elems {
		v, _ := r.integer(&n.elems[i], what, lo, hi)
		to[i] = T(v)
	}
	return len(n.elems)
}

// argKinds holds the keys that identify argument kinds, in the order of
// ArgKind.
var argKinds = [...]string{"buffer", "scalar", "bytes", "local", "image", "sampler"}

func (r *reader) arg(n *node) Arg {
	const what = "argument"
	if !r.is(n, kindObject, what) {
		return Arg{}
	}
	for kind, name := range argKinds {
		for i := range n.members {
			if n.members[i].name == name {
				return r.argOf(n, ArgKind(kind))
			}
		}
	}
	r.errorf(n, "%s: expected one of the keys %s", what, strings.Join(argKinds[:], ", "))
	return Arg{}
}

func (r *reader) argOf(n *node, kind ArgKind) Arg {
	a := Arg{Kind: kind, Align: 1}
	what := argKinds[kind] + " argument"
	var t *Type
	var keys []key
	switch kind {
	case ArgBuffer:
		keys = []key{{name: "buffer", read: r.bufferRef(&a.Buffer, what)}}
	case ArgImage:
		keys = []key{{name: "image", read: r.imageRef(&a.Buffer, what)}}
	case ArgSampler:
		keys = []key{{name: "sampler", read: r.samplerRef(&a.Buffer, what)}}
	case ArgScalar:
		keys = []key{
			{name: "scalar", read: func(n *node) { t = r.elemType(n, what) }},
			{name: "value", read: func(n *node) { r.scalar(n, t, &a) }},
		}
	case ArgBytes:
		keys = []key{
			{name: "bytes", read: func(n *node) { a.Data = r.hexBytes(n) }},
			{name: "align", optional: true, read: func(n *node) {
				v, ok := r.integer(n, "align", 1, MaxAlign)
				if ok && v&(v-1) != 0 {
					r.errorf(n, "align: %d is not a power of two", v)
				}
				a.Align = int(v)
			}},
		}
	case ArgLocal:
		keys = []key{{name: "local", read: func(n *node) {
			v, _ := r.integer(n, "local", 0, MaxLocal)
			a.Local = uint32(v)
		}}}
	}
	r.object(n, what, keys)
	return a
}

func (r *reader) scalar(n *node, t *Type, a *Arg) {
	if t == nil {
		return
	}
	text, ok := r.number(n, "value", t.Float)
	if !ok {
		return
	}
	var err error
	if *a, err = t.Scalar(text); err != nil {
		r.errorf(n, "value: %v", err)
	}
}

func (r *reader) hexBytes(n *node) []byte {
	if !r.is(n, kindString, "bytes") {
		return nil
	}
	b, err := ParseHex(n.text)
	if err != nil {
		r.errorf(n, "bytes: %v", err)
	}
	return b
}

// ParseHex parses the bytes of a by-value argument.
func ParseHex(text string) ([]byte, error) {
	b, err := hex.DecodeString(text)
	switch {
	case err != nil:
		return nil, fmt.Errorf("expected pairs of hexadecimal digits")
	case len(b) == 0 || len(b) > MaxValue:
		return nil, fmt.Errorf("expected 1 to %d bytes, found %d", MaxValue, len(b))
	}
	return b, nil
}
