package linker

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/bitcode"
	"github.com/gfx-toolchain/gfx/target"
)

// DeviceLibs specifies ROCm's device libraries and their configuration, like
// clang's options for OpenCL.
type DeviceLibs struct {
	Path   string         // directory of the libraries, or root of a ROCm installation with the libraries in amdgcn/bitcode
	Target *target.Target // determines the instruction set version and the wavefront size
	ABI    int            // code object version times 100: 400, 500, 600; 0: from the module's flags, else 600

	DAZ                  bool // flush denormals of float (-cl-denorms-are-zero); also implied by the module's functions
	FiniteOnly           bool // assume no infinities and NaNs (-cl-finite-math-only)
	UnsafeMath           bool // -cl-unsafe-math-optimizations
	CorrectlyRoundedSqrt bool // -cl-fp32-correctly-rounded-divide-sqrt

	// MakeControls generates controls instead of reading them from Path.
	// Libraries that are older than a processor or code object version lack
	// files for it.
	MakeControls bool
}

// library is a device library and the name prefix of its symbols.
type library struct{ file, prefix string }

// libraries lists the libraries in link order: each may depend on later ones.
var libraries = []library{{"opencl", "_Z"}, {"ocml", "__ocml_"}, {"ockl", "__ockl_"}}

// IsDeviceLibName reports whether a function name has a prefix of the device
// libraries.
func IsDeviceLibName(name string) bool {
	return slices.ContainsFunc(libraries, func(l library) bool { return strings.HasPrefix(name, l.prefix) })
}

// control is a constant that libraries read to query a configuration option.
// The file that defines it depends on the value.
type control struct {
	symbol string
	file   func(d *DeviceLibs) string
	value  func(d *DeviceLibs) uint64
}

// onOff returns a control with the value 0 or 1.
func onOff(symbol, file string, on func(d *DeviceLibs) bool) control {
	return control{symbol,
		func(d *DeviceLibs) string {
			if on(d) {
				return file + "_on"
			}
			return file + "_off"
		},
		func(d *DeviceLibs) uint64 {
			if on(d) {
				return 1
			}
			return 0
		}}
}

var controls = lazy.Value[[]control]{Make: func() []control {
	return []control{
		onOff("__oclc_unsafe_math_opt", "oclc_unsafe_math", func(d *DeviceLibs) bool { return d.UnsafeMath }),
		onOff("__oclc_finite_only_opt", "oclc_finite_only", func(d *DeviceLibs) bool { return d.FiniteOnly }),
		onOff("__oclc_daz_opt", "oclc_daz_opt", func(d *DeviceLibs) bool { return d.DAZ }),
		onOff("__oclc_correctly_rounded_sqrt32", "oclc_correctly_rounded_sqrt", func(d *DeviceLibs) bool { return d.CorrectlyRoundedSqrt }),
		onOff("__oclc_wavefrontsize64", "oclc_wavefrontsize64", func(d *DeviceLibs) bool { return d.Target.WaveSize() == 64 }),
		{"__oclc_ISA_version",
			func(d *DeviceLibs) string {
				return "oclc_isa_version_" + strings.TrimPrefix(d.Target.Processor.Name, "gfx")
			},
			func(d *DeviceLibs) uint64 {
				v := d.Target.Processor.Version
				return uint64(v.Major)*1000 + uint64(v.Minor)*100 + uint64(v.Stepping)
			}},
		{"__oclc_ABI_version",
			func(d *DeviceLibs) string { return fmt.Sprintf("oclc_abi_version_%d", d.ABI) },
			func(d *DeviceLibs) uint64 { return uint64(d.ABI) }},
	}
}}

// make defines a control.
func (c *control) make(d *DeviceLibs, g *ir.Global) error {
	m := g.Module()
	if g.Kind != ir.GlobalVar || !m.IsInt(g.Type) || m.IntBits(g.Type) > 64 {
		return fmt.Errorf("@%s is not an integer variable", c.symbol)
	}
	setVisibility(g, ir.DefaultVisibility)
	setLinkage(g, ir.Internal)
	g.Constant, g.Init = true, m.NewInt(g.Type, c.value(d))
	return nil
}

