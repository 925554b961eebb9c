package compile

import (
	"errors"
	"fmt"
	"strings"

	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/target"
)

// ErrNoProcessor reports that neither the options nor the attributes of functions name a processor.
var ErrNoProcessor = errors.New("no function has a target-cpu")

// targetOf returns the target of a module: the options' target, else the target
// in the attributes of its functions.
func targetOf(m *ir.Module, o *Options) (*target.Target, error) {
	triple := o.Triple
	if triple == "" {
		triple = m.Triple
	}
	cpu, features := o.CPU, o.Features
	if cpu == "" {
		var of string
		cpu, of = moduleProcessor(m)
		if features = of; o.Features != "" {
			features += "," + o.Features
		}
	}
	if cpu == "" {
		return nil, ErrNoProcessor
	}
	t, err := target.New(triple, cpu, strings.Trim(features, ","))
	if err != nil {
		return nil, err
	}
	if t.Triple.OS == target.AMDHSA && !strings.Contains(strings.ToLower(features), target.FeatureTrapHandler.String()) {
		t.Features = t.Features.With(target.FeatureTrapHandler) // as in LLVM for amdhsa
	}
	switch t.COV = o.COV; {
	case t.Triple.OS == target.Mesa3D:
		t.COV = 2 // the descriptions of Mesa's kernels
	case t.COV == 0:
		t.COV = moduleVersion(m)
	}
	if t.COV < target.MinCOV || t.COV > target.MaxCOV {
		return nil, fmt.Errorf("code object version %d: expected %d to %d", t.COV, target.MinCOV, target.MaxCOV)
	}
	if _, err := targetID(t); err != nil {
		return nil, err
	}
	return t, nil
}

// targetID returns the target ID in the form of the code object version, which
// applies to amdhsa only.
func targetID(t *target.Target) (string, error) {
	if t.Triple.OS == target.Mesa3D {
		return t.ID.String(), nil
	}
	return t.Format(t.COV)
}

// defaultLayout is the data layout of amdgcn (LLVM 22).
const defaultLayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-" +
	"v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"

// setLayout replaces the module's data layout with the target's, like llc: code
// generation supports no other sizes of pointers.
func setLayout(m *ir.Module) error {
	dl, err := ir.ParseDataLayout(defaultLayout)
	if err == nil {
		m.SetLayout(dl)
	}
	return err
}

// moduleProcessor returns the processor and the features of the first function
// with a body that has them.
func moduleProcessor(m *ir.Module) (cpu, features string) {
	for _, g := range m.Globals() {
		if g == nil || g.Func == nil || g.IsDeclaration() {
			continue
		}
		set := m.AttrsAt(g.Func.Attributes, ir.AttrFunction)
		if cpu, _ = m.StringAttr(set, "target-cpu"); target.Lookup(cpu) != nil {
			features, _ = m.StringAttr(set, "target-features")
			return cpu, features
		}
	}
	return "", ""
}

// moduleVersion returns the code object version in the module's flags.
func moduleVersion(m *ir.Module) int {
	flags := m.NamedMetadata("llvm.module.flags")
	if flags == nil {
		return target.DefaultCOV
	}
	for _, f := range flags.Ops {
		ops := m.MDOperands(f)
		if len(ops) != 3 {
			continue
		}
		name, _ := m.MDString(ops[1])
		if name == "amdhsa_code_object_version" || name == "amdgpu_code_object_version" {
			n, _ := m.MDInt(ops[2])
			return int(n / 100)
		}
	}
	return target.DefaultCOV
}
