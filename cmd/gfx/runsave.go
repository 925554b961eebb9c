package main

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gfx-toolchain/gfx/internal/manifest"
)

// bufferSave is a buffer to write to a file after the run.
type bufferSave struct {
	buffer int
	file   string
}

// parseSaves parses BUFFER=FILE, and adds the files that images specify.
func parseSaves(list []string, m *manifest.Manifest) (saves []bufferSave, err error) {
	for _, text := range list {
		name, file, ok := strings.Cut(text, "=")
		if !ok || file == "" {
			return nil, usageErrorf("--save=%s: expected BUFFER=FILE", text)
		}
		s := bufferSave{file: file}
		if s.buffer, err = bufferNamed("save", text, name, m); err != nil {
			return nil, err
		}
		if manifest.IsPicture(file) && m.Buffers[s.buffer].Image == nil {
			return nil, usageErrorf("--save=%s: %s is a buffer, but only images are written as PNG files", text, name)
		}
		saves = append(saves, s)
	}
	for i := range m.Buffers {
		if img := m.Buffers[i].Image; img != nil && img.Save != "" {
			saves = append(saves, bufferSave{i, img.Save})
		}
	}
	return saves, nil
}

// saveBuffers writes the files, unless the run ended early.
func (o *runOutput) saveBuffers(cmd *cobra.Command) error {
	if o.result.Contents == nil {
		return nil
	}
	for _, s := range o.saves {
		b, data := &o.m.Buffers[s.buffer], o.result.Contents[s.buffer]
		err := writeOutput(cmd, s.file, func(w io.Writer) error {
			if b.Image != nil && manifest.IsPicture(s.file) {
				return b.WritePicture(w, data)
			}
			_, err := w.Write(data)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
