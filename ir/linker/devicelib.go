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

// DeviceLibs are ROCm's device libraries with the choices that a compiler makes about them, as clang's
// options for OpenCL do.
type DeviceLibs struct {
	Path   string         // folder of the libraries, or of a ROCm installation (then they are in amdgcn/bitcode there)
	Target *target.Target // for the version of the instruction set and the wavefront size
	ABI    int            // code object version times 100: 400, 500, 600; 0: what the module's flags say, else 600

	DAZ                  bool // denormals of float are zero (-cl-denorms-are-zero), as well as when the module's functions say so
	FiniteOnly           bool // no infinities and NaNs (-cl-finite-math-only)
	UnsafeMath           bool // -cl-unsafe-math-optimizations
	CorrectlyRoundedSqrt bool // -cl-fp32-correctly-rounded-divide-sqrt

	// MakeControls says that controls are made here and not looked for in Path: libraries that are older than a processor
	// or code object version have no files for it.
	MakeControls bool
}

// library is a device library, and how the names of what it defines begin.
type library struct{ file, prefix string }

// libraries are in the order in which they are linked: each may need those behind it.
var libraries = []library{{"opencl", "_Z"}, {"ocml", "__ocml_"}, {"ockl", "__ockl_"}}

// IsDeviceLibName reports whether the name of a function is one that a device library may have.
func IsDeviceLibName(name string) bool {
	return slices.ContainsFunc(libraries, func(l library) bool { return strings.HasPrefix(name, l.prefix) })
}

// control is a constant that libraries ask for a choice; the file that defines it has the choice's name.
type control struct {
	symbol string
	file   func(d *DeviceLibs) string
	value  func(d *DeviceLibs) uint64
}

// onOff makes a control that is 0 or 1.
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
		return fmt.Errorf("@%s is no integer variable", c.symbol)
	}
	setVisibility(g, ir.DefaultVisibility)
	setLinkage(g, ir.Internal)
	g.Constant, g.Init = true, m.NewInt(g.Type, c.value(d))
	return nil
}

// Link links what a module needs of the libraries into it, internalized. A library is opened only when the module declares a function
// whose name is one of the library's, a control only when a library asks for it. Functions of the libraries get the module's
// attributes for the target. Warnings are those of [Linker]. The error tells which file is missing, what needs it,
// and where it was looked for, or what is wrong with one.
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

// codeObjectABI gives the code object version that a module's flags ask for, times 100.
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

// undefined gives the name of a function that a module declares and a library may define, "" when there is none.
func undefined(m *ir.Module, prefix string) string {
	for _, g := range m.Globals() {
		if g != nil && g.Kind == ir.GlobalFunc && g.IsDeclaration() && strings.HasPrefix(g.Name(), prefix) {
			return g.Name()
		}
	}
	return ""
}

// link links a library; needs is a symbol that it is linked for.
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

// DeviceLibFolders returns the folders in which libraries are searched for, given their folder or the root of a ROCm installation.
func DeviceLibFolders(path string) []string {
	return []string{path, filepath.Join(path, "amdgcn", "bitcode")}
}

// read reads the file of a library.
func (d *DeviceLibs) read(file, needs string) (path string, data []byte, err error) {
	if d.Path == "" {
		return "", nil, fmt.Errorf("@%s is not defined; it is in the device library %s.bc, but no folder of device libraries is given", needs, file)
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
				return "", nil, fmt.Errorf("device library %s.bc, which @%s needs: %w", file, needs, err)
			}
		}
	}
	return "", nil, fmt.Errorf("device library %s.bc, which @%s needs, not found in %s nor in %s", file, needs, dirs[0], dirs[1])
}