// Link links the required parts of the libraries into m and internalizes them.
// It opens a library only if m declares a function with one of the library's
// prefixes, and a control only if a library refers to it. Library functions get
// the module's target attributes. The warnings are [Linker]'s. The error names
// a missing file, the symbol that requires it and the directories searched, or
// the fault in a file.
func (d *DeviceLibs) Link(m *ir.Module) (warnings []string, err error) {
	conf := *d
	if conf.ABI == 0 {
		conf.ABI = codeObjectABI(m)
	}
	own := len(m.Globals())
	if mode, _ := m.StringAttr(unitAttributes(m, own), denormalsF32); strings.HasPrefix(mode, "preserve-sign") {
		conf.DAZ = true
	}
	var l *Linker
	link := func(file, needs string) error {
		if l == nil {
			l = Into(m)
		}
		return conf.link(l, file, needs)
	}
	for _, lib := range libraries {
		if name := undefined(m, lib.prefix); name != "" {
			if err := link(lib.file, name); err != nil {
				return nil, err
			}
		}
	}
	for _, c := range controls.Get() {
		g := m.Global(c.symbol)
		if g == nil || !g.IsDeclaration() {
			continue
		}
		if conf.MakeControls {
			err = c.make(&conf, g)
		} else {
			err = link(c.file(&conf), c.symbol)
		}
		if err != nil {
			return nil, err
		}
	}
	if l == nil {
		return nil, nil
	}
	spreadAttributes(m, own, conf.Target.Processor.Name)
	return l.Warnings(), nil
}

// codeObjectABI returns the code object version in a module's flags, times 100.
func codeObjectABI(m *ir.Module) int {
	if flags := m.NamedMetadata(moduleFlags); flags != nil {
		for _, md := range flags.Ops {
			ops := m.MDOperands(md)
			if len(ops) != 3 {
				continue
			}
			if name, _ := m.MDString(ops[1]); name == "amdhsa_code_object_version" {
				if n, ok := m.MDInt(ops[2]); ok {
					return int(n)
				}
			}
		}
	}
	return 600
}

// undefined returns the name of a function that m declares and that has the
// library's prefix, or "".
func undefined(m *ir.Module, prefix string) string {
	for _, g := range m.Globals() {
		if g != nil && g.Kind == ir.GlobalFunc && g.IsDeclaration() && strings.HasPrefix(g.Name(), prefix) {
			return g.Name()
		}
	}
	return ""
}

// link links a library. needs is a symbol that requires it.
func (d *DeviceLibs) link(l *Linker, file, needs string) error {
	path, data, err := d.read(file, needs)
	if err != nil {
		return err
	}
	f, err := bitcode.Open(data, bitcode.Options{Name: path, Lazy: true, Guard: l.dst.Guard()})
	if err != nil {
		return err
	}
	err = l.Link(Source{Module: f.Module, File: f}, Options{OnlyNeeded: true, Internalize: true})
	for _, w := range f.Warnings {
		l.warnf("%s: %s", path, w)
	}
	return err
}

// DeviceLibFolders returns the directories to search for libraries. path is
// their directory or the root of a ROCm installation.
func DeviceLibFolders(path string) []string {
	return []string{path, filepath.Join(path, "amdgcn", "bitcode")}
}

// read reads the file of a library.
func (d *DeviceLibs) read(file, needs string) (path string, data []byte, err error) {
	if d.Path == "" {
		return "", nil, fmt.Errorf("@%s is not defined: it is in the device library %s.bc, but no directory of device libraries was specified", needs, file)
	}
	dirs := DeviceLibFolders(d.Path)
	for _, dir := range dirs {
		for _, suffix := range [...]string{".bc", ".amdgcn.bc"} {
			path := filepath.Join(dir, file+suffix)
			data, err := os.ReadFile(path)
			if err == nil {
				return path, data, nil
			}
			if !errors.Is(err, fs.ErrNotExist) {
				return "", nil, fmt.Errorf("device library %s.bc, required by @%s: %w", file, needs, err)
			}
		}
	}
	return "", nil, fmt.Errorf("device library %s.bc, required by @%s, was not found in %s or %s", file, needs, dirs[0], dirs[1])
}
