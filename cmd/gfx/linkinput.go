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

	"github.com/gfx-toolchain/gfx/internal/diag"
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

// linkErrors makes the list of what is wrong with a link.
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

// findLibrary gives the file of -l: libNAME.a, or NAME itself behind a colon, in
// the first of the folders that has it.
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

// maxResponses bounds the depth of response files that name others.
const maxResponses = 20

// expandResponses puts the words of a response file in place of each @file.
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
	return nil, fmt.Errorf("response files name each other more than %d deep", maxResponses)
}

// whiteSpace separates the words of a response file.
const whiteSpace = " \t\r\n"

// splitWords splits text at white space, as a response file is read: quotes hold
// words together, a backslash takes the next character as it is.
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
		return nil, errors.New("a quote without its end")
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, nil
}
