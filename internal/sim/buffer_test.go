package sim

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/reguse"
)

// bufferCase is a test case: a buffer access and everything that determines its
// address.
type bufferCase struct {
	cpu                    string
	lanes                  int
	exec                   uint64
	idxen, offen           bool
	imm, soff              uint32
	stride, records        uint32
	swizzle                uint32 // bits of the resource: one, or two since gfx11
	element, group         uint32 // fields ELEMENT_SIZE and INDEX_STRIDE of the resource
	tid                    bool
	oob                    uint32
	index, offset          [64]uint32
	size, parts            int  // bytes of an element; number of parts that are range-checked separately
	whole                  bool // format access: DATA_FORMAT does not extend the stride
	gen                    int  // 6 to 11
	base                   uint64
	formatWord, extraWord3 uint32
}

func (c *bufferCase) rsrc() []uint32 {
	w3 := c.group<<21 | c.extraWord3
	switch {
	case c.gen < 10:
		w3 |= c.formatWord
		if c.gen <= 8 {
			w3 |= c.element << 19
		}
	default:
		w3 |= c.oob<<28 | c.formatWord
	}
	if c.tid {
		w3 |= 1 << 23
	}
	w1 := uint32(c.base>>32) | c.stride<<16
	if c.gen >= 11 {
		w1 |= c.swizzle << 30
	} else {
		w1 |= c.swizzle & 1 << 31
	}
	return []uint32{uint32(c.base), w1, c.records, w3}
}

// at returns the offset of one byte of a lane's access from the resource's
// base, and whether the part that begins there is in range. It implements the
// formulas of the ISA documents, generation by generation.
func (c *bufferCase) at(lane int, byteOff uint32) (addr uint64, in bool) {
	vindex := uint32(0)
	if c.idxen {
		vindex = c.index[lane]
	}
	off := c.imm
	if c.offen {
		off += c.offset[lane]
	}
	stride := uint64(c.stride)
	index := vindex
	useTID := c.tid
	swizzled := c.swizzle&1 != 0
	element := uint64(4)
	switch c.gen {
	case 6, 7, 8:
		element = 2 << c.element
	case 9:
		swizzled = swizzled && c.tid
		useTID = c.tid && (swizzled || !c.idxen)
	case 10:
		swizzled = swizzled && (c.idxen || c.tid)
	case 11:
		useTID = c.tid && !c.idxen
		swizzled = c.swizzle != 0 && (c.idxen || c.tid)
		if c.swizzle == 3 {
			element = 16
		}
	}
	if useTID {
		index += uint32(lane)
		if (c.gen == 8 || c.gen == 9) && !c.whole {
			stride += uint64(c.formatWord>>15&15) << 14
		}
	}
	o := uint64(off) + uint64(byteOff)
	linear := uint64(index)*stride + o
	place := linear
	group := uint64(8) << c.group
	if swizzled {
		place = (uint64(index)/group*stride+o/element*element)*group + uint64(index)%group*element + o%element
	}
	if addr = place + uint64(c.soff); c.gen == 6 { // the low bits of an element's address are ignored
		low := uint64(min(c.size, 4) - 1)
		addr = (addr-uint64(byteOff)&low)&^low + uint64(byteOff)&low
	}
	return addr, c.inRange(vindex, index, o, place, stride, swizzled)
}

func (c *bufferCase) inRange(vindex, index uint32, o, place, stride uint64, swizzled bool) bool {
	size := uint64(c.size)
	if c.parts > 1 {
		size = 4
	}
	records, soff := uint64(c.records), uint64(c.soff)
	switch c.gen {
	case 6, 7:
		if stride == 0 {
			return place+soff+size <= records
		}
		return uint64(index) < records && !((c.idxen || c.tid) && o >= stride)
	case 8:
		if stride == 0 || !swizzled {
			return place+soff+size <= records
		}
		return uint64(index) < records && !((c.idxen || c.tid) && o >= stride)
	case 9:
		switch {
		case c.tid && !c.idxen:
			return true
		case c.idxen && c.stride != 0:
			return uint64(vindex) < records
		}
		return o+soff+size <= records
	}
	if c.oob == 3 {
		records -= min(records, soff)
	}
	fits := func(limit uint64) bool {
		if c.gen == 10 {
			return o < limit
		}
		return o+size <= limit
	}
	switch c.oob {
	case 0:
		return uint64(index) < records && fits(stride)
	case 1:
		return uint64(index) < records
	case 2:
		return records != 0
	}
	switch {
	case c.gen == 10 && swizzled:
		return place < records
	case c.gen == 11 && swizzled && stride != 0:
		return uint64(index) < records && fits(stride)
	}
	return fits(records)
}

