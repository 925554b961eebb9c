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
	"slices"
	"strings"
	"time"

	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir/linker"
)

// The compile cache is a folder of results, indexed by the SHA-256 of all that
// they depend on: the compiler, the options, the inputs. A file appears under
// its name when it is complete, so that several programs can share the folder.

// cacheMagic begins the files of the cache. It changes with their format.
const cacheMagic = "gfxcache1\n"

// cacheKey returns the name of a result in the cache.
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
	text(fmt.Sprintf("%q %q %q %d %d %d", o.Triple, o.CPU, o.Features, o.COV, min(o.Level, MaxLevel-1), o.Format))
	text(libraryIdentity(o.DeviceLibs))
	text(fmt.Sprintf("%+v", o.MLIR))
	for i := range inputs {
		text(fmt.Sprint(inputs[i].MLIR))
		text(filepath.Base(inputs[i].Name))
		text(string(inputs[i].Data))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// compilerIdentity identifies the compiler: by the version of its sources and,
// since that may be ambiguous, by the program's own file.
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

// libraryIdentity identifies the device libraries of a folder: names, sizes and
// times of the files in all folders that are searched for them.
func libraryIdentity(dir string) string {
	if dir == "" {
		return ""
	}
	var id strings.Builder
	for _, d := range linker.DeviceLibFolders(dir) {
		fmt.Fprintln(&id, d)
		files, _ := os.ReadDir(d)
		for _, f := range files {
			if info, err := os.Stat(filepath.Join(d, f.Name())); err == nil { // of the target of a link
				fmt.Fprintln(&id, f.Name(), info.Size(), info.ModTime().UnixNano())
			}
		}
	}
	return id.String()
}

// cacheable reports whether a compilation has no other effects than its result.
func (o *Options) cacheable() bool {
	return o.Cache != "" && o.StopAfter == "" && o.StartAfter == "" && len(o.PrintAfter) == 0 && !o.Verify
}

// cachePath returns the file of a key, in a folder named after its first byte.
func cachePath(dir, key string) string { return filepath.Join(dir, key[:2], key) }

// cached returns a result from the cache, or nil if it is missing or
// unreadable.
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
	_ = os.Chtimes(path, now, now) // marks the entry as used; a read-only cache is not an error
	return r
}

// store writes a result into the cache. A folder that is full, read-only or
// damaged is not an error of the compilation; the result is dropped.
func store(dir, key string, r *Result) {
	report, err := json.Marshal(r.Report)
	if err != nil {
		return
	}
	body := append(report, r.Data...)
	sum := sha256.Sum256(body)
	out := binary.LittleEndian.AppendUint64([]byte(cacheMagic), uint64(len(report)))
	out = append(append(out, sum[:]...), body...)
	path := cachePath(dir, key)
	if os.MkdirAll(filepath.Dir(path), 0o777) != nil {
		return
	}
	temp := filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s-%d-%d.tmp", key[:8], os.Getpid(), time.Now().UnixNano()))
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666) // permissions follow the umask, so that users can share the folder
	if err != nil {
		return
	}
	_, err = f.Write(out)
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		os.Remove(temp)
		return
	}
	trimCache(filepath.Dir(path))
}

// maxCacheFolder is the maximum size of each of the 256 folders of a cache, in
// bytes: 4 GiB in all. ccache's limit is 5 GB.
const maxCacheFolder = 16 << 20

// trimCache removes the least recently used results of a folder until the
// others fit the limit, and the partial files of killed compilations.
func trimCache(folder string) {
	files, _ := os.ReadDir(folder)
	var list []os.FileInfo
	total := int64(0)
	for _, f := range files {
		if info, err := f.Info(); err == nil && info.Mode().IsRegular() {
			list, total = append(list, info), total+info.Size()
		}
	}
	slices.SortFunc(list, func(a, b os.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, info := range list {
		old := strings.HasSuffix(info.Name(), ".tmp") && time.Since(info.ModTime()) > time.Hour
		if old || total > maxCacheFolder && info != list[len(list)-1] {
			if os.Remove(filepath.Join(folder, info.Name())) == nil {
				total -= info.Size()
			}
		}
	}
}
