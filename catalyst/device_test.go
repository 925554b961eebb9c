package catalyst

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/target"
)

func TestDevices(t *testing.T) {
	for i := range Devices() {
		d := &Devices()[i]
		if int(d.ID) != i {
			t.Errorf("%s: ID %d at place %d", d, d.ID, i)
		}
		p := target.Lookup(d.Processor)
		if p == nil {
			t.Fatalf("%s: no processor %s", d, d.Processor)
		}
		if major := int(p.Version.Major); major != 6+int(min(d.Arch, GCN14)) && d.Arch != GCN15 && d.Arch != GCN141 {
			t.Errorf("%s: %s for %s", d, p, d.Arch)
		}
		if (d.Machine != 0) != (d.Arch <= GCN12) {
			t.Errorf("%s: machine %#x", d, d.Machine)
		}
		for _, name := range append([]string{d.Name}, d.Aliases...) {
			if LookupDevice(strings.ToUpper(name)) != d {
				t.Errorf("%s is not found by its name %s", d, name)
			}
		}
	}
	if LookupDevice("gfx") != nil {
		t.Error("unknown name found")
	}
	if list := devicesOf(0x411); len(list) != 2 || list[0].Name != "Stoney" || list[1].Name != "Dummy" {
		t.Errorf("devices of 0x411: %v", list)
	}
	if devicesOf(0) != nil {
		t.Error("machine 0 has devices")
	}
}

// TestDeviceTable compares the devices with the table of the corpus.
func TestDeviceTable(t *testing.T) {
	f, err := os.Open(oracle.Shared(t, "catalyst/layout.md"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows := 0
	s := bufio.NewScanner(f)
	for s.Scan() {
		c := strings.Split(s.Text(), "|")
		if len(c) != 9 {
			continue
		}
		n := make([]uint64, 5)
		for i := range n {
			if n[i], err = strconv.ParseUint(strings.TrimSpace(c[3+i]), 0, 32); err != nil {
				break
			}
		}
		if err != nil {
			continue
		}
		rows++
		d := LookupDevice(strings.TrimSpace(c[1]))
		if d == nil {
			t.Errorf("no device %s", c[1])
			continue
		}
		got := []uint64{uint64(d.Arch), uint64(d.ID), uint64(d.Machine), uint64(d.Encoding), uint64(archs[d.Arch].sgprs)}
		for i := range n {
			if got[i] != n[i] {
				t.Errorf("%s: column %d is %#x, want %#x", d, 3+i, got[i], n[i])
			}
		}
		if d.metadataName() != strings.TrimSpace(c[2]) {
			t.Errorf("%s: %s in metadata", d, d.metadataName())
		}
	}
	if rows != 34 {
		t.Errorf("%d rows", rows)
	}
}

func TestArchs(t *testing.T) {
	for a := GCN10; a <= GCN15; a++ {
		if a.Lowest().Arch != a {
			t.Errorf("%s: the lowest device is %s", a, a.Lowest())
		}
		for i := range int(a.Lowest().ID) {
			if devices[i].Arch == a {
				t.Errorf("%s is below %s", &devices[i], a.Lowest())
			}
		}
		for _, n := range archs[a].names {
			if got, ok := ParseArch(strings.ToLower(n)); !ok || got != a {
				t.Errorf("%s is %v", n, got)
			}
		}
	}
	if _, ok := ParseArch("GCN9"); ok {
		t.Error("unknown name found")
	}
}
