package mlir

import (
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
	source    *diag.Source // of the text read last, into which positions point
	lines     []int32      // offsets of the lines of source, once they have been asked for
	resources []string     // file metadata
	alloc     arena        // for operations that are built

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
	writers    []*writer         // not in use
	named      map[string]*Type  // types of dialects by a name
	hasAliased bool              // an attribute with an alias exists
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
	c.unit = c.internAttr(&Attr{Kind: UnitAttr})
	c.noAttrs = c.internAttr(&Attr{Kind: DictAttr})
	c.addDialects(dialects)
	return c
}

// fork returns a context with the types and attributes of c for another goroutine.
func (c *Context) fork() *Context {
	f := *c
	f.alloc, f.copies = arena{}, nil
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
	c.mu.Lock()
	defer c.mu.Unlock()
	n := len(c.writers) - 1
	if n < 0 {
		return &writer{ctx: c}
	}
	w := c.writers[n]
	c.writers = c.writers[:n]
	w.reset()
	return w
}

// releaseWriter takes a writer back. The context must be locked.
func (c *Context) releaseWriter(w *writer) { c.writers = append(c.writers, w) }

// known returns the value of a key in one of the context's maps.
func known[K comparable, V any](c *Context, m map[K]V, key K) V {
	c.mu.Lock()
	defer c.mu.Unlock()
	return m[key]
}

// remember stores a value in one of the context's maps.
func remember[K comparable, V any](c *Context, m map[K]V, key K, v V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	m[key] = v
}

// name returns the string that the context stores for s.
func (c *Context) name(s []byte) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known, ok := c.names[string(s)]; ok {
		return known
	}
	n := string(s)
	c.names[n] = n
	return n
}
