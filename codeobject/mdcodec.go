package codeobject

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"
)

// Metadata structs are read and written by their tags:
//
//	md:"KEY"           the key; a field that is a pointer, a string or a slice is
//	                   omitted if it is nil or empty
//	md:"KEY,required"  the key must be present
//	enum:"NAME"        a string of mdEnums[NAME]
//	len:"N"            an array of N elements
//	pow2:"yes"         a power of two
//	flow:"yes"         an array that YAML has on one line

// MetadataKeys is embedded in each metadata map. It holds the information that
// the struct cannot represent.
type MetadataKeys struct {
	// Unknown lists keys that the specification does not have, each followed by
	// its value. Reading also adds keys whose value has a kind other than the
	// specified one; Verify reports them.
	Unknown []Node

	missing uint64 // bit set of the missing required fields
}

// mdField is a field of a metadata struct.
type mdField struct {
	key            string
	index          int // in the struct
	required, pow2 bool
	flow           bool
	enum           string
	count          int // number of an array's elements; 0 for any
}

var mdStructs sync.Map // reflect.Type → []mdField

// mdFields returns the fields of a metadata struct, which the caller must not modify.
func mdFields(t reflect.Type) []mdField {
	if f, ok := mdStructs.Load(t); ok {
		return f.([]mdField)
	}
	var fields []mdField
	for i := range t.NumField() {
		tag := t.Field(i).Tag
		key, option, _ := strings.Cut(tag.Get("md"), ",")
		if key == "" {
			continue
		}
		f := mdField{key: key, index: i, required: option == "required", enum: tag.Get("enum"),
			pow2: tag.Get("pow2") != "", flow: tag.Get("flow") != ""}
		f.count, _ = strconv.Atoi(tag.Get("len"))
		fields = append(fields, f)
	}
	mdStructs.Store(t, fields)
	return fields
}

// mdKeys returns the embedded MetadataKeys of a struct.
func mdKeys(v reflect.Value) *MetadataKeys {
	return v.Addr().Interface().(interface{ embedded() *MetadataKeys }).embedded()
}

func (k *MetadataKeys) embedded() *MetadataKeys { return k }

// mdDecoder reads structs from nodes.
type mdDecoder struct {
	// text means that a scalar can be used as its YAML text.
	text bool
}

// decode sets a struct from a map. Everything that does not fit is added to
// Unknown.
func (d mdDecoder) decode(n *Node, v reflect.Value) {
	fields, keys := mdFields(v.Type()), mdKeys(v)
	found, next := uint64(0), 0
	for i := range n.Len() {
		key, value := n.Pair(i)
		name := key.Str
		if key.Kind != NodeString && !d.text {
			name = ""
		}
		k, ok := mdFieldOf(fields, name, next)
		if ok {
			f := &fields[k]
			next = k + 1
			if ok = d.value(value, v.Field(f.index), f.required); ok {
				found |= 1 << k
			}
		}
		if !ok {
			keys.Unknown = append(keys.Unknown, *key, *value)
		}
	}
	for k := range fields {
		if fields[k].required && found>>k&1 == 0 {
			keys.missing |= 1 << k
		}
	}
}

// mdFieldOf returns the index of the field with a key. It starts searching at
// next because the keys of most maps are in field order.
func mdFieldOf(fields []mdField, key string, next int) (int, bool) {
	for k := next; k < len(fields); k++ {
		if fields[k].key == key {
			return k, true
		}
	}
	for k := range min(next, len(fields)) {
		if fields[k].key == key {
			return k, true
		}
	}
	return 0, false
}

// value sets a field. It reports whether the field can represent the node
// without loss.
func (d mdDecoder) value(n *Node, v reflect.Value, required bool) bool {
	if v.Kind() == reflect.Pointer {
		elem := reflect.New(v.Type().Elem())
		if !d.value(n, elem.Elem(), true) {
			return false
		}
		v.Set(elem)
		return true
	}
	switch v.Kind() {
	case reflect.String:
		s, ok := n.Str, n.Kind == NodeString || d.text && n.Scalar()
		if !ok || s == "" && !required {
			return false
		}
		v.SetString(s)
		return true
	case reflect.Bool:
		v.SetBool(n.Bool())
		return n.Kind == NodeBool
	case reflect.Uint64:
		u, ok := n.Uint()
		if ok {
			v.SetUint(u)
		}
		return ok
	case reflect.Struct:
		if n.Kind != NodeMap {
			return false
		}
		d.decode(n, v)
		return true
	case reflect.Slice:
		return d.slice(n, v)
	}
	panic("BUG: metadata field of type " + v.Type().String())
}

