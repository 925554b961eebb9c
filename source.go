package gfx

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/ir/bitcode"
	"github.com/gfx-toolchain/gfx/target"
)

// Source is an input: LLVM IR, MLIR, assembler text or an object.
type Source struct {
	// Name names the source in messages.
	Name string
	// Data is the contents; nil to read the file Name. The caller must not modify
	// it before the function returns that takes the Source.
	Data []byte
}

// load returns the contents. The error is an *fs.PathError.
func (s Source) load() ([]byte, error) {
	if s.Data != nil {
		return s.Data, nil
	}
	return os.ReadFile(s.Name)
}

// Language is the language of a Source.
type Language uint8

const (
	// LanguageAuto takes bitcode by its first bytes and other sources by the
	// extension of their names: .ll for LLVM IR, .mlir for MLIR, .s for assembler
	// text. Without either, a text whose first word begins a definition of LLVM IR is LLVM IR, and
	// any other text is assembler text.
	LanguageAuto     Language = iota
	LanguageIR                // LLVM IR, text of LLVM 6 to 22 or bitcode of LLVM 3.7 to 22
	LanguageAssembly          // assembler text as LLVM's assembler takes it
	LanguageMLIR              // MLIR; of a text with gpu.modules only these
)

// languageOf returns the language of a source, never LanguageAuto.
func languageOf(l Language, name string, data []byte) Language {
	ext := strings.ToLower(filepath.Ext(name))
	switch {
	case l != LanguageAuto:
		return l
	case bitcode.IsBitcode(data), ext == ".ll":
		return LanguageIR
	case ext == ".mlir":
		return LanguageMLIR
	case ext != ".s" && beginsIR(data):
		return LanguageIR
	}
	return LanguageAssembly
}

// irWords are the words that LLVM IR begins with, besides names with a sigil.
var irWords = []string{"attributes", "declare", "define", "module", "source_filename", "target", "uselistorder"}

// beginsIR reports whether the first word of a text that is not in a comment begins
// a definition of LLVM IR.
func beginsIR(text []byte) bool {
	for line := range bytes.Lines(text) {
		line, _, _ = bytes.Cut(line, []byte(";"))
		fields := bytes.Fields(line)
		if len(fields) == 0 {
			continue
		}
		word := string(fields[0])
		return strings.ContainsRune("@%!$", rune(word[0])) || slices.Contains(irWords, word)
	}
	return false
}

// splitTarget returns the triple and the processor with settings of a target; the
// triple is "" unless the target is a whole target ID.
func splitTarget(text string) (triple, processor string) {
	if triple, processor, ok := strings.Cut(text, "--"); ok {
		return triple, processor
	}
	return "", text
}

// parseTarget returns the target with a code object version, 0 for the newest.
// The error is a *TargetError or is about the version.
func parseTarget(text, features string, version int) (*target.Target, error) {
	if text == "" {
		return nil, &TargetError{"", "none is named", nil}
	}
	triple, processor := splitTarget(text)
	t, err := target.New(triple, processor, features)
	if err != nil {
		return nil, publicError(err, text)
	}
	t.COV, err = codeObjectVersion(version)
	return t, err
}

// diagSource returns a source for the packages below.
func diagSource(name string, data []byte) *diag.Source {
	if name == "" {
		name = "<input>"
	}
	return &diag.Source{Name: name, Text: data}
}
