package compile

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/gfx-toolchain/gfx/internal/lazy"
)

// The compile cache is a folder of results by the SHA-256 of all that they depend on: the compiler, the options, the inputs. A file
// appears under its name when it is complete, so that several programs can share the folder.

// cacheMagic begins the files of the cache; it changes with their format.
const cacheMagic = "gfxcache1\n"

// cacheKey gives the name of a result in the cache.
func cacheKey(inputs []Input, o *Options) string {
	h := sha256.New()
	text := func(s string) {
		var n [8]byte
		binary.LittleEndian.PutUint64(n[:], uint64(len(s)))
		h.Write(n[:])
		io.WriteString(h, s)
	}
	text(cacheMagic)
	text(compilerIdentity.Get())
	text(fmt.Sprintf("%q %q %q %d %d %d", o.Triple, o.CPU, o.Features, o.COV, o.Level, o.Format))
	text(libraryIdentity(o.DeviceLibs))
	for i := range inputs {
		text(filepath.Base(inputs[i].Name))
		text(string(inputs[i].Data))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// compilerIdentity tells one compiler from another: the version of the sources it was built from and, as that may not tell
// everything, the program's own file.
var compilerIdentity = lazy.Value[string]{Make: func() string {
	var id strings.Builder
	if info, ok := debug.ReadBuildInfo(); ok {
		fmt.Fprintln(&id, info.Main.Version, info.GoVersion)
		for _, s := range info.Settings {
			if strings.HasPrefix(s.Key, "vcs.") {
				fmt.Fprintln(&id, s.Key, s.Value)
			}
		}
	}
	if path, err := os.Executable(); err == nil {
		if f, err := os.Stat(path); err == nil {
			fmt.Fprintln(&id, path, f.Size(), f.ModTime().UnixNano())
		}
	}
	return id.String()
}}

// libraryIdentity tells whether the files of a folder of libraries are the same ones.
func libraryIdentity(dir string) string {
	if dir == "" {
		return ""
	}
	var id strings.Builder
	fmt.Fprintln(&id, dir)
	files, _ := os.ReadDir(dir)
	for _, f := range files {
		if info, err := f.Info(); err == nil {
			fmt.Fprintln(&id, f.Name(), info.Size(), info.ModTime().UnixNano())
		}
	}
	return id.String()
}

// cacheable reports whether a compilation has no other effects than its result.
func (o *Options) cacheable() bool {
	return o.Cache != "" && o.StopAfter == "" && len(o.PrintAfter) == 0 && !o.Verify
}

// cachePath gives the file of a key, in a folder of its first byte.
func cachePath(dir, key string) string { return filepath.Join(dir, key[:2], key) }

// cached gives a result from the cache, nil when there is none, or none that can be read.
func cached(dir, key string) *Result {
	path := cachePath(dir, key)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	rest, ok := strings.CutPrefix(string(data), cacheMagic)
	if !ok || len(rest) < 8+sha256.Size {
		return nil
	}
	n := binary.LittleEndian.Uint64([]byte(rest))
	sum, body := rest[8:8+sha256.Size], rest[8+sha256.Size:]
	if got := sha256.Sum256([]byte(body)); string(got[:]) != sum || n > uint64(len(body)) {
		return nil
	}
	r := &Result{Data: []byte(body[n:]), Report: new(Report), Cached: true}
	if json.Unmarshal([]byte(body[:n]), r.Report) != nil {
		return nil
	}
	now := time.Now()
	_ = os.Chtimes(path, now, now) // for those who clear what is not used; a cache that cannot be written is no mistake
	return r
}

// store puts a result into the cache.
func store(dir, key string, r *Result) error {
	report, err := json.Marshal(r.Report)
	if err != nil {
		return err
	}
	body := append(report, r.Data...)
	sum := sha256.Sum256(body)
	out := binary.LittleEndian.AppendUint64([]byte(cacheMagic), uint64(len(report)))
	out = append(append(out, sum[:]...), body...)
	path := cachePath(dir, key)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+key[:8]+"-*.tmp")
	if err != nil {
		return err
	}
	_, err = f.Write(out)
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
