package link

import (
	"bytes"
	"errors"

	"github.com/gfx-toolchain/gfx/internal/ar"
)

// What files begin with.
const (
	elfMagic    = "\x7fELF"
	bitcode     = "BC\xc0\xde"
	bitcodeWrap = "\xde\xc0\x17\x0b"
)

// members gives the members of an archive that may be linked.
func (r *inputReader) members(in *Input, data []byte) ([]file, error) {
	list, err := ar.Members(data)
	var bad *ar.Error
	if errors.As(err, &bad) {
		return nil, &FormatError{in.Name, uint64(bad.Offset), bad.Message}
	}
	files := r.files.take(len(list))[:0]
	for _, m := range list {
		if bytes.HasPrefix(m.Data, []byte(elfMagic)) || in.WholeArchive {
			files = append(files, file{name: in.Name + "(" + m.Name + ")", data: m.Data, lazy: !in.WholeArchive})
		}
	}
	return files, nil
}
