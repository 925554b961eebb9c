package catalyst

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/internal/testing/corpus"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
)

// readFile reads a binary of the corpus.
func readFile(t *testing.T, name string) (*Binary, []byte) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Read(data)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return b, data
}

// checkBytes reports a binary that is not written as data.
func checkBytes(t *testing.T, name string, b *Binary, data []byte) {
	t.Helper()
	out, err := b.Bytes()
	if err != nil {
		t.Errorf("%s: %v", name, err)
	}
	if !bytes.Equal(out, data) {
		i := 0
		for i < min(len(out), len(data)) && out[i] == data[i] {
			i++
		}
		t.Errorf("%s: %d and %d bytes differ at %#x", name, len(out), len(data), i)
	}
}

// TestCorpusBytes reads the corpus's binaries and writes them again, with the
// notes that they have and with recovered configurations.
func TestCorpusBytes(t *testing.T) {
	files := corpus.Files(t, "catalyst/bin/*.bin")
	kernels, recovered := 0, 0
	for _, path := range files {
		name := filepath.Base(path)
		b, data := readFile(t, path)
		if !IsBinary(data) {
			t.Errorf("%s: not recognized", name)
		}
		checkBytes(t, name, b, data)
		for i, reason := range b.RecoverConfigs() {
			if reason == nil {
				recovered++
				continue
			}
			kernels++
			if k := b.Kernels[i].Name; !strings.HasPrefix(name, "note-") && k != "byhand" || b.Kernels[i].Config != nil {
				t.Errorf("%s: kernel %s: %v", name, k, reason)
			}
		}
		checkBytes(t, name+" with configurations", b, data)
	}
	t.Logf("%d files, %d kernels with a configuration, %d without", len(files), recovered, kernels)
	if len(files) != 324 || recovered != 537 {
		t.Errorf("%d files, %d kernels", len(files), recovered)
	}
}

// expectedRow is a row of the corpus's table of outputs.
type expectedRow struct {
	source, sum, binary string
	device              *Device
	wide, symbols       bool
	driver              uint32
}

// expectedRows reads the rows of files that are written.
func expectedRows(t *testing.T) (rows []expectedRow) {
	t.Helper()
	text, err := os.ReadFile(oracle.Shared(t, "catalyst/expected.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(string(text), "\n")[1:] {
		c := strings.Split(line, "\t")
		if len(c) < 5 || c[2] == "!" {
			continue
		}
		row := expectedRow{source: c[0], sum: c[2], binary: c[4]}
		for _, o := range strings.Fields(c[1]) {
			key, value, _ := strings.Cut(o, "=")
			switch key {
			case "--gpu-type":
				row.device = LookupDevice(value)
			case "--64bit":
				row.wide = true
			case "--driver-version":
				v, _ := strconv.ParseUint(value, 10, 32)
				row.driver = uint32(v)
			case "--force-add-symbols":
				row.symbols = true
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// checkSum reports a binary that differs from a row.
func checkSum(t *testing.T, row expectedRow, b *Binary) {
	t.Helper()
	out, err := b.Bytes()
	if err != nil {
		t.Errorf("%s for %v: %v", row.source, row.device, err)
	} else if sum := sha256.Sum256(out); hex.EncodeToString(sum[:]) != row.sum {
		t.Errorf("%s for %v, 64 bits %v, driver %d: %d bytes differ", row.source, row.device, row.wide, row.driver, len(out))
	}
}

// base returns the binary of a source for Pitcairn and a new driver, with
// configurations.
func base(t *testing.T, source string) *Binary {
	t.Helper()
	path := oracle.Shared(t, "catalyst/bin/"+strings.TrimSuffix(source, ".s")+".Pitcairn-170203.bin")
	b, _ := readFile(t, path)
	b.RecoverConfigs()
	return b
}

// TestCorpusVersions moves configurations to all other devices and versions of
// the driver. The code of the sources is s_endpgm, so that registers are
// counted from the configuration.
func TestCorpusVersions(t *testing.T) {
	sources := map[string]bool{}
	for _, s := range []string{
		"arg-global", "arg-global-many", "arg-images", "arg-images-many", "arg-images-write-unused", "arg-local", "arg-ptr-vectors",
		"arg-sampler-counter", "arg-scalars", "arg-spelling", "arg-struct", "arg-unused", "arg-vectors", "bin-sections",
		"cfg-cws", "cfg-dims", "cfg-lds", "cfg-modes", "cfg-outs", "cfg-pgmrsrc2", "cfg-printf", "cfg-samplers", "cfg-scratch",
		"cfg-uavprivate", "cfg-userdata", "cfg-empty", "bin-globaldata", "note-data", "note-full",
	} {
		sources[s+".s"] = true
	}
	rows := 0
	for _, row := range expectedRows(t) {
		if !sources[row.source] || row.device == nil || row.symbols {
			continue
		}
		// Bits of local memory that were given by hand are mixed with others of GCN 1.0.
		if row.source == "cfg-pgmrsrc2.s" && row.device.Arch != GCN10 {
			continue
		}
		rows++
		b := base(t, row.source)
		b.Device, b.Wide, b.Driver = row.device, row.wide, DriverOf(row.driver)
		for i := range b.Kernels {
			if k := &b.Kernels[i]; k.Config != nil && !strings.HasPrefix(row.source, "cfg-") {
				k.Config.SGPRs, k.Config.VGPRs = Option{}, Option{}
			}
		}
		checkSum(t, row, b)
	}
	if rows != 338 {
		t.Errorf("%d rows", rows)
	}
}

// TestCorpusSymbols adds the symbols of two sources to their binaries.
func TestCorpusSymbols(t *testing.T) {
	rows := 0
	for _, row := range expectedRows(t) {
		if !row.symbols {
			continue
		}
		rows++
		b := base(t, row.source)
		b.Device, b.Wide, b.Driver = row.device, row.wide, DriverOf(row.driver)
		const global = codeobject.STB_GLOBAL
		if row.source == "bin-symbols.s" {
			b.Symbols = []Symbol{{Name: "absval", Section: AbsoluteSymbol, Bind: global, Value: 77}}
			b.Kernels[0].Symbols = []Symbol{{Name: "kmid", Section: CodeSection, Bind: global, Value: 4, Size: 4}}
		} else {
			b.Symbols = []Symbol{{Name: "inouter", Section: 0, Bind: global, Value: 1}}
			b.Kernels[0].Symbols = []Symbol{{Name: "inkernel", Section: 0, Bind: codeobject.STB_WEAK, Value: 2}}
		}
		checkSum(t, row, b)
		out, _ := b.Bytes()
		again, err := Read(out)
		if err != nil {
			t.Fatal(err)
		}
		checkBytes(t, row.source, again, out)
	}
	if rows != 16 {
		t.Errorf("%d rows", rows)
	}
}