func (d mdDecoder) slice(n *Node, v reflect.Value) bool {
	if n.Kind != NodeArray {
		return false
	}
	list := reflect.MakeSlice(v.Type(), n.Len(), n.Len())
	for i := range n.Len() {
		if !d.value(&n.Items[i], list.Index(i), true) {
			return false
		}
	}
	v.Set(list)
	return true
}

// mdNode returns a struct as a map with its keys in field order.
func mdNode(v reflect.Value) Node {
	m, keys := MapNode(), mdKeys(v)
	written := make(map[string]bool)
	for k, f := range mdFields(v.Type()) {
		field := v.Field(f.index)
		if !f.required && mdEmpty(field) || keys.missing>>k&1 != 0 && field.IsZero() {
			continue
		}
		value := mdValueNode(field)
		value.Flow = f.flow
		m.Items = append(m.Items, StringNode(f.key), value)
		written[f.key] = true
	}
	for i := 0; i+1 < len(keys.Unknown); i += 2 {
		if k := &keys.Unknown[i]; k.Kind != NodeString || !written[k.Str] {
			m.Items = append(m.Items, *k, keys.Unknown[i+1])
		}
	}
	return m
}

// mdEmpty reports whether an optional field is omitted.
func mdEmpty(v reflect.Value) bool {
	return v.Kind() == reflect.String && v.Len() == 0 || (v.Kind() == reflect.Pointer || v.Kind() == reflect.Slice) && v.IsNil()
}

func mdValueNode(v reflect.Value) Node {
	switch v.Kind() {
	case reflect.Pointer:
		return mdValueNode(v.Elem())
	case reflect.String:
		return StringNode(v.String())
	case reflect.Bool:
		return BoolNode(v.Bool())
	case reflect.Uint64:
		return UintNode(v.Uint())
	case reflect.Struct:
		return mdNode(v)
	case reflect.Slice:
		a := ArrayNode()
		for i := range v.Len() {
			a.Items = append(a.Items, mdValueNode(v.Index(i)))
		}
		return a
	}
	panic("BUG: metadata field of type " + v.Type().String())
}

// MetadataError is a problem of metadata with its location.
type MetadataError struct {
	Path    string // such as "amdhsa.kernels[0].args[2].value_kind"
	Problem string // the violated rule
	Lax     bool   // LLVM's assembler accepts it
}

// Error returns the path and the problem on one line.
func (e *MetadataError) Error() string {
	if e.Path == "" {
		return e.Problem
	}
	return e.Path + ": " + e.Problem
}

// mdVerifier collects errors. Building paths takes most of the time and is only
// needed for errors, so verifyMetadata first runs a quiet verifier without
// paths.
type mdVerifier struct {
	errs  []error
	quiet bool
}

// verifyMetadata returns the errors that a function finds.
func verifyMetadata(find func(c *mdVerifier)) []error {
	c := mdVerifier{quiet: true}
	if find(&c); c.errs != nil {
		c = mdVerifier{}
		find(&c)
	}
	return c.errs
}

// key returns the path of a key in a map, index the path of an element.
func (c *mdVerifier) key(path, key string) string {
	if c.quiet {
		return ""
	}
	return joinPath(path, key)
}

func (c *mdVerifier) index(path string, i int) string {
	if c.quiet {
		return ""
	}
	return indexPath(path, i)
}

func (c *mdVerifier) errorf(path, format string, args ...any) {
	c.errs = append(c.errs, &MetadataError{Path: path, Problem: fmt.Sprintf(format, args...)})
}

// laxf is errorf for problems that LLVM's assembler accepts.
func (c *mdVerifier) laxf(path, format string, args ...any) {
	c.errs = append(c.errs, &MetadataError{Path: path, Problem: fmt.Sprintf(format, args...), Lax: true})
}

// joinPath returns the path of a key in a map.
func joinPath(path, key string) string {
	if path == "" || strings.HasPrefix(key, ".") {
		return path + key
	}
	return path + "." + key
}

// verify checks a struct against its tags.
func (c *mdVerifier) verify(v reflect.Value, path string) {
	keys := mdKeys(v)
	fields := mdFields(v.Type())
	for k := range fields {
		f := &fields[k]
		field, at := v.Field(f.index), c.key(path, f.key)
		if c.unfit(keys, f, field, at) {
			continue
		}
		if f.required && (keys.missing>>k&1 != 0 && field.IsZero() || field.Kind() == reflect.String && field.Len() == 0) {
			c.errorf(at, "is required and missing")
			continue
		}
		if field.Kind() == reflect.Pointer && !field.IsNil() {
			field = field.Elem()
		}
		c.field(f, field, at)
	}
}