const bufferBytes = 1 << 18

// random fills c with random values.
func (c *bufferCase) random(r *rand.Rand) {
	pick := func(v ...uint32) uint32 { return v[r.IntN(len(v))] }
	c.idxen, c.offen = r.IntN(2) == 0, r.IntN(2) == 0
	c.imm, c.soff = pick(0, 4, 24, 3), pick(0, 0, 16, 64)
	c.stride, c.records = pick(0, 4, 16, 32), pick(0, 5, 8, 64, 250, 1000)
	c.swizzle = pick(0, 0, 1, 3)
	c.element, c.group = pick(1, 1, 2, 3), pick(0, 1, 2, 3)
	c.tid = r.IntN(4) == 0
	c.oob = pick(0, 1, 2, 3)
	c.formatWord = 0
	if c.gen >= 10 {
		c.formatWord = 20 << 12
	}
	for l := range c.index {
		c.index[l], c.offset[l] = uint32(r.IntN(40)), uint32(r.IntN(80))*4
	}
	if c.swizzle != 0 { // swizzled elements are aligned
		c.imm &^= 3
	}
	if c.gen <= 8 && c.swizzle&1 != 0 && c.element == 0 {
		c.element = 1
	}
}

func (c *bufferCase) text(op, data string) string {
	addr, mods := "off", ""
	switch {
	case c.idxen && c.offen:
		addr, mods = "v[2:3]", " idxen offen"
	case c.idxen:
		addr, mods = "v2", " idxen"
	case c.offen:
		addr, mods = "v2", " offen"
	}
	if c.imm != 0 {
		mods += fmt.Sprintf(" offset:%d", c.imm)
	}
	return fmt.Sprintf("%s %s, %s, s[12:15], s6%s", op, data, addr, mods)
}

func (c *bufferCase) kernel(op, data string) kernelTest {
	k := kernelTest{cpu: c.cpu, wave: c.lanes, features: eccOff(c.cpu), text: c.text(op, data), buffers: [][]byte{noise(bufferBytes, 3)}, lds: 1024}
	k.setup = func(w *wave) {
		fillPattern(w, 0, 24)
		c.base = argument(w, 0)
		copy(w.s[12:], c.rsrc())
		w.s[6] = c.soff
		for l := range w.lanes {
			v := []uint32{c.index[l], c.offset[l]}
			if !c.idxen {
				v = v[1:]
			}
			for i := range v {
				w.v[(2+i)*w.lanes+l] = v[i]
			}
		}
		w.setMask(sExec, c.exec&w.all)
	}
	return k
}

func (c *bufferCase) String() string {
	return fmt.Sprintf("%s %d lanes, exec %#x, idxen %v offen %v imm %d soff %d, stride %d records %d swizzle %d element %d group %d tid %v oob %d", c.cpu, c.lanes, c.exec,
		c.idxen, c.offen, c.imm, c.soff, c.stride, c.records, c.swizzle, c.element, c.group, c.tid, c.oob)
}

func genOf(cpu string) int {
	switch {
	case cpu < "gfx9" && cpu > "gfx2":
		return int(cpu[3] - '0')
	case strings.HasPrefix(cpu, "gfx9"):
		return 9
	case strings.HasPrefix(cpu, "gfx10"):
		return 10
	}
	return 11
}

// bytesOf reads a lane's access part by part. Out-of-range parts read as 0.
func (c *bufferCase) bytesOf(buf []byte, lane int) []byte {
	out := make([]byte, 16)
	for i := range c.size {
		part := uint32(0)
		if c.parts > 1 {
			part = uint32(i &^ 3)
		}
		if _, in := c.at(lane, part); in {
			addr, _ := c.at(lane, uint32(i))
			out[i] = buf[addr]
		}
	}
	return out
}

