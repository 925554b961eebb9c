package codeobject

import (
	"reflect"
	"strconv"
	"strings"
)

// MetadataV2 holds the kernel metadata of a code object V2: in the note
// NT_AMD_HSA_METADATA and in assembly as YAML. The fields are in the order of
// LLVM's text. Pointers are nil for absent keys.
//
// Source: User Guide for AMDGPU Backend, Code Object V2 Metadata; LLVM 14's
// AMDGPUMetadata.cpp for the order and for keys that later editions dropped.
type MetadataV2 struct {
	Version []uint64   `md:"Version,required" len:"2" flow:"yes"`
	Printf  []string   `md:"Printf"`
	Kernels []KernelV2 `md:"Kernels"`
	MetadataKeys
}

// KernelV2 describes a kernel.
type KernelV2 struct {
	Name            string        `md:"Name,required"`
	SymbolName      string        `md:"SymbolName,required"`
	Language        string        `md:"Language" enum:"V2 language"`
	LanguageVersion []uint64      `md:"LanguageVersion" len:"2" flow:"yes"`
	Attrs           *AttrsV2      `md:"Attrs"`
	Args            []KernelArgV2 `md:"Args"`
	CodeProps       *CodePropsV2  `md:"CodeProps"`
	DebugProps      *DebugPropsV2 `md:"DebugProps"`
	MetadataKeys
}

// AttrsV2 holds the attributes of a kernel.
type AttrsV2 struct {
	ReqdWorkGroupSize []uint64 `md:"ReqdWorkGroupSize" len:"3" flow:"yes"`
	WorkGroupSizeHint []uint64 `md:"WorkGroupSizeHint" len:"3" flow:"yes"`
	VecTypeHint       string   `md:"VecTypeHint"`
	RuntimeHandle     string   `md:"RuntimeHandle"`
	MetadataKeys
}

// KernelArgV2 describes an argument of a kernel.
type KernelArgV2 struct {
	Name          string  `md:"Name"`
	TypeName      string  `md:"TypeName"`
	Size          uint64  `md:"Size,required"`
	Align         uint64  `md:"Align,required" pow2:"yes"`
	ValueKind     string  `md:"ValueKind,required" enum:"V2 argument's kind"`
	ValueType     string  `md:"ValueType" enum:"V2 value type"`
	PointeeAlign  *uint64 `md:"PointeeAlign" pow2:"yes"`
	AddrSpaceQual string  `md:"AddrSpaceQual" enum:"V2 address space"`
	AccQual       string  `md:"AccQual" enum:"V2 access"`
	ActualAccQual string  `md:"ActualAccQual" enum:"V2 access"`
	IsConst       *bool   `md:"IsConst"`
	IsRestrict    *bool   `md:"IsRestrict"`
	IsVolatile    *bool   `md:"IsVolatile"`
	IsPipe        *bool   `md:"IsPipe"`
	MetadataKeys
}

// CodePropsV2 holds the properties of a kernel's code.
type CodePropsV2 struct {
	KernargSegmentSize      uint64  `md:"KernargSegmentSize,required"`
	GroupSegmentFixedSize   uint64  `md:"GroupSegmentFixedSize,required"`
	PrivateSegmentFixedSize uint64  `md:"PrivateSegmentFixedSize,required"`
	KernargSegmentAlign     uint64  `md:"KernargSegmentAlign,required" pow2:"yes"`
	WavefrontSize           uint64  `md:"WavefrontSize,required" pow2:"yes"`
	NumSGPRs                *uint64 `md:"NumSGPRs"`
	NumVGPRs                *uint64 `md:"NumVGPRs"`
	MaxFlatWorkGroupSize    *uint64 `md:"MaxFlatWorkGroupSize"`
	IsDynamicCallStack      *bool   `md:"IsDynamicCallStack"`
	IsXNACKEnabled          *bool   `md:"IsXNACKEnabled"`
	NumSpilledSGPRs         *uint64 `md:"NumSpilledSGPRs"`
	NumSpilledVGPRs         *uint64 `md:"NumSpilledVGPRs"`
	MetadataKeys
}

// DebugPropsV2 holds the information that a debugger needs about a kernel's
// code.
type DebugPropsV2 struct {
	DebuggerABIVersion                []uint64 `md:"DebuggerABIVersion" len:"2" flow:"yes"`
	ReservedNumVGPRs                  *uint64  `md:"ReservedNumVGPRs"`
	ReservedFirstVGPR                 *uint64  `md:"ReservedFirstVGPR" default:"65535"`
	PrivateSegmentBufferSGPR          *uint64  `md:"PrivateSegmentBufferSGPR" default:"65535"`
	WavefrontPrivateSegmentOffsetSGPR *uint64  `md:"WavefrontPrivateSegmentOffsetSGPR" default:"65535"`
	MetadataKeys
}

