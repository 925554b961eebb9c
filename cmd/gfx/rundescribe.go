package main

import (
	"bytes"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// runComment begins the comments of a source that specify the flags of gfx run.
const runComment = "gfx run:"

// describe sets the flags in the input's comments that the command line does
// not set.
func (c *runCommand) describe(cmd *cobra.Command, input string) error {
	if ext := strings.ToLower(filepath.Ext(input)); c.code != "" || ext != ".ll" && ext != ".s" && ext != ".mlir" {
		return nil
	}
	src, err := readInput(cmd, input)
	if err != nil {
		return err
	}
	given := map[string]bool{}
	cmd.Flags().Visit(func(f *pflag.Flag) { given[f.Name] = true })
	for line := range bytes.Lines(src.Text) {
		text, ok := bytes.CutPrefix(bytes.TrimLeft(line, ";/# \t"), []byte(runComment))
		if !ok || len(bytes.TrimLeft(line, " \t")) == len(text)+len(runComment) { // not a comment
			continue
		}
		for _, word := range shellWords(string(text)) {
			name, value, hasValue := strings.Cut(strings.TrimLeft(word, "-"), "=")
			if given[name] {
				continue
			}
			f := cmd.Flags().Lookup(name)
			if f == nil || !strings.HasPrefix(word, "-") {
				return usageErrorf("%s: %q in a comment \"%s\" is not a flag", src.Name, word, runComment)
			}
			if !hasValue {
				value = f.NoOptDefVal
			}
			if err := cmd.Flags().Set(name, value); err != nil {
				return usageErrorf("%s: a comment \"%s\": %v", src.Name, runComment, err)
			}
		}
	}
	return nil
}

// shellWords splits a text at spaces that are not in single quotes.
func shellWords(text string) (words []string) {
	quoted := false
	var word strings.Builder
	flush := func() {
		if word.Len() > 0 {
			words = append(words, word.String())
			word.Reset()
		}
	}
	for _, r := range text {
		switch {
		case r == '\'':
			quoted = !quoted
		case !quoted && (r == ' ' || r == '\t' || r == '\r' || r == '\n'):
			flush()
		default:
			word.WriteRune(r)
		}
	}
	flush()
	return words
}
