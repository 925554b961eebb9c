package asm_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/asm"
	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/disasm"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// roundTripTries is the number of random instructions of each encoding that
// TestRoundTrip tries for the first processor of an instruction set. It tries
// one for the other processors. GFX_ROUNDTRIP_TRIES overrides it.
const roundTripTries = 6

// TestRoundTrip disassembles random words of every processor and assembles the
// text, which must yield the same words. The text has data instead of an
// instruction where the assembler encodes it differently or rejects it.
func TestRoundTrip(t *testing.T) {
	tries := roundTripTries
	if text := os.Getenv("GFX_ROUNDTRIP_TRIES"); text != "" {
		var err error
		if tries, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	} else if testing.Short() {
		tries = 2
	}
	met := map[isa.Set]bool{}
	processors, instructions, asData := 0, 0, 0
	for i := range target.Processors() {
		p := &target.Processors()[i]
		set, ok := isa.SetOf(p)
		if !ok {
			continue
		}
		processors++
		for _, wave := range set.WaveSizes() {
			n := 1
			if !met[set] {
				n = tries
			}
			total, data := roundTrip(t, p, set, wave, n)
			instructions += total
			asData += data
		}
		met[set] = true
	}
	t.Logf("%d processors, %d instructions, %d of them as data", processors, instructions, asData)
	if asData*2 > instructions {
		t.Error("most instructions are data")
	}
}

// roundTrip disassembles and assembles random words of a processor. It returns
// the total number of instructions, and the number disassembled to data.
func roundTrip(t *testing.T, p *target.Processor, set isa.Set, wave, tries int) (total, data int) {
	mattr := ""
	if set.Gen() >= isa.Gen10 {
		mattr = fmt.Sprintf("+wavefrontsize%d", wave)
	}
	tgt, err := target.New("amdgcn-amd-amdhsa", p.Name, mattr)
	if err != nil {
		return 0, 0 // has only the other wave size
	}
	d := isa.NewDecoder(set, wave)
	random := rand.New(rand.NewPCG(uint64(set), uint64(wave)))
	var snippets [][]byte
	for e := range isa.Enc(isa.NumEncs()) {
		if in, ok := isa.Sample(e, set, wave); ok {
			for range tries {
				snippets = append(snippets, randomInst(random, d, isa.Encode(nil, &in))...)
			}
		}
	}
	random.Shuffle(len(snippets), func(i, j int) { snippets[i], snippets[j] = snippets[j], snippets[i] })
	code := bytes.Join(snippets, nil)
	var text bytes.Buffer
	if err := disasm.Object(&text, objectOf(t, tgt, code), disasm.Options{Target: tgt, Encoder: asm.Encoder}); err != nil {
		t.Fatal(err)
	}
	result, found := asm.Assemble(&diag.Source{Name: p.Name, Text: text.Bytes()}, asm.Options{Target: tgt})
	if found.HasErrors() {
		for _, f := range found[:min(len(found), 3)] {
			line, _, _ := strings.Cut(text.String()[strings.LastIndexByte(text.String()[:f.Off], '\n')+1:], "//")
			t.Errorf("%s, wave%d: %s: %s", p.Name, wave, f.Message, line)
		}
		return
	}
	o, err := codeobject.Read(result.Object)
	if err != nil {
		t.Fatal(err)
	}
	if got := o.Section(".text").Data; !bytes.Equal(got, code) {
		reportDifference(t, p.Name, snippets, got, text.String())
	}
	return len(snippets), strings.Count(text.String(), "\t.long ")
}

// FuzzRoundTrip disassembles arbitrary code twice in a row, so that the second
// half uses the caches that the first half filled, and assembles the text,
// which must yield the same code. The first byte selects the processor.
func FuzzRoundTrip(f *testing.F) {
	var targets []*target.Target
	for i := range target.Processors() {
		p := &target.Processors()[i]
		if _, ok := isa.SetOf(p); ok {
			tgt, err := target.New("amdgcn-amd-amdhsa", p.Name, "")
			if err != nil {
				f.Fatal(err)
			}
			targets = append(targets, tgt)
		}
	}
	f.Add([]byte("\x10\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x82\xbf\xff\x00\x00\x7e\x01\x02\x03\x04"))
	f.Fuzz(func(t *testing.T, src []byte) {
		if len(src) < 5 || len(src) > 1<<10 {
			return
		}
		tgt := targets[int(src[0])%len(targets)]
		code := src[1 : len(src)-(len(src)-1)%4]
		code = append(bytes.Clone(code), code...)
		var text bytes.Buffer
		if err := disasm.Object(&text, objectOf(t, tgt, code), disasm.Options{Target: tgt, Encoder: asm.Encoder}); err != nil {
			t.Fatal(err)
		}
		result, found := asm.Assemble(&diag.Source{Name: "fuzz", Text: text.Bytes()}, asm.Options{Target: tgt})
		if found.HasErrors() {
			t.Fatalf("%v\n%s", found, text.Bytes())
		}
		o, err := codeobject.Read(result.Object)
		if err != nil {
			t.Fatal(err)
		}
		if got := o.Section(".text").Data; !bytes.Equal(got, code) {
			t.Fatalf("% x\nassembled as % x\n%s", code, got, text.Bytes())
		}
	})
}

// randomInst flips about a half, a quarter and an eighth of an instruction's
// bits and returns the results that decode.
func randomInst(random *rand.Rand, d *isa.Decoder, base []byte) (list [][]byte) {
	for density := range 3 {
		words := make([]byte, isa.MaxSize)
		for i := 0; i < len(words); i += 4 {
			binary.LittleEndian.PutUint32(words[i:], random.Uint32())
		}
		for i := range base {
			flip := byte(random.Uint32())
			for range density {
				flip &= byte(random.Uint32())
			}
			words[i] = base[i] ^ flip
		}
		if _, n, err := d.Decode(words); err == nil {
			list = append(list, words[:n])
		}
	}
	return list
}

// objectOf returns an object that contains code.
func objectOf(t testing.TB, tgt *target.Target, code []byte) []byte {
	t.Helper()
	var text bytes.Buffer
	for i := 0; i < len(code); i += 4 {
		fmt.Fprintf(&text, ".long %d\n", binary.LittleEndian.Uint32(code[i:]))
	}
	result, found := asm.Assemble(&diag.Source{Name: "words", Text: text.Bytes()}, asm.Options{Target: tgt})
	if found.HasErrors() {
		t.Fatal(found)
	}
	return result.Object
}

// reportDifference reports the first instructions that did not round-trip.
func reportDifference(t *testing.T, cpu string, snippets [][]byte, got []byte, text string) {
	at := 0
	for _, s := range snippets {
		if !bytes.HasPrefix(got[min(at, len(got)):], s) {
			line := text[:max(0, strings.Index(text, fmt.Sprintf("// %012X:", at)))]
			t.Errorf("%s: % x at %#x: %s: assembled as % x", cpu, s, at, line[strings.LastIndex(line, "\n")+1:], got[min(at, len(got)):min(at+len(s), len(got))])
			return
		}
		at += len(s)
	}
	t.Errorf("%s: %d bytes, assembled %d", cpu, at, len(got))
}
