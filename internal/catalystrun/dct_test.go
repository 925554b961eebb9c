package catalystrun

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/asm/clrx"
	"github.com/gfx-toolchain/gfx/catalyst"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/hsa"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
)

// TestTransform runs the sample of the CLRX documentation in both forms on
// devices of all instruction sets, forwards and backwards.
func TestTransform(t *testing.T) {
	for _, form := range []string{"config", "notes"} {
		for _, device := range []string{"Pitcairn", "Tahiti", "Bonaire", "Hawaii", "Tonga", "Fiji"} {
			t.Run(form+"."+device, func(t *testing.T) {
				text := contents(t, "testdata/dct-"+form+".s")
				text = strings.ReplaceAll(strings.ReplaceAll(text, "Pitcairn", device), "pitcairn", strings.ToLower(device))
				transform(newMachine(t, assembleText(t, text, clrx.Options{DriverVersion: 170203})))
			})
		}
	}
}

// contents returns the text of a file.
func contents(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	check(t, err)
	return string(text)
}

// assembleText returns the binary of a source, which includes files of testdata.
func assembleText(t *testing.T, text string, o clrx.Options) *catalyst.Binary {
	t.Helper()
	o.Open = func(name string) ([]byte, error) { return os.ReadFile("testdata/" + name) }
	r, found := clrx.Assemble(&diag.Source{Name: "kernel.s", Text: []byte(text)}, o)
	check(t, found.Err())
	b, err := catalyst.Read(r.Binary)
	check(t, err)
	return b
}

// transform compares the transform of two blocks in both directions with the
// same operations on the host.
func transform(m *machine) {
	const width, height, block = 24, 16, 8
	src := ramp(width*height, func(i int) float32 { return float32(i%11) - 0.375*float32(i%5) })
	matrix := ramp(block*block, func(i int) float32 { return 0.1*float32(i*i%17) - 0.7 })
	for inverse := range uint32(2) {
		at := func(row, column int) float32 {
			if inverse != 0 {
				row, column = column, row
			}
			return matrix[block*row+column]
		}
		out := buffer(m, make([]float32, width*height))
		m.dispatch([3]uint32{width, height}, [3]uint16{block, block}, out, buffer(m, src), buffer(m, matrix), hsa.LDS(4*block*block),
			uint32(width), uint32(block), inverse)
		equal(m.t, out, func(n int) (sum float32) {
			x, y := n%width, n/width
			i, j := x%block, y%block
			for k := range block {
				inter := float32(0) // inter[i][k]
				for l := range block {
					inter += float32(at(l, k) * src[(y-j+i)*width+x-i+l])
				}
				sum += float32(inter * at(k, j))
			}
			return sum
		})
	}
}

// TestTransformFields compares the fields of the sample with those that the
// CLRX documentation prints, and its texts with the ones of this package.
func TestTransformFields(t *testing.T) {
	doc, err := os.ReadFile(oracle.Shared(t, "spec/clrx-amd-catalyst.txt"))
	check(t, err)
	_, sample, ok := strings.Cut(string(doc), "/* Disassembling 'DCT_15_5.1' */")
	notes, config, both := strings.Cut(sample, "with kernel configuration:")
	if !ok || !both {
		t.Fatal("the sample is not in the document")
	}
	code := ".include \"dct-code.inc\"\n"
	build := func(text string) *catalyst.Binary {
		before, _, ok := strings.Cut(text, "/*befc03ff")
		if !ok {
			t.Fatal("the sample has no code")
		}
		return assembleText(t, ".include \"common.inc\"\n"+before+code, clrx.Options{DriverVersion: 170203})
	}
	fromNotes, fromConfig := build(notes), build(config)
	for _, pair := range []struct {
		name string
		doc  *catalyst.Binary
	}{{"notes", fromNotes}, {"config", fromConfig}} {
		own := assembleText(t, contents(t, "testdata/dct-"+pair.name+".s"), clrx.Options{DriverVersion: 170203})
		sameKernel(t, pair.name, &own.Kernels[0], &pair.doc.Kernels[0])
	}

	a, b := &fromNotes.Kernels[0], &fromConfig.Kernels[0]
	if !bytes.Equal(a.Header, b.Header) {
		t.Errorf("headers %x and %x", a.Header, b.Header)
	}
	for _, kind := range []catalyst.NoteType{catalyst.ProgInfo, catalyst.UAVOpMask, catalyst.CondOut, catalyst.EarlyExit, catalyst.ScratchBuffers, catalyst.Inputs} {
		if !bytes.Equal(note(a, kind), note(b, kind)) {
			t.Errorf("note %d: %x in the document, %x from the configuration", kind, note(a, kind), note(b, kind))
		}
	}
	// The driver's note UAV also lists its UAV 11, the number of the function is
	// the driver's own, and a configuration adds lines for const pointers.
	driver, ours := string(a.Metadata), string(b.Metadata)
	driver = strings.Replace(driver, ";function:1:1030", ";function:1:1024", 1)
	for _, line := range []string{";constarg:1:input\n", ";constarg:2:dct8x8\n"} {
		ours = strings.Replace(ours, line, "", 1)
	}
	if driver != ours {
		t.Errorf("metadata of the document:\n%s\nof the configuration:\n%s", driver, ours)
	}
	if extra := note(a, catalyst.UAV)[len(note(b, catalyst.UAV)):]; !bytes.Equal(extra, []byte{11, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0}) {
		t.Errorf("further UAVs %x", extra)
	}
}

// note returns the contents of a kernel's note.
func note(k *catalyst.Kernel, kind catalyst.NoteType) []byte {
	for i := range k.Notes {
		if k.Notes[i].Type == kind {
			return k.Notes[i].Desc
		}
	}
	return nil
}

// sameKernel compares two kernels.
func sameKernel(t *testing.T, name string, a, b *catalyst.Kernel) {
	t.Helper()
	if !bytes.Equal(a.Code, b.Code) || !bytes.Equal(a.Metadata, b.Metadata) || !bytes.Equal(a.Header, b.Header) || !bytes.Equal(a.Data, b.Data) || len(a.Notes) != len(b.Notes) {
		t.Fatalf("%s: the kernels differ", name)
	}
	for i := range a.Notes {
		if x, y := &a.Notes[i], &b.Notes[i]; x.Type != y.Type || !bytes.Equal(x.Desc, y.Desc) {
			t.Errorf("%s: note %d is %x, in the document %x", name, x.Type, x.Desc, y.Desc)
		}
	}
}
