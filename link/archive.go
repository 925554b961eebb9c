package link

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/gfx-toolchain/gfx/internal/ar"
)

// Magic strings at the start of files.
const (
	elfMagic    = "\x7fELF"
	bitcode     = "BC\xc0\xde"
	bitcodeWrap = "\xde\xc0\x17\x0b"
)

// members returns the linkable members of an archive.
func (r *inputReader) members(in *Input, data []byte) ([]file, error) {
	list, err := ar.Members(data)
	var bad *ar.Error
	if errors.As(err, &bad) {
		return nil, &FormatError{in.Name, uint64(bad.Offset), bad.Message}
	}
	files := r.files.takeEntries(len(list))[:0]
	for i := range list {
		m := &list[i]
		if m.Thin {
			if m.Data, err = r.thinMember(in, m); err != nil {
				return nil, err
			}
		}
		if bytes.HasPrefix(m.Data, []byte(elfMagic)) || in.WholeArchive {
			files = append(files, file{name: in.Name + "(" + m.Name + ")", data: m.Data, lazy: !in.WholeArchive})
		}
	}
	return files, nil
}

// thinMember reads the file of a thin archive's member. Its name is relative to
// the archive's directory.
func (r *inputReader) thinMember(in *Input, m *ar.Member) ([]byte, error) {
	if in.Data != nil {
		return nil, &FormatError{in.Name, m.Offset, fmt.Sprintf("member %s of a thin archive is a file beside it, which is found only when the archive is read from a file", m.Name)}
	}
	name := filepath.FromSlash(m.Name)
	if !filepath.IsAbs(name) {
		name = filepath.Join(filepath.Dir(in.Name), name)
	}
	return r.read(name)
}
