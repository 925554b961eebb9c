package inspect

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/internal/lazy"
)

// notes reads the notes and the metadata in them.
func (b *builder) notes() {
	notes, err := b.o.Notes()
	if err != nil {
		b.unreadable(badNotes, err)
	}
	isPAL := b.head.Triple.OS.String() == "amdpal" // its documents are not kernel metadata
	var mdErr error
	if !isPAL {
		b.meta, mdErr = b.o.Metadata()
	}
	plain := false
	b.r.Notes = make([]Note, 0, len(notes))
	for i := range notes {
		n := &notes[i]
		if b.brief && !plain && b.plainDocument(n) {
			plain = true // the first such note has the metadata
			continue
		}
		out := Note{Owner: n.Owner, Type: n.TypeName(), Offset: n.Off, Size: len(n.Desc)}
		if err := describe(n, &out); err != nil {
			b.addf(badNotes, "", fileOffset(n.Off), "%s: %v", out.Type, err)
		}
		if out.Text == "" {
			out.Text = hex.EncodeToString(n.Desc)
		}
		b.r.Notes = append(b.r.Notes, out)
	}
	if isPAL {
		return
	}
	if mdErr != nil {
		b.unreadable(badMetadata, mdErr)
	}
	if b.v2, err = b.o.MetadataV2(); err != nil {
		b.unreadable(badMetadata, err)
	}
}

// plainDocument reports whether a note has the kernel metadata, and describe
// would find no errors in it: only binary data has no text, and the
// specification has none.
func (b *builder) plainDocument(n *codeobject.Note) bool {
	if b.meta == nil || !n.Is(codeobject.NoteOwner, codeobject.NT_AMDGPU_METADATA) || len(b.meta.Unknown) > 0 {
		return false
	}
	for i := range b.meta.Kernels {
		k := &b.meta.Kernels[i]
		if len(k.Unknown) > 0 || slices.ContainsFunc(k.Args, func(a codeobject.KernelArg) bool { return len(a.Unknown) > 0 }) {
			return false
		}
	}
	return true
}

// unreadable adds a finding for an error that may have a location in the file.
func (b *builder) unreadable(c *check, err error) {
	var fe *codeobject.FormatError
	var te *codeobject.TextError
	switch {
	case errors.As(err, &fe):
		b.addf(c, "", fileOffset(fe.Offset), "%s", fe.Problem)
	case errors.As(err, &te):
		b.addf(c, "", fmt.Sprintf("line %d, column %d of the metadata", te.Line, te.Column), "%s", te.Problem)
	default:
		b.addf(c, "", "", "%v", err)
	}
}

// noteKind is an owner and a type of notes.
type noteKind struct {
	owner string
	typ   codeobject.NoteType
}

const gnuBuildID = 3 // of the owner GNU

// describers return the text of a note's description. The readers of metadata
// report unreadable metadata again, with the location.
var describers = lazy.Value[map[noteKind]func(n *codeobject.Note, out *Note) error]{Make: func() map[noteKind]func(n *codeobject.Note, out *Note) error {
	return map[noteKind]func(n *codeobject.Note, out *Note) error{
		{codeobject.NoteOwnerV2, codeobject.NT_AMD_HSA_CODE_OBJECT_VERSION}: func(n *codeobject.Note, out *Note) error {
			v, err := codeobject.ReadCodeObjectVersion(n.Desc)
			out.Text = fmt.Sprintf("%d.%d", v.Major, v.Minor)
			return err
		},
		{codeobject.NoteOwnerV2, codeobject.NT_AMD_HSA_HSAIL}: func(n *codeobject.Note, out *Note) error {
			h, err := codeobject.ReadHSAIL(n.Desc)
			out.Text = fmt.Sprintf("HSAIL %d.%d, profile %d, machine model %d, rounding %d", h.Major, h.Minor, h.Profile, h.MachineModel, h.FloatRound)
			return err
		},
		{codeobject.NoteOwnerV2, codeobject.NT_AMD_HSA_ISA_VERSION}: func(n *codeobject.Note, out *Note) error {
			v, err := codeobject.ReadISAVersion(n.Desc)
			out.Text = v.String()
			return err
		},
		{codeobject.NoteOwnerV2, codeobject.NT_AMD_HSA_METADATA}: describeText,
		{codeobject.NoteOwnerV2, codeobject.NT_AMD_HSA_ISA_NAME}: describeText,
		{codeobject.NoteOwnerV2, codeobject.NT_AMD_PAL_METADATA}: func(n *codeobject.Note, out *Note) error {
			list, err := codeobject.ReadPALRegisters(n.Desc)
			for _, r := range list {
				name := codeobject.PALRegisterName(uint64(r.Register))
				out.Text += fmt.Sprintf("0x%x%s: 0x%x\n", r.Register, parenthesized(name), r.Value)
			}
			return err
		},
		{codeobject.NoteOwner, codeobject.NT_AMDGPU_METADATA}: describeDocument,
	}
}}

