package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/link"
)

func sorted(list []string) []string {
	slices.Sort(list)
	return list
}

// inputs finds the files, and reads standard input.
func (c *linkCommand) inputs(cmd *cobra.Command) ([]link.Input, error) {
	inputs := make([]link.Input, len(c.files))
	var found link.Errors
	for i, f := range c.files {
		in := link.Input{Name: f.name, WholeArchive: f.whole}
		var err error
		switch {
		case f.lib:
			in.Name, err = c.findLibrary(f.name)
		case f.name == "-":
			src, err2 := readInput(cmd, f.name)
			in.Name, in.Data, err = src.Name, append([]byte{}, src.Text...), err2
		}
		if err != nil {
			found = append(found, err)
		}
		inputs[i] = in
	}
	if found != nil {
		return nil, found
	}
	return inputs, nil
}

// linkErrors converts the errors of a link to diagnostics.
func linkErrors(errs link.Errors) (found diag.List) {
	for _, err := range errs {
		var path *fs.PathError
		if errors.As(err, &path) {
			err = fileError(path.Path, err)
		}
		found = append(found, diag.Diagnostic{Message: err.Error()})
	}
	return found
}

// findLibrary returns the file of -l NAME in the first folder that has it:
// libNAME.a, or FILE for :FILE.
func (c *linkCommand) findLibrary(name string) (string, error) {
	file := "lib" + name + ".a"
	if exact, ok := strings.CutPrefix(name, ":"); ok {
		file = exact
	}
	for _, folder := range c.folders {
		path := filepath.Join(folder, file)
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			return path, nil
		}
	}
	return "", fmt.Errorf("-l %s: no %s in the folders of -L (%s)", name, file, strings.Join(c.folders, ", "))
}

// maxResponses is the maximum nesting depth of response files.
const maxResponses = 20

// expandResponses replaces each @file with the words of the response file.
func expandResponses(args []string) ([]string, error) {
	for range maxResponses {
		out, found := make([]string, 0, len(args)), false
		for _, arg := range args {
			name, ok := strings.CutPrefix(arg, "@")
			if !ok || name == "" {
				out = append(out, arg)
				continue
			}
			text, err := os.ReadFile(name)
			if err != nil {
				return nil, fileError(arg, err)
			}
			words, err := splitWords(string(text))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", arg, err)
			}
			out, found = append(out, words...), true
		}
		if args = out; !found {
			return args, nil
		}
	}
	return nil, fmt.Errorf("response files are nested more than %d deep", maxResponses)
}

// whiteSpace separates the words of a response file.
const whiteSpace = " \t\r\n"

// splitWords splits the text of a response file at white space. Quotes hold
// words together, and a backslash escapes the next character.
func splitWords(text string) (words []string, err error) {
	if !strings.ContainsAny(text, `\'"`) {
		return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(whiteSpace, r) }), nil
	}
	var word strings.Builder
	inWord, quote := false, byte(0)
	for i := 0; i < len(text); i++ {
		ch := text[i]
		switch {
		case ch == '\\' && quote != '\'' && i+1 < len(text):
			i++
			word.WriteByte(text[i])
			inWord = true
		case quote != 0 && ch == quote:
			quote = 0
		case quote == 0 && (ch == '"' || ch == '\''):
			quote, inWord = ch, true
		case quote == 0 && strings.IndexByte(whiteSpace, ch) >= 0:
			if inWord {
				words = append(words, word.String())
				word.Reset()
				inWord = false
			}
		default:
			word.WriteByte(ch)
			inWord = true
		}
	}
	if quote != 0 {
		return nil, errors.New("unterminated quote")
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, nil
}