func TestBufferAddresses(t *testing.T) {
	forWaves(t, append([]string{"gfx600", "gfx700"}, testCPUs...), func(t *testing.T, cpu string, lanes int) {
		r := rand.New(rand.NewPCG(uint64(lanes), 5))
		for i := range 150 {
			c := &bufferCase{cpu: cpu, lanes: lanes, gen: genOf(cpu), exec: execs[i%len(execs)]}
			c.random(r)
			if a := &loadTypes[i%8]; a.has(cpu) {
				c.size, c.parts = a.bytes, max(a.bytes/4, 1)
				c.checkLoad(t, a)
			}
			if a := &storeTypes[i%6]; a.has(cpu) {
				c.size, c.parts = a.bytes, max(a.bytes/4, 1)
				c.checkStore(t, a)
			}
		}
	})
}

func (c *bufferCase) checkLoad(t *testing.T, a *accessType) {
	t.Helper()
	k := c.kernel("buffer_load_"+a.name(c.cpu), a.regs(8))
	r := k.run(t)
	buf := noise(bufferBytes, 3)
	for l := range c.lanes {
		for i := range max(a.bytes/4, 1) {
			want := pattern(8+i, l)
			if c.exec>>l&1 != 0 {
				want = a.loaded(c.bytesOf(buf, l), i, want)
			}
			if got := r.v(8+i, l); got != want {
				t.Fatalf("%s\n%v: lane %d (index %d offset %d) register %d is %#x, want %#x", k.text, c, l, c.index[l], c.offset[l], i, got, want)
			}
		}
	}
}

func (c *bufferCase) checkStore(t *testing.T, a *accessType) {
	t.Helper()
	for l := range c.index { // no two lanes may overlap
		c.index[l], c.offset[l] = uint32(l), 0
		if !c.idxen {
			c.offset[l] = uint32(l) * 32
		}
	}
	if !c.idxen && !c.offen && !c.tid || c.stride < uint32(c.size) && c.idxen || c.tid || c.swizzle != 0 && !c.idxen {
		c.exec = 1 << (c.lanes - 1)
	}
	k := c.kernel("buffer_store_"+a.name(c.cpu), a.regs(8))
	r := k.run(t)
	want := noise(bufferBytes, 3)
	for l := range c.lanes {
		if c.exec>>l&1 == 0 {
			continue
		}
		for i, b := range a.stored(func(i int) uint32 { return pattern(8+i, l) }) {
			part := uint32(0)
			if c.parts > 1 {
				part = uint32(i &^ 3)
			}
			if _, in := c.at(l, part); in {
				addr, _ := c.at(l, uint32(i))
				want[addr] = b
			}
		}
	}
	for i, b := range want {
		if r.buffers[0][i] != b {
			t.Fatalf("%s\n%v: byte %d is %#x, want %#x", k.text, c, i, r.buffers[0][i], b)
		}
	}
}

// TestBufferLDS loads from a buffer to LDS and stores from LDS.
func TestBufferLDS(t *testing.T) {
	for _, cpu := range []string{"gfx803", "gfx900", "gfx90a", "gfx942", "gfx1010"} {
		for _, a := range []accessType{loadTypes[4], loadTypes[0], loadTypes[3]} {
			c := &bufferCase{cpu: cpu, lanes: 64, gen: genOf(cpu), exec: execs[2], offen: true, imm: 8, records: 200, oob: 3, size: a.bytes, parts: 1}
			for l := range c.offset {
				c.offset[l] = uint32(l) * 4
			}
			c.formatWord = 4 << 15
			k := c.kernel("buffer_load_"+a.old, "v8")
			k.text = strings.Replace(k.text, " v8,", "", 1) + " lds"
			fill := k.setup
			k.setup = func(w *wave) {
				fill(w)
				copy(w.group.lds, noise(1024, 8))
				w.s[reguse.M0Code(w.dev.set)] = 0x100
			}
			r := k.run(t)
			want := noise(1024, 8)
			for l := range 64 {
				if c.exec>>l&1 != 0 {
					v := a.loaded(c.bytesOf(noise(bufferBytes, 3), l), 0, 0)
					binary.LittleEndian.PutUint32(want[0x108+l*4:], v)
				}
			}
			if string(want) != string(r.groups[0].lds) {
				t.Errorf("%s %s: wrong bytes in LDS", cpu, k.text)
			}
		}
	}
	k := kernelTest{text: "s_mov_b32 m0, 0x20\nbuffer_store_lds_dword s[12:15], 0 offset:4 lds", lds: 1024, buffers: [][]byte{make([]byte, 512)}, setup: func(w *wave) {
		base := argument(w, 0)
		copy(w.s[12:], []uint32{uint32(base), uint32(base>>32) | 4<<16, 512, 1 << 23})
		copy(w.group.lds, noise(1024, 8))
	}}
	r := k.run(t)
	if string(r.buffers[0][4:260]) != string(noise(1024, 8)[0x24:0x24+256]) {
		t.Error("buffer_store_lds_dword: wrong bytes")
	}
}

