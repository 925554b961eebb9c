package main

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
)

// decodePNG reads a PNG file.
func decodePNG(t *testing.T, name string) image.Image {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	p, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestEmboss runs examples/emboss.s on a PNG file, and compares the file that it
// writes with the formula.
func TestEmboss(t *testing.T) {
	for _, layout := range []string{"linear", "tiled"} {
		t.Run(layout, func(t *testing.T) { embossPicture(t, layout) })
	}
}

func embossPicture(t *testing.T, layout string) {
	root, err := oracle.ModuleRoot()
	if err != nil {
		t.Fatal(err)
	}
	in, out, raw := filepath.Join(root, "examples/emboss.png"), filepath.Join(t.TempDir(), "out.png"), filepath.Join(t.TempDir(), "out.bin")
	var text bytes.Buffer
	status := runCommandLine([]string{"run", "--check=all", "--arg=image:" + in + ",layout=" + layout, "--arg=image:" + out + ",width=96,height=64,name=out,layout=" + layout,
		"--arg=sampler:nearest,clamp-to-edge,unnormalized", "--save=out=" + raw, filepath.Join(root, "examples/emboss.s")}, strings.NewReader(""), &text, &text)
	if status != statusDone {
		t.Fatalf("exit status %d\n%s", status, &text)
	}
	source, got := decodePNG(t, in), decodePNG(t, out)
	data, err := os.ReadFile(raw)
	if err != nil || len(data) != 96*64*4 {
		t.Fatalf("%d raw bytes, %v", len(data), err)
	}
	at := func(x, y int) [3]float64 {
		c := color.NRGBAModel.Convert(source.At(min(max(x, 0), 95), min(max(y, 0), 63))).(color.NRGBA)
		return [3]float64{float64(c.R), float64(c.G), float64(c.B)}
	}
	for y := range 64 {
		for x := range 96 {
			a, b := at(x-1, y-1), at(x+1, y+1)
			c := color.NRGBAModel.Convert(got.At(x, y)).(color.NRGBA)
			for k, v := range []uint8{c.R, c.G, c.B} {
				want := min(max(127.5+a[k]-b[k], 0), 255)
				if d := float64(v) - want; d > 0.51 || d < -0.51 {
					t.Fatalf("component %d at %d, %d is %d, want %v", k, x, y, v, want)
				}
				if raw := data[(y*96+x)*4+k]; raw != v {
					t.Fatalf("component %d at %d, %d is %d in the raw file, %d in the picture", k, x, y, raw, v)
				}
			}
			if c.A != 255 {
				t.Fatalf("alpha at %d, %d is %d", x, y, c.A)
			}
		}
	}
}

// TestEmbossCatalyst compares the picture of examples/emboss.clrx on devices of
// all instruction sets with the one of examples/emboss.s.
func TestEmbossCatalyst(t *testing.T) {
	root, err := oracle.ModuleRoot()
	if err != nil {
		t.Fatal(err)
	}
	in, dir := "--arg=image:"+filepath.Join(root, "examples/emboss.png"), t.TempDir()
	run := func(args ...string) {
		t.Helper()
		var text bytes.Buffer
		if status := runCommandLine(args, strings.NewReader(""), &text, &text); status != statusDone {
			t.Fatalf("exit status %d\n%s", status, &text)
		}
	}
	result := func(name string, args ...string) []byte {
		t.Helper()
		out := filepath.Join(dir, name+".png")
		run(append([]string{"run", "--check=all", in, "--arg=image:" + out + ",width=96,height=64"}, args...)...)
		data, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	want := result("want", "--arg=sampler:nearest,clamp-to-edge,unnormalized", filepath.Join(root, "examples/emboss.s"))
	for _, device := range []string{"Pitcairn", "Bonaire", "Tonga"} {
		code := filepath.Join(dir, device+".bin")
		run("as", "--format=amd", "--gpu-type="+device, "-o", code, filepath.Join(root, "examples/emboss.clrx"))
		if !bytes.Equal(result(device, "--grid=96,64", code), want) {
			t.Errorf("%s: the picture differs", device)
		}
	}
}

// TestSaveErrors checks the reports of files that are not written.
// TestTranspose runs examples/transpose.mlir with the arguments in its comments.
func TestTranspose(t *testing.T) {
	root, err := oracle.ModuleRoot()
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if status := runCommandLine([]string{"run", filepath.Join(root, "examples/transpose.mlir")}, strings.NewReader(""), &text, &text); status != statusDone {
		t.Fatalf("exit status %d\n%s", status, &text)
	}
	for column := range 8 { // of a matrix with element 3 + 10*row + column
		line := fmt.Sprintf("%d %d %d %d", 3+column, 13+column, 23+column, 33+column)
		if !strings.Contains(text.String(), line) {
			t.Errorf("%s is missing:\n%s", line, &text)
		}
	}
}

func TestSaveErrors(t *testing.T) {
	root, err := oracle.ModuleRoot()
	if err != nil {
		t.Fatal(err)
	}
	code := filepath.Join(root, "examples/vecadd.ll")
	for _, x := range []struct{ flag, want string }{
		{"--save=0", "--save=0: expected BUFFER=FILE"},
		{"--save=9=x", "unknown buffer"},
		{"--save=0=x.png", "--save=0=x.png: 0 is a buffer, but only images are written as PNG files"},
		{"--save=0=/nonexistent/x", "/nonexistent"},
		{"--arg=image:width=4,heigth=4", "expected KEY=VALUE"},
	} {
		var text bytes.Buffer
		args := []string{"run", "--mcpu=gfx900"}
		if strings.HasPrefix(x.flag, "--arg") {
			args = append(args, "--grid=1")
		}
		if status := runCommandLine(append(args, x.flag, code), strings.NewReader(""), &text, &text); status == statusDone || !strings.Contains(text.String(), x.want) {
			t.Errorf("%s: status %d, %s", x.flag, status, &text)
		}
	}
}

// TestImageAccess checks the reports of accesses that an image does not allow.
func TestImageAccess(t *testing.T) {
	root, err := oracle.ModuleRoot()
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct{ source, result, want string }{
		{"rw", "ro", "memory: store of read-only image 1"},
		{"wo", "rw", "memory: load of write-only image 0"},
		{"ro", "wo", ""},
	} {
		var text bytes.Buffer
		status := runCommandLine([]string{"run", "--check=memory", "--arg=image:width=96,height=64,access=" + x.source, "--arg=image:width=96,height=64,access=" + x.result,
			"--arg=sampler:nearest,unnormalized", filepath.Join(root, "examples/emboss.s")}, strings.NewReader(""), &text, &text)
		if (status == statusDone) != (x.want == "") || !strings.Contains(text.String(), x.want) {
			t.Errorf("%s and %s: status %d, want %q\n%s", x.source, x.result, status, x.want, &text)
		}
	}
}
