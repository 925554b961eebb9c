package main

import (
	"bytes"
	"fmt"
	"go/format"
	"slices"
	"strings"

	"github.com/gfx-toolchain/gfx/ir"
)

// An image intrinsic has its data if it stores, the mask of components, an
// offset, a bias, a compared value, gradients, coordinates and a level of detail
// or a mip level, then the resource, and the sampler with a flag, and two
// constants.

// imageExtra is an argument without which an image intrinsic has another name.
type imageExtra struct {
	word, instead string // in the names
	kind          string // the name of an opt.imageExtraKind
}

var imageExtras = []imageExtra{
	{"l", "lz", "extraLevel"},
	{"mip", "", "extraMip"},
	{"o", "", "extraOffset"},
	{"b", "", "extraBias"},
}

// imageCombines writes the arguments of image intrinsics that instcombine
// simplifies.
func (t *table) imageCombines() ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(mark + "\npackage opt\n\nimport \"github.com/gfx-toolchain/gfx/ir\"\n\n// imageRows describes image intrinsics, in the order of their numbers.\nvar imageRows = [...]imageRow{\n")
	last := prefix
	for _, r := range t.rows {
		if words := strings.Split(r.name, "."); r.kind == "image" && prefix+r.name != last && (words[1] == "load" || words[1] == "sample" || words[1] == "store") {
			t.writeCombine(&b, r.name, words)
			if last != prefix && ir.LookupIntrinsic(prefix+r.name) < ir.LookupIntrinsic(last) {
				return nil, fmt.Errorf("%s is after %s", r.name, last)
			}
			last = prefix + r.name
		}
	}
	b.WriteString("}\n")
	return format.Source(b.Bytes())
}

// writeCombine writes the row of an intrinsic whose name consists of words.
func (t *table) writeCombine(b *bytes.Buffer, name string, words []string) {
	mask, end := 0, len(t.sigs[name].params)-3
	switch words[1] {
	case "store":
		mask = 1
	case "sample":
		end -= 2
	}
	var extras bytes.Buffer
	for _, x := range imageExtras {
		at := slices.Index(words, x.word)
		if at < 2 {
			continue
		}
		arg := end - 1
		switch x.kind {
		case "extraOffset":
			arg = mask + 1
		case "extraBias":
			arg = mask + 1
			if slices.Contains(words[2:], "o") {
				arg++
			}
		}
		other := slices.Clone(words)
		if other[at] = x.instead; x.instead == "" {
			other = slices.Delete(other, at, at+1)
		}
		if to := strings.Join(other, "."); t.sigs[to].params != nil {
			fmt.Fprintf(&extras, "{%s, %d, %s},", x.kind, arg, constName(to))
		}
	}
	fmt.Fprintf(b, "\t{id: %s, load: %v", constName(name), words[1] != "store")
	if extras.Len() > 0 {
		fmt.Fprintf(b, ", extras: []imageExtra{%s}", extras.Bytes())
	}
	b.WriteString("},\n")
}