func parenthesized(s string) string {
	if s == "" {
		return ""
	}
	return " (" + s + ")"
}

func describe(n *codeobject.Note, out *Note) error {
	if f := describers.Get()[noteKind{n.Owner, n.Type}]; f != nil {
		return f(n, out)
	}
	if n.Owner == "GNU" && n.Type == gnuBuildID {
		out.Type = "NT_GNU_BUILD_ID"
	}
	return nil
}

func describeText(n *codeobject.Note, out *Note) error {
	out.Text = n.NoteText()
	return nil
}

// describeDocument shows a MessagePack document as YAML.
func describeDocument(n *codeobject.Note, out *Note) error {
	doc, err := codeobject.ReadMsgpack(n.Desc)
	if err != nil {
		return nil // builder.notes reports it, with its location
	}
	out.Document = appendJSON(nil, &doc)
	var text []byte
	if doc.Get("amdpal.pipelines") != nil {
		text, err = codeobject.AppendPALYAML(nil, &doc)
	} else {
		text, err = doc.AppendYAML(nil, codeobject.YAMLOptions{})
	}
	out.Text = string(text)
	return err
}

// appendJSON appends a document as JSON. Keys become strings, binary data
// becomes hexadecimal, and numbers that JSON does not have become strings.
func appendJSON(dst []byte, n *codeobject.Node) []byte {
	switch n.Kind {
	case codeobject.NodeMap:
		dst = append(dst, '{')
		for i := range n.Len() {
			if i > 0 {
				dst = append(dst, ',')
			}
			key, value := n.Pair(i)
			dst = append(appendString(dst, scalarText(key)), ':')
			dst = appendJSON(dst, value)
		}
		return append(dst, '}')
	case codeobject.NodeArray:
		dst = append(dst, '[')
		for i := range n.Items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendJSON(dst, &n.Items[i])
		}
		return append(dst, ']')
	case codeobject.NodeString, codeobject.NodeBinary:
		return appendString(dst, scalarText(n))
	case codeobject.NodeFloat:
		if f := n.Float(); math.IsNaN(f) || math.IsInf(f, 0) {
			return appendString(dst, scalarText(n))
		}
	}
	return append(dst, scalarText(n)...)
}

func appendString(dst []byte, s string) []byte {
	text, err := json.Marshal(s)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return append(dst, text...)
}

// scalarText returns a scalar as text.
func scalarText(n *codeobject.Node) string {
	switch n.Kind {
	case codeobject.NodeString:
		return n.Str
	case codeobject.NodeBinary:
		return hex.EncodeToString([]byte(n.Str))
	case codeobject.NodeBool:
		return strconv.FormatBool(n.Bool())
	case codeobject.NodeFloat:
		return strconv.FormatFloat(n.Float(), 'g', -1, 64)
	case codeobject.NodeNil:
		return "null"
	}
	if v, ok := n.Uint(); ok {
		return strconv.FormatUint(v, 10)
	}
	v, _ := n.Int()
	return strconv.FormatInt(v, 10)
}
