package asm

import (
	"github.com/gfx-toolchain/gfx/internal/asmmatch"
	"github.com/gfx-toolchain/gfx/internal/lazy"
)

// words maps a word of the source to an instruction's name or a modifier, with
// hash tables with open addressing.
type words struct {
	names *asmmatch.Names

	modSlots [modSlots]uint8 // 1 + index of mods
	mods     []modRow
	no       [modSlots]bool // the slot's name has the prefix "no"
}

const modSlots = 1 << 9

// allWords holds the tables, which are built once.
var allWords = lazy.Value[*words]{Make: func() *words {
	w := &words{names: asmmatch.NewNames(), mods: modRows()}
	for i := range w.mods {
		w.addModifier(i, w.mods[i].name, false)
		if w.mods[i].no {
			w.addModifier(i, "no"+w.mods[i].name, true)
		}
	}
	return w
}}

func (w *words) addModifier(row int, text string, no bool) {
	i := asmmatch.Hash(text) % modSlots
	for w.modSlots[i] != 0 {
		i = (i + 1) % modSlots
	}
	w.modSlots[i] = uint8(row + 1)
	w.no[i] = no
}

// modifier returns the modifier of a name, nil if it does not exist.
func (w *words) modifier(name []byte) *modRow {
	for i := asmmatch.Hash(name) % modSlots; w.modSlots[i] != 0; i = (i + 1) % modSlots {
		r := &w.mods[w.modSlots[i]-1]
		plain := name
		if w.no[i] {
			if len(name) < 2 || name[0] != 'n' || name[1] != 'o' {
				continue
			}
			plain = name[2:]
		}
		if string(plain) == r.name {
			return r
		}
	}
	return nil
}

// suffixes lists the suffixes. A longer suffix precedes its own endings.
var suffixes = [...]struct {
	text string
	enc  asmmatch.Encoding
	name string // LLVM's name of the variant
}{
	{"_e64_dpp", asmmatch.Enc64DPP, "e64_dpp"},
	{"_e64", asmmatch.Enc64, "e64"},
	{"_e32", asmmatch.Enc32, "e32"},
	{"_dpp", asmmatch.EncDPP, "dpp"},
	{"_sdwa", asmmatch.EncSDWA, "sdwa"},
}

// cutSuffix removes the suffix of a mnemonic and returns the encoding that it
// selects.
func cutSuffix(name []byte) ([]byte, asmmatch.Encoding) {
	n := len(name)
	if n < 5 {
		return name, asmmatch.EncAny
	}
	switch name[n-1] | 0x20 {
	case '2', '4', 'p', 'a':
	default:
		return name, asmmatch.EncAny
	}
	if name[n-4] != '_' && name[n-5] != '_' {
		return name, asmmatch.EncAny
	}
	for i := range suffixes {
		s := &suffixes[i]
		if k := n - len(s.text); k > 0 && asmmatch.EqualFold(name[k:], s.text) {
			return name[:k], s.enc
		}
	}
	return name, asmmatch.EncAny
}

// variantName returns LLVM's name of the variant that a suffix selects.
func variantName(e asmmatch.Encoding) string {
	for i := range suffixes {
		if suffixes[i].enc == e {
			return suffixes[i].name
		}
	}
	return ""
}
