package asm

import (
	"bytes"
	"strconv"

	"github.com/gfx-toolchain/gfx/target"
)

// SourceTarget returns the target that a source specifies before its first
// instruction: the target ID of .amdgcn_target, and the code object version of
// .amdhsa_code_object_version or .hsa_code_object_version. The version defaults
// to cov. Compilers and the disassembler begin their texts this way.
//
// ok is false if the source has no .amdgcn_target with a valid ID. The source
// is not checked otherwise.
func SourceTarget(text []byte, cov int) (id target.ID, version int, ok bool) {
	var name string
	version = cov
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 || bytes.HasPrefix(line, []byte("//")) || line[0] == ';' || line[0] == '#' {
			continue
		}
		directive, rest, _ := bytes.Cut(line, []byte{' '})
		if before, after, tab := bytes.Cut(line, []byte{'\t'}); tab && len(before) < len(directive) {
			directive, rest = before, after
		}
		value, _, _ := bytes.Cut(bytes.TrimSpace(rest), []byte{','})
		switch string(directive) {
		case ".amdgcn_target":
			name = string(bytes.Trim(value, `"`))
		case ".amdhsa_code_object_version", ".hsa_code_object_version":
			if v, err := strconv.Atoi(string(value)); err == nil {
				version = v
			}
		}
		if directive[0] != '.' || name != "" && version != cov {
			break
		}
	}
	id, err := target.ParseID(name, version)
	return id, version, err == nil
}
