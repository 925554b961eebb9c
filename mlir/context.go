package mlir

import "github.com/gfx-toolchain/gfx/diag"

// A Context owns types and attributes, and knows dialects. It must not be used
// by several goroutines at the same time.
type Context struct {
	// Edition selects the syntax that is printed, and rules that differ.
	Edition Edition
	// Strict refuses syntax of other editions than Edition.
	Strict bool
	// AllowUnregistered accepts operations of unknown names in generic form.
	AllowUnregistered bool

	dialects    map[string]*Dialect
	ops         map[string]*OpDef
	types       map[string]*Type
	attrs       map[string]*Attr
	intAttrs    map[intKey]*Attr
	enumAttrs   map[enumKey]*Attr
	rawAttrs    map[rawKey]*Attr  // dense arrays
	source      *diag.Source      // of the text read last, into which positions point
	lines       []int32           // offsets of the lines of source, once they have been asked for
	names       map[string]string // names of attributes and operations, each stored once
	resources   []string          // file metadata
	index       *Type
	constraints constraintCache
	symbols     map[*Op]map[string]*Op // tables by their operations, while a module is verified
	unit        *Attr
	noAttrs     *Attr // the empty dictionary
	ints        [129]*Type
	scratch     writer
	named       map[string]*Type // types of dialects by a name
	hasAliased  bool             // an attribute with an alias exists
}

// NewContext returns a context that knows the builtin dialect and others.
func NewContext(edition Edition, dialects ...*Dialect) *Context {
	c := &Context{
		Edition:  edition,
		dialects: map[string]*Dialect{builtinDialect.Name: &builtinDialect},
		ops:      map[string]*OpDef{},
		types:    map[string]*Type{},
		attrs:    map[string]*Attr{},
		intAttrs: map[intKey]*Attr{}, enumAttrs: map[enumKey]*Attr{}, rawAttrs: map[rawKey]*Attr{},
		names: map[string]string{},
	}
	c.scratch.ctx = c
	c.index = c.simpleType(Type{Kind: IndexKind}, "index")
	c.unit = c.internAttr(&Attr{Kind: UnitAttr})
	c.noAttrs = c.internAttr(&Attr{Kind: DictAttr})
	c.addDialects(dialects)
	return c
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

// name returns the string that the context stores for s.
func (c *Context) name(s []byte) string {
	if known, ok := c.names[string(s)]; ok {
		return known
	}
	n := string(s)
	c.names[n] = n
	return n
}
