package clrx

import (
	"bytes"
	"encoding/binary"

	"github.com/gfx-toolchain/gfx/catalyst"
)

// noteText is how a type of notes is written.
type noteText struct {
	name   string // pseudo-operation that begins the note
	entry  string // format of an entry
	words  int    // number of words in an entry, 0: bytes
	inline bool   // a single word follows the name
}

// noteTexts lists the types of notes with names.
var noteTexts = [...]noteText{
	catalyst.ProgInfo:          {"proginfo", ".entry 0x%08x, 0x%08x", 2, false},
	catalyst.Inputs:            {"inputs", ".int %d", 1, false},
	catalyst.Outputs:           {"outputs", "", 0, false},
	catalyst.CondOut:           {"condout", "", 0, true},
	catalyst.Float32Consts:     {"floatconsts", ".segment %d, %d", 2, false},
	catalyst.Int32Consts:       {"intconsts", ".segment %d, %d", 2, false},
	catalyst.Bool32Consts:      {"boolconsts", ".segment %d, %d", 2, false},
	catalyst.EarlyExit:         {"earlyexit", "", 0, true},
	catalyst.GlobalBuffers:     {"globalbuffers", "", 0, false},
	catalyst.ConstantBuffers:   {"constantbuffers", ".cbmask %d, %d", 2, false},
	catalyst.InputSamplers:     {"inputsamplers", ".sampler %d, 0x%x", 2, false},
	catalyst.PersistentBuffers: {"persistentbuffers", "", 0, false},
	catalyst.ScratchBuffers:    {"scratchbuffers", ".int 0x%08x", 1, false},
	catalyst.SubConstBuffers:   {"subconstantbuffers", "", 0, false},
	catalyst.UAVMailboxSize:    {"uavmailboxsize", "", 0, true},
	catalyst.UAV:               {"uav", ".entry %d, %d, %d, %d", 4, false},
	catalyst.UAVOpMask:         {"uavopmask", "", 0, false},
}

// notes appends the header, metadata and notes of a kernel.
func (t *binaryText) notes(k *catalyst.Kernel) {
	t.line("    .header")
	t.data(k.Header, "        ")
	t.line("    .metadata")
	for line := range bytes.Lines(k.Metadata) {
		t.line("        .ascii %s", quoted(string(line)))
	}
	for i := range k.Notes {
		t.note(&k.Notes[i])
	}
}

// note appends a note.
func (t *binaryText) note(n *catalyst.Note) {
	var how noteText
	if int64(n.Type) < int64(len(noteTexts)) {
		how = noteTexts[n.Type]
	}
	switch {
	case how.name == "":
		t.line("    .calnote %d", uint32(n.Type))
	case how.inline && len(n.Desc) == 4:
		t.line("    .%s %d", how.name, binary.LittleEndian.Uint32(n.Desc))
		return
	default:
		t.line("    .%s", how.name)
	}
	size := 4 * how.words
	if size == 0 || len(n.Desc)%size != 0 {
		t.data(n.Desc, "        ")
		return
	}
	for b := n.Desc; len(b) > 0; b = b[size:] {
		args := make([]any, how.words)
		for i := range args {
			args[i] = binary.LittleEndian.Uint32(b[4*i:])
		}
		t.line("        "+how.entry, args...)
	}
}
