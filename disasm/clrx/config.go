package clrx

import (
	"fmt"
	"strings"

	"github.com/gfx-toolchain/gfx/catalyst"
)

// config appends the configuration of a kernel.
func (t *binaryText) config(c *catalyst.Config) error {
	t.line("    .config")
	set := func(on bool, format string, args ...any) {
		if on {
			t.line("        ."+format, args...)
		}
	}
	option := func(name, format string, o catalyst.Option) {
		switch o.State {
		case catalyst.Given:
			set(true, "%s "+format, name, o.Value)
		case catalyst.None:
			set(true, "%s", name)
		}
	}
	if c.HasDims {
		t.dims(c)
	}
	set(c.GroupSize != [3]uint32{}, "cws %d, %d, %d", c.GroupSize[0], c.GroupSize[1], c.GroupSize[2])
	option("sgprsnum", "%d", c.SGPRs)
	option("vgprsnum", "%d", c.VGPRs)
	set(c.Region != 0, "hwregion %d", c.Region)
	set(c.LocalSize != 0, "hwlocal %d", c.LocalSize)
	option("floatmode", "0x%x", c.FloatMode)
	set(c.ScratchBuffer != 0, "scratchbuffer %d", c.ScratchBuffer)
	option("uavid", "%d", c.UAVID)
	option("uavprivate", "%d", c.UAVPrivate)
	option("printfid", "%d", c.PrintfID)
	option("privateid", "%d", c.PrivateID)
	option("cbid", "%d", c.ConstBufferID)
	set(c.EarlyExit != 0, "earlyexit %d", c.EarlyExit)
	set(c.CondOut != 0, "condout %d", c.CondOut)
	option("pgmrsrc2", "0x%08x", c.PgmRSrc2)
	set(c.IEEEMode, "ieeemode")
	set(c.TGSize, "tgsize")
	set(c.UseConstData, "useconstdata")
	set(c.UsePrintf, "useprintf")
	set(c.Exceptions != 0, "exceptions 0x%02x", c.Exceptions)
	for _, u := range c.UserData {
		set(true, "userdata %s, %d, %d, %d", u.Class, u.Slot, u.First, u.Count)
	}
	for i := range c.Args {
		text, err := argument(&c.Args[i])
		if err != nil {
			return err
		}
		set(true, "arg %s", text)
	}
	for _, s := range c.Samplers {
		set(true, "sampler 0x%x", s)
	}
	return nil
}

// dims appends the dimensions of ids.
func (t *binaryText) dims(c *catalyst.Config) {
	group, local := letters(c.GroupIDs), letters(c.LocalIDs)
	switch {
	case group != local:
		t.line("        .dims %s, %s", group, local)
	case group == "":
		t.line("        .dims")
	default:
		t.line("        .dims %s", group)
	}
}

// letters returns the letters of dimensions.
func letters(d catalyst.Dims) (s string) {
	for i := range 3 {
		if d>>i&1 != 0 {
			s += "xyz"[i : i+1]
		}
	}
	return s
}

// argument returns the operands of .arg.
func argument(a *catalyst.Arg) (string, error) {
	if !isSymbol(a.Name) {
		return "", fmt.Errorf("argument name %q is no symbol", a.Name)
	}
	s := a.Name
	if a.HasTypeName {
		s += ", " + quoted(a.TypeName)
	}
	s += ", " + a.Type.String()
	id := ""
	if a.ID.State == catalyst.Given {
		id = fmt.Sprint(a.ID.Value)
	}
	if a.Pointer {
		s += "*"
	}
	if a.Type.Kind == catalyst.Structure {
		s += fmt.Sprintf(", %d", a.Size)
	}
	switch {
	case a.Pointer:
		s += pointer(a, id)
	case a.Type.Kind.IsImage():
		access := "read_only"
		if a.Access&catalyst.WriteOnly != 0 {
			access = "write_only"
		}
		s += ", " + access + ", " + id
	case a.Type.Kind == catalyst.Counter32:
		s += ", " + id
	}
	if a.Unused {
		return s + ", unused", nil
	}
	return strings.TrimRight(s, ", "), nil
}

// qualifiers are the names of a pointer's qualifiers.
var qualifiers = []struct {
	access catalyst.Access
	name   string
}{{catalyst.Const, "const"}, {catalyst.Restrict, "restrict"}, {catalyst.Volatile, "volatile"}}

// pointer returns the operands of .arg after the type of a pointer.
func pointer(a *catalyst.Arg, id string) string {
	access, sep := "", ""
	for _, q := range qualifiers {
		if a.Access&q.access != 0 {
			access += sep + q.name
			sep = " "
		}
	}
	switch a.Space {
	case catalyst.Local:
		return ", local, " + access
	case catalyst.Constant:
		return fmt.Sprintf(", constant, %s, %d, %s", access, a.ConstSize, id)
	}
	return fmt.Sprintf(", global, %s, %s", access, id)
}