// DecodeMetadataV2 reads metadata of V2 from a document of ReadYAML, as
// leniently as DecodeMetadata.
func DecodeMetadataV2(n *Node) (*MetadataV2, error) {
	if n.Kind != NodeMap {
		return nil, &MetadataError{Problem: "metadata are " + n.Kind.String() + ", expected a map"}
	}
	m := new(MetadataV2)
	mdDecoder{text: true}.decode(n, reflect.ValueOf(m).Elem())
	return m, nil
}

// ReadMetadataV2 is DecodeMetadataV2 for the text of a note NT_AMD_HSA_METADATA
// or in assembly.
func ReadMetadataV2(text string) (*MetadataV2, error) {
	n, err := ReadYAML(strings.TrimRight(text, "\x00"))
	if err != nil {
		return nil, err
	}
	return DecodeMetadataV2(&n)
}

// Node returns the metadata as a document, in LLVM's order.
func (m *MetadataV2) Node() Node { return mdNode(reflect.ValueOf(m).Elem()) }

// AppendYAML appends the text of the metadata in LLVM's form.
func (m *MetadataV2) AppendYAML(b []byte) ([]byte, error) {
	n := m.Node()
	return n.AppendYAML(b, YAMLOptions{Untagged: true})
}

// Canonical changes the metadata to the ones that LLVM 14 writes for them:
// without optional values that are the default (false, 0, empty), without
// Unknown and ValueType, and with code properties for every kernel.
func (m *MetadataV2) Canonical() {
	for i := range m.Kernels {
		k := &m.Kernels[i]
		if k.CodeProps == nil {
			k.CodeProps = new(CodePropsV2)
		}
		for n := range k.Args {
			k.Args[n].ValueType = ""
		}
	}
	dropDefaults(reflect.ValueOf(m).Elem())
}

// dropDefaults sets the optional fields of a metadata struct to nil that have
// their default or contain nothing else.
func dropDefaults(v reflect.Value) (empty bool) {
	keys := mdKeys(v)
	keys.Unknown, keys.missing = nil, 0
	empty = true
	for _, f := range mdFields(v.Type()) {
		field := v.Field(f.index)
		drop := field.Kind() == reflect.Slice && field.Len() == 0
		switch field.Kind() {
		case reflect.Slice:
			for i := range field.Len() {
				if e := field.Index(i); e.Kind() == reflect.Struct {
					dropDefaults(e)
				}
			}
		case reflect.Pointer:
			drop = field.IsNil() || isDefault(field.Elem(), v.Type().Field(f.index).Tag.Get("default"))
		}
		if drop {
			field.SetZero()
		}
		empty = empty && !f.required && field.IsZero()
	}
	return empty
}

// isDefault reports whether an optional value is the default: 0, false, a map
// without values, or the number in the tag.
func isDefault(v reflect.Value, tag string) bool {
	if v.Kind() == reflect.Struct {
		return dropDefaults(v)
	}
	if tag != "" {
		n, err := strconv.ParseUint(tag, 10, 64)
		return err == nil && v.Uint() == n
	}
	return v.IsZero()
}

// Verify compares the metadata with the specification and returns all problems,
// each a *MetadataError. Unknown keys are errors unless they begin with a
// vendor's name and a dot.
func (m *MetadataV2) Verify() []error {
	var c mdVerifier
	c.verify(reflect.ValueOf(m).Elem(), "")
	c.unknown(reflect.ValueOf(m).Elem(), "")
	for i := range m.Kernels {
		k := &m.Kernels[i]
		if k.Attrs != nil && k.CodeProps != nil && k.CodeProps.MaxFlatWorkGroupSize != nil {
			c.workgroupSize(k.Attrs.ReqdWorkGroupSize, *k.CodeProps.MaxFlatWorkGroupSize, indexPath("Kernels", i)+".Attrs.ReqdWorkGroupSize")
		}
	}
	return c.errs
}

// unknown reports keys that the specification does not have.
func (c *mdVerifier) unknown(v reflect.Value, path string) {
	fields := mdFields(v.Type())
	known := func(key string) bool {
		for i := range fields {
			if fields[i].key == key {
				return true
			}
		}
		return false
	}
	unknown := mdKeys(v).Unknown
	for i := 0; i < len(unknown); i += 2 {
		if key := unknown[i].Str; !known(key) && strings.IndexByte(key, '.') <= 0 {
			c.errorf(joinPath(path, key), "is an unknown key")
		}
	}
	for _, f := range fields {
		field, at := v.Field(f.index), joinPath(path, f.key)
		switch {
		case field.Kind() == reflect.Pointer && !field.IsNil() && field.Elem().Kind() == reflect.Struct:
			c.unknown(field.Elem(), at)
		case field.Kind() == reflect.Slice && field.Type().Elem().Kind() == reflect.Struct:
			for i := range field.Len() {
				c.unknown(field.Index(i), indexPath(at, i))
			}
		}
	}
}

func indexPath(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }
