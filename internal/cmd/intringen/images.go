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
		if words := strings.Split(r.name, "."); r.kind == "image" && prefix+r.name != last && imageKinds[words[1]] != nil {
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

// imageKind describes the intrinsics with the same first word of the name.
type imageKind struct {
	load    bool // unused components of the result can be left out
	sampler bool
	half    bool // the result or data may be f16
}

var imageKinds = map[string]*imageKind{
	"atomic":     {},
	"gather4":    {sampler: true, half: true},
	"getlod":     {load: true, sampler: true},
	"getresinfo": {load: true},
	"load":       {load: true, half: true},
	"msaa":       {half: true},
	"sample":     {load: true, sampler: true, half: true},
	"store":      {half: true},
}

// addressArgs returns the first gradient, the first coordinate and the argument
// after the last one. Without gradients, the first two are equal. All
// coordinates have the type of the last but one overloaded type, or the one
// before with a sampler.
func addressArgs(s *signature, k *imageKind, bias bool) (gradient, coord, end int) {
	over := len(s.over) - 2
	if k.sampler {
		over--
	}
	of := func(n int) (list []int) {
		for i, p := range s.params {
			if first, _, _ := strings.Cut(p, " "); first == fmt.Sprintf("$%d", n) {
				list = append(list, i)
			}
		}
		return list
	}
	coords := of(over)
	coord, end = coords[0], coords[len(coords)-1]+1
	first := 1 // the type of the result or of the data is the first one
	if k.sampler && s.result == "void" {
		first = 0
	}
	if over > first && !bias {
		return of(over - 1)[0], coord, end
	}
	return coord, coord, end
}

// writeCombine writes the row of an intrinsic whose name consists of words.
func (t *table) writeCombine(b *bytes.Buffer, name string, words []string) {
	kind, sig := imageKinds[words[1]], t.sigs[name]
	bias := slices.Contains(words[2:], "b")
	gradient, coord, end := addressArgs(&sig, kind, bias)
	offset := 1
	if words[1] == "store" {
		offset = 2
	}
	biasArg := 0
	if bias {
		biasArg = offset
		if slices.Contains(words[2:], "o") {
			biasArg++
		}
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
			arg = offset
		case "extraBias":
			arg = biasArg
		}
		other := slices.Clone(words)
		if other[at] = x.instead; x.instead == "" {
			other = slices.Delete(other, at, at+1)
		}
		if to := strings.Join(other, "."); t.sigs[to].params != nil {
			fmt.Fprintf(&extras, "{%s, %d, %s},", x.kind, arg, constName(to))
		}
	}
	fmt.Fprintf(b, "\t{id: %s, gradient: %d, coord: %d, end: %d", constName(name), gradient, coord, end)
	for _, f := range [...]struct {
		name string
		on   bool
	}{{"load", kind.load && sig.result != "void"}, {"store", words[1] == "store"}, {"sampler", kind.sampler}, {"half", kind.half && (words[1] == "store" || sig.result != "void")}} {
		if f.on {
			fmt.Fprintf(b, ", %s: true", f.name)
		}
	}
	if bias {
		fmt.Fprintf(b, ", bias: %d", biasArg)
	}
	if extras.Len() > 0 {
		fmt.Fprintf(b, ", extras: []imageExtra{%s}", extras.Bytes())
	}
	b.WriteString("},\n")
}
