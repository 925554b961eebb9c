package mlir

import (
	"strings"
	"sync"
	"sync/atomic"

	"github.com/gfx-toolchain/gfx/diag"
)

// A Context owns types and attributes, and knows dialects. It must not be used
// by several goroutines at the same time.
type Context struct {
	// Edition selects the syntax that is printed, and rules that differ.
	Edition Edition
	// Strict refuses syntax of other editions than Edition.
	Strict bool
	// AllowUnregistered accepts operations of unknown names in generic form.
	AllowUnregistered bool

	*shared
	memo      memo
	source    *diag.Source // of the text read last, into which positions point
	lines     []int32      // offsets of the lines of source, once they have been asked for
	resources []string     // file metadata
	bodiless  map[*Op]bool // functions that have been checked and treated, without their bodies
	alloc     arena        // for operations that are built
	room      []*Type      // for the types that a rule concerns
	text      []byte       // room for the text of a function
	writers   []*writer    // not in use

	symbols map[*Op]map[string]*Op // tables by their operations, while a module is verified
	copies  map[*Op]*Op            // the operations around a function that is treated alone, by their copies
}

// shared holds what a context has in common with the contexts of goroutines that treat
// functions of its module.
type shared struct {
	dialects map[string]*Dialect
	index    *Type
	unit     *Attr
	noAttrs  *Attr // the empty dictionary
	ints     [129]atomic.Pointer[Type]
	divide   int // the least size of a text whose functions are treated concurrently

	rows        sync.Mutex // for ops and constraints; types and attributes may be asked for while it is held
	ops         map[string]*OpDef
	constraints constraintCache

	mu         sync.Mutex // for the rest
	types      map[string]*Type
	attrs      map[string]*Attr
	intAttrs   map[intKey]*Attr
	enumAttrs  map[enumKey]*Attr
	rawAttrs   map[rawKey]*Attr  // dense arrays
	names      map[string]string // names of attributes and operations, each stored once
	named      map[string]*Type  // types of dialects by a name
	hasAliased atomic.Bool       // an attribute with an alias exists
}

// A memo holds what a goroutine knows of the shared maps. It reads that without their locks.
type memo struct {
	ops       map[string]*OpDef
	types     map[string]*Type
	attrs     map[string]*Attr // without aliases
	intAttrs  map[intKey]*Attr
	enumAttrs map[enumKey]*Attr
	rawAttrs  map[rawKey]*Attr
	names     map[string]string
}

// NewContext returns a context that knows the builtin dialect and others.
func NewContext(edition Edition, dialects ...*Dialect) *Context {
	c := &Context{Edition: edition, shared: &shared{
		dialects: map[string]*Dialect{builtinDialect.Name: &builtinDialect},
		ops:      map[string]*OpDef{},
		types:    map[string]*Type{},
		attrs:    map[string]*Attr{},
		intAttrs: map[intKey]*Attr{}, enumAttrs: map[enumKey]*Attr{}, rawAttrs: map[rawKey]*Attr{},
		names:  map[string]string{},
		divide: defaultDivide,
	}}
	c.index = c.simpleType(Type{Kind: IndexKind}, "index")
	c.unit = c.internAttr(Attr{Kind: UnitAttr})
	c.noAttrs = c.internAttr(Attr{Kind: DictAttr})
	c.addDialects(dialects)
	return c
}

// fork returns a context with the types and attributes of c for another goroutine.
func (c *Context) fork() *Context {
	f := *c
	f.alloc, f.room, f.text, f.writers, f.copies = arena{}, nil, nil, nil, nil
	f.memo = memo{ops: map[string]*OpDef{}, types: map[string]*Type{}, attrs: map[string]*Attr{}, intAttrs: map[intKey]*Attr{},
		enumAttrs: map[enumKey]*Attr{}, rawAttrs: map[rawKey]*Attr{}, names: map[string]string{}}
	return &f
}

// addDialects adds dialects and those that they use.
func (c *Context) addDialects(dialects []*Dialect) {
	for _, d := range dialects {
		if c.dialects[d.Name] == nil {
			c.dialects[d.Name] = d
			c.addDialects(d.Uses)
		}
	}
}

// Dialect returns a dialect by its name, or nil.
func (c *Context) Dialect(name string) *Dialect { return c.dialects[name] }

// newWriter returns a writer with an empty buffer, which releaseWriter takes back.
func (c *Context) newWriter() *writer {
	n := len(c.writers) - 1
	if n < 0 {
		return &writer{ctx: c}
	}
	w := c.writers[n]
	c.writers = c.writers[:n]
	w.reset()
	return w
}

// releaseWriter takes a writer back.
func (c *Context) releaseWriter(w *writer) { c.writers = append(c.writers, w) }

// known returns the value of a key in a map of the context's memo or in the shared map.
func known[K comparable, V comparable](c *Context, own, all map[K]V, key K) V {
	if v, ok := own[key]; ok {
		return v
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	v := all[key]
	if own != nil && v != *new(V) {
		own[key] = v
	}
	return v
}

// remember stores a value in one of the shared maps.
func remember[K comparable, V any](c *Context, m map[K]V, key K, v V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	m[key] = v
}

// name returns the string equal to s that the context stores.
func (c *Context) name(s string) string {
	if n := known(c, c.memo.names, c.names, s); n != "" {
		return n
	}
	s = strings.Clone(s)
	remember(c, c.names, s, s)
	return s
}
