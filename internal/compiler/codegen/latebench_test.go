package codegen

import (
	"testing"

	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/isa"
)

// BenchmarkLatePasses measures the passes after register allocation on
// functions of one random program each.
func BenchmarkLatePasses(b *testing.B) {
	m := mir.MachineOf(isa.GFX900, 64)
	copyOf := new(mir.Func)
	var model memoryModel
	var threading jumpThreading
	var waiting waitInsertion
	var hazard hazardInsertion
	var l layout
	f := newMachineCode(1, m).large(3000)
	for _, x := range []struct {
		name string
		run  func(f *mir.Func) error
	}{
		{"jumps", func(f *mir.Func) error { threading.threadJumps(f); return nil }},
		{"memory", func(f *mir.Func) error { model.orderAccesses(f, memoryModes{}); return nil }},
		{"waits", func(f *mir.Func) error { waiting.insertWaits(f, true); return nil }},
		{"hazards", func(f *mir.Func) error { return hazard.resolveHazards(f, true) }},
		{"layout", func(f *mir.Func) error { _, err := l.layOut(f); return err }},
	} {
		b.Run(x.name, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				copyOf.CopyFrom(f)
				if err := x.run(copyOf); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(f.NumInstrs()), "ns/instr")
		})
	}
}
