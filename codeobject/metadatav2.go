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
	Version []uint64   `md:"Version,required" len:"2" flow:"yes"` // major and minor version of the metadata
	Printf  []string   `md:"Printf"`                              // formats of printf calls, as in Metadata
	Kernels []KernelV2 `md:"Kernels"`                             // kernels of the object
	MetadataKeys
}

// KernelV2 describes a kernel.
type KernelV2 struct {
	Name            string        `md:"Name,required"`                      // name in the source
	SymbolName      string        `md:"SymbolName,required"`                // symbol of the amd_kernel_code_t
	Language        string        `md:"Language" enum:"V2 language"`        // "OpenCL C", "HCC", …
	LanguageVersion []uint64      `md:"LanguageVersion" len:"2" flow:"yes"` // major and minor version of Language
	Attrs           *AttrsV2      `md:"Attrs"`                              // attributes of the source
	Args            []KernelArgV2 `md:"Args"`                               // arguments in order, hidden ones last
	CodeProps       *CodePropsV2  `md:"CodeProps"`                          // properties of the code
	DebugProps      *DebugPropsV2 `md:"DebugProps"`                         // properties for a debugger
	MetadataKeys
}

// AttrsV2 holds the attributes of a kernel.
type AttrsV2 struct {
	ReqdWorkGroupSize []uint64 `md:"ReqdWorkGroupSize" len:"3" flow:"yes"` // work-items in X, Y, Z
	WorkGroupSizeHint []uint64 `md:"WorkGroupSizeHint" len:"3" flow:"yes"` // work-items in X, Y, Z
	VecTypeHint       string   `md:"VecTypeHint"`                          // name of a type
	RuntimeHandle     string   `md:"RuntimeHandle"`                        // symbol of the kernel's handle, for enqueue_kernel in OpenCL
	MetadataKeys
}

// KernelArgV2 describes an argument of a kernel.
type KernelArgV2 struct {
	Name          string  `md:"Name"`                                         // name in the source
	TypeName      string  `md:"TypeName"`                                     // type in the source
	Size          uint64  `md:"Size,required"`                                // bytes
	Align         uint64  `md:"Align,required" pow2:"yes"`                    // bytes
	ValueKind     string  `md:"ValueKind,required" enum:"V2 argument's kind"` // "ByValue", "GlobalBuffer", "HiddenGlobalOffsetX", …
	ValueType     string  `md:"ValueType" enum:"V2 value type"`               // "Struct", "I32", "F16", …
	PointeeAlign  *uint64 `md:"PointeeAlign" pow2:"yes"`                      // bytes, of the LDS for a DynamicSharedPointer
	AddrSpaceQual string  `md:"AddrSpaceQual" enum:"V2 address space"`        // of a pointer: "Private", "Global", "Constant", "Local", "Generic", "Region"
	AccQual       string  `md:"AccQual" enum:"V2 access"`                     // of an image or pipe: "Default", "ReadOnly", "WriteOnly", "ReadWrite"
	ActualAccQual string  `md:"ActualAccQual" enum:"V2 access"`               // access that the compiler found, as AccQual
	IsConst       *bool   `md:"IsConst"`                                      // the pointee is const
	IsRestrict    *bool   `md:"IsRestrict"`                                   // the pointer is restrict
	IsVolatile    *bool   `md:"IsVolatile"`                                   // the pointee is volatile
	IsPipe        *bool   `md:"IsPipe"`                                       // the argument is a pipe
	MetadataKeys
}

// CodePropsV2 holds the properties of a kernel's code.
type CodePropsV2 struct {
	KernargSegmentSize      uint64  `md:"KernargSegmentSize,required"`             // bytes
	GroupSegmentFixedSize   uint64  `md:"GroupSegmentFixedSize,required"`          // bytes of LDS per work-group
	PrivateSegmentFixedSize uint64  `md:"PrivateSegmentFixedSize,required"`        // bytes of scratch memory per work-item
	KernargSegmentAlign     uint64  `md:"KernargSegmentAlign,required" pow2:"yes"` // bytes
	WavefrontSize           uint64  `md:"WavefrontSize,required" pow2:"yes"`       // work-items
	NumSGPRs                *uint64 `md:"NumSGPRs"`                                // SGPRs per wave, with VCC and the other special registers
	NumVGPRs                *uint64 `md:"NumVGPRs"`                                // VGPRs per work-item
	MaxFlatWorkGroupSize    *uint64 `md:"MaxFlatWorkGroupSize"`                    // work-items
	IsDynamicCallStack      *bool   `md:"IsDynamicCallStack"`                      // PrivateSegmentFixedSize is a minimum
	IsXNACKEnabled          *bool   `md:"IsXNACKEnabled"`                          // the code requires XNACK replay
	NumSpilledSGPRs         *uint64 `md:"NumSpilledSGPRs"`                         // SGPRs that the compiler has spilled
	NumSpilledVGPRs         *uint64 `md:"NumSpilledVGPRs"`                         // VGPRs that the compiler has spilled
	MetadataKeys
}

// DebugPropsV2 holds the information that a debugger needs about a kernel's
// code.
type DebugPropsV2 struct {
	DebuggerABIVersion                []uint64 `md:"DebuggerABIVersion" len:"2" flow:"yes"`             // major and minor version
	ReservedNumVGPRs                  *uint64  `md:"ReservedNumVGPRs"`                                  // VGPRs reserved for a debugger
	ReservedFirstVGPR                 *uint64  `md:"ReservedFirstVGPR" default:"65535"`                 // first VGPR reserved for a debugger
	PrivateSegmentBufferSGPR          *uint64  `md:"PrivateSegmentBufferSGPR" default:"65535"`          // first SGPR of the scratch resource
	WavefrontPrivateSegmentOffsetSGPR *uint64  `md:"WavefrontPrivateSegmentOffsetSGPR" default:"65535"` // SGPR of the scratch offset
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
