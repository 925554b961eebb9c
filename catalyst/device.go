package catalyst

import "strings"

// Arch is an architecture of GPUs, with its number in the CLRX assembler
// (".get_arch").
type Arch uint8

// Architectures. Binaries exist only for the first three.
const (
	GCN10  Arch = iota // GCN 1.0, gfx6
	GCN11              // GCN 1.1, gfx7
	GCN12              // GCN 1.2, gfx8
	GCN14              // GCN 1.4, gfx9
	GCN141             // GCN 1.4.1, gfx906
	GCN15              // GCN 1.5, gfx10
)

// archRow is an architecture.
type archRow struct {
	names  [3]string // the first one is the usual one
	lowest DeviceID  // the device that the architecture's name selects
	sgprs  uint32    // scalar registers that a kernel can have in PROGINFO
	lds    uint32    // granule of local memory in the program resource word, in bytes
}

var archs = [...]archRow{
	GCN10:  {[3]string{"GCN1.0", "GFX6", "SI"}, 0, 102, 256},
	GCN11:  {[3]string{"GCN1.1", "GFX7", "CI"}, 4, 102, 512},
	GCN12:  {[3]string{"GCN1.2", "GFX8", "VI"}, 10, 100, 512},
	GCN14:  {[3]string{"GCN1.4", "GFX9", "Vega"}, 22, 0, 0},
	GCN141: {[3]string{"GCN1.4.1", "GFX906", "Vega20"}, 28, 0, 0},
	GCN15:  {[3]string{"GCN1.5", "GFX10", "Navi"}, 30, 0, 0},
}

// String returns the usual name, such as "GCN1.2".
func (a Arch) String() string { return archs[a].names[0] }

// Lowest returns the device that the architecture's name selects: its lowest
// number.
func (a Arch) Lowest() *Device { return &devices[archs[a].lowest] }

// ParseArch returns the architecture with a name such as "GCN1.2", "GFX8" or
// "VI", in any case.
func ParseArch(name string) (Arch, bool) {
	for i := range archs {
		for _, n := range archs[i].names {
			if strings.EqualFold(n, name) {
				return Arch(i), true
			}
		}
	}
	return 0, false
}

// DeviceID is the number of a device in the CLRX assembler (".get_gpu").
type DeviceID uint8

// Device is a GPU. Devices are compared by pointer. Callers must not modify a
// Device.
type Device struct {
	Name    string   // CLRX's name, such as "CapeVerde"
	Aliases []string // other names
	ID      DeviceID // number, and place in Devices
	Arch    Arch     // architecture

	// Machine is e_machine of a binary. It is 0 for a device without such
	// binaries.
	Machine uint16
	// Encoding is the device's number in the dictionary of a kernel's ELF file.
	Encoding uint32

	Processor string // name of the target.Processor with its instructions
}

// String returns the name.
func (d *Device) String() string { return d.Name }

// metadataName returns the name in metadata, such as "capeverde".
func (d *Device) metadataName() string { return strings.ToLower(d.Name) }

// devices is the table of devices, by DeviceID. Two devices can have the same
// machine; the drivers knew the first of each pair by the name of an unreleased
// one. Sources: the CLRX assembler's list of devices; target's processors.
var devices = [...]Device{
	{"CapeVerde", nil, 0, GCN10, 0x3ff, 0x1c, "gfx601"},
	{"Pitcairn", nil, 1, GCN10, 0x3fe, 0x1b, "gfx601"},
	{"Tahiti", nil, 2, GCN10, 0x3fd, 0x1a, "gfx600"},
	{"Oland", nil, 3, GCN10, 0x402, 0x20, "gfx602"},
	{"Bonaire", nil, 4, GCN11, 0x403, 0x21, "gfx704"},
	{"Spectre", []string{"GFX700"}, 5, GCN11, 0x404, 0x22, "gfx700"},
	{"Spooky", nil, 6, GCN11, 0x405, 0x23, "gfx700"},
	{"Kalindi", nil, 7, GCN11, 0x406, 0x24, "gfx703"},
	{"Hainan", nil, 8, GCN10, 0x407, 0x25, "gfx602"},
	{"Hawaii", []string{"GFX701"}, 9, GCN11, 0x408, 0x27, "gfx701"},
	{"Iceland", []string{"Topaz"}, 10, GCN12, 0x409, 0x29, "gfx802"},
	{"Tonga", []string{"GFX802"}, 11, GCN12, 0x40a, 0x2a, "gfx802"},
	{"Mullins", nil, 12, GCN11, 0x40b, 0x2b, "gfx703"},
	{"Fiji", []string{"GFX803"}, 13, GCN12, 0x40c, 0x2d, "gfx803"},
	{"Carrizo", []string{"GFX801"}, 14, GCN12, 0x40d, 0x2e, "gfx801"},
	{"Dummy", nil, 15, GCN12, 0x411, 0x31, "gfx810"},
	{"Goose", nil, 16, GCN12, 0x40f, 0x2c, "gfx803"},
	{"Horse", nil, 17, GCN12, 0x40e, 0x2f, "gfx803"},
	{"Stoney", nil, 18, GCN12, 0x411, 0x31, "gfx810"},
	{"Ellesmere", []string{"Polaris10", "Polaris20"}, 19, GCN12, 0x40e, 0x2f, "gfx803"},
	{"Baffin", []string{"Polaris11", "Polaris21"}, 20, GCN12, 0x40f, 0x2c, "gfx803"},
	{"GFX804", []string{"Polaris12", "Polaris22"}, 21, GCN12, 0x412, 0x32, "gfx803"},
	{"GFX900", []string{"Vega10"}, 22, GCN14, 0, 0, "gfx900"},
	{"GFX901", nil, 23, GCN14, 0, 0, "gfx900"},
	{"GFX902", []string{"Vega11"}, 24, GCN14, 0, 0, "gfx902"},
	{"GFX903", []string{"Raven"}, 25, GCN14, 0, 0, "gfx902"},
	{"GFX904", []string{"Vega12"}, 26, GCN14, 0, 0, "gfx904"},
	{"GFX905", nil, 27, GCN14, 0, 0, "gfx904"},
	{"GFX906", []string{"Vega20"}, 28, GCN141, 0, 0, "gfx906"},
	{"GFX907", nil, 29, GCN141, 0, 0, "gfx906"},
	{"GFX1010", []string{"Navi10"}, 30, GCN15, 0, 0, "gfx1010"},
}

// Devices returns all devices by ID. The caller must not modify the returned
// slice.
func Devices() []Device { return devices[:] }

// LookupDevice returns the device with a name or alternate name in any case, or
// nil.
func LookupDevice(name string) *Device {
	for i := range devices {
		d := &devices[i]
		if strings.EqualFold(d.Name, name) {
			return d
		}
		for _, a := range d.Aliases {
			if strings.EqualFold(a, name) {
				return d
			}
		}
	}
	return nil
}

// devicesOf returns the devices with an e_machine, the released one first.
func devicesOf(machine uint16) (list []*Device) {
	for i := len(devices) - 1; i >= 0; i-- {
		if devices[i].Machine == machine && machine != 0 {
			list = append(list, &devices[i])
		}
	}
	return list
}