// unfit reports a known key that is in Unknown.
func (c *mdVerifier) unfit(keys *MetadataKeys, f *mdField, v reflect.Value, at string) bool {
	for i := 0; i+1 < len(keys.Unknown); i += 2 {
		if k := &keys.Unknown[i]; k.Kind != NodeString || k.Str != f.key {
			continue
		}
		value := &keys.Unknown[i+1]
		if value.Kind == NodeString && value.Str == "" && v.Kind() == reflect.String {
			return true // kept there because the struct cannot distinguish it from an absent one
		}
		report := c.errorf
		if value.Kind == NodeInt && mdTypeText(v.Type()) == mdTypeText(reflect.TypeFor[uint64]()) {
			report = c.laxf
		}
		if bad := badItem(value, v); bad >= 0 {
			item := &value.Items[bad]
			report(indexPath(at, bad), "is %s, expected %s", item.describe(), mdTypeText(v.Type().Elem()))
			return true
		}
		report(at, "is %s, expected %s", value.describe(), mdTypeText(v.Type()))
		return true
	}
	return false
}

// badItem returns the first element of an array that a field cannot represent,
// -1 for none.
func badItem(n *Node, v reflect.Value) int {
	if n.Kind != NodeArray || v.Kind() != reflect.Slice {
		return -1
	}
	for i := range n.Items {
		if !(mdDecoder{}).value(&n.Items[i], reflect.New(v.Type().Elem()).Elem(), true) {
			return i
		}
	}
	return -1
}

// describe returns the kind of a node for a message, with the value of a
// number.
func (n *Node) describe() string {
	switch n.Kind {
	case NodeInt, NodeUint, NodeFloat, NodeBool:
		return n.Kind.String() + ", " + n.text(false)
	}
	return n.Kind.String()
}

func mdTypeText(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return mdTypeText(t.Elem())
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "a boolean"
	case reflect.Uint64:
		return "an integer that is not negative"
	case reflect.Struct:
		return "a map"
	}
	return "an array of " + map[reflect.Kind]string{reflect.String: "strings", reflect.Uint64: "integers", reflect.Struct: "maps"}[t.Elem().Kind()]
}

// field checks a value of the right type.
func (c *mdVerifier) field(f *mdField, v reflect.Value, at string) {
	switch v.Kind() {
	case reflect.String:
		if f.enum != "" && v.Len() > 0 && !mdEnumHas(f.enum, v.String()) {
			c.errorf(at, "is %q, expected one of %s", v.String(), strings.Join(mdEnums.Get()[f.enum], ", "))
		}
	case reflect.Uint64:
		if n := v.Uint(); f.pow2 && (n == 0 || n&(n-1) != 0) {
			c.laxf(at, "is %d, expected a power of two", n)
		}
	case reflect.Slice:
		if v.IsNil() {
			return
		}
		if f.count != 0 && v.Len() != f.count {
			c.errorf(at, "has %d elements, expected %d", v.Len(), f.count)
		}
		for i := range v.Len() {
			if e := v.Index(i); e.Kind() == reflect.Struct {
				c.verify(e, c.index(at, i))
			}
		}
	case reflect.Struct:
		c.verify(v, at)
	}
}

func mdEnumHas(enum, s string) bool {
	for _, e := range mdEnums.Get()[enum] {
		if e == s {
			return true
		}
	}
	return false
}

// At returns the node at a path such as "amdhsa.kernels[0].args[2].value_kind",
// or the last existing node on the path.
func (n *Node) At(path string) *Node {
	for path != "" {
		next, rest := n.step(path)
		if next == nil {
			break
		}
		n, path = next, rest
	}
	return n
}

// step descends one key or index of a path.
func (n *Node) step(path string) (next *Node, rest string) {
	if n.Kind == NodeArray {
		index, rest, _ := strings.Cut(strings.TrimPrefix(path, "["), "]")
		i, err := strconv.Atoi(index)
		if err != nil || i < 0 || i >= n.Len() {
			return nil, ""
		}
		return &n.Items[i], rest
	}
	if n.Kind != NodeMap {
		return nil, ""
	}
	for _, p := range []string{path, strings.TrimPrefix(path, ".")} {
		best := 0
		for i := range n.Len() {
			key, value := n.Pair(i)
			if r, ok := strings.CutPrefix(p, key.Str); ok && key.Str != "" && len(key.Str) > best && (r == "" || r[0] == '.' || r[0] == '[') {
				next, rest, best = value, r, len(key.Str)
			}
		}
		if next != nil {
			return next, rest
		}
	}
	return nil, ""
}