// TestGlobalLDS loads from global memory to LDS.
func TestGlobalLDS(t *testing.T) {
	for _, x := range []struct{ cpu, text string }{
		{"gfx900", "global_load_dword v[4:5], off offset:4 lds"},
		{"gfx942", "global_load_lds_dword v[4:5], off offset:4"},
		{"gfx1010", "global_load_dword v[4:5], off offset:4 lds"},
		{"gfx942", "global_load_lds_sbyte v[4:5], off offset:4"},
	} {
		k := kernelTest{cpu: x.cpu, text: x.text, lds: 1024, buffers: [][]byte{noise(1024, 3)}, setup: func(w *wave) {
			w.s[reguse.M0Code(w.dev.set)] = 0x100
			for l := range w.lanes {
				setV64(w, 4, l, argument(w, 0)+uint64(l)*8)
			}
		}}
		r := k.run(t)
		for l := range 64 {
			want := r.words(0)[l*2+1]
			if strings.Contains(x.text, "sbyte") {
				want = uint32(int32(int8(want)))
			}
			if got := binary.LittleEndian.Uint32(r.groups[0].lds[0x104+l*4:]); got != want {
				t.Fatalf("%s %s: lane %d is %#x, want %#x", x.cpu, x.text, l, got, want)
			}
		}
	}
}

func TestAddTID(t *testing.T) {
	for _, x := range []struct{ cpu, load, store string }{
		{"gfx1030", "global_load_dword_addtid v8, s[4:5] offset:16", "global_store_dword_addtid v9, s[4:5] offset:512"},
		{"gfx1100", "global_load_addtid_b32 v8, s[4:5] offset:16", "global_store_addtid_b32 v9, s[4:5] offset:512"},
	} {
		k := kernelTest{cpu: x.cpu, text: x.load + "\n" + x.store, buffers: [][]byte{noise(1024, 3)}, setup: func(w *wave) {
			w.setPair(4, argument(w, 0))
			fillPattern(w, 8, 2)
		}}
		r := k.run(t)
		for l := range 64 {
			if r.v(8, l) != r.words(0)[4+l] || r.words(0)[128+l] != pattern(9, l) {
				t.Fatalf("%s: lane %d", x.cpu, l)
			}
		}
	}
}

// TestBufferAtomicRange checks that out-of-range lanes return 0 and leave
// memory unchanged.
func TestBufferAtomicRange(t *testing.T) {
	for _, cpu := range []string{"gfx600", "gfx700", "gfx803", "gfx900", "gfx1030", "gfx1100"} {
		c := &bufferCase{cpu: cpu, lanes: 64, gen: genOf(cpu), exec: ^uint64(0), offen: true, records: 60, oob: 3, size: 8, parts: 1}
		for l := range c.offset {
			c.offset[l] = uint32(l) * 8
		}
		op := "buffer_atomic_add_x2"
		if cpu == "gfx1100" {
			op = "buffer_atomic_add_u64"
		}
		k := c.kernel(op, "v[8:9]")
		k.text += " glc"
		r := k.run(t)
		for l := range 64 {
			old, add := uint64(0), uint64(pattern(8, l))|uint64(pattern(9, l))<<32
			was := binary.LittleEndian.Uint64(noise(bufferBytes, 3)[l*8:])
			want := was
			if _, in := c.at(l, 0); in {
				old, want = was, was+add
			}
			got := uint64(r.v(8, l)) | uint64(r.v(9, l))<<32
			if mem := binary.LittleEndian.Uint64(r.buffers[0][l*8:]); got != old || mem != want {
				t.Fatalf("%s: lane %d returns %#x and leaves %#x, want %#x and %#x", cpu, l, got, mem, old, want)
			}
		}
	}
}
