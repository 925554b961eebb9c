package main

import (
	"runtime/debug"
	"testing"
)

func TestBuildVersion(t *testing.T) {
	revision := debug.BuildSetting{Key: "vcs.revision", Value: "0123456789abcdef0123456789abcdef01234567"}
	for _, c := range []struct {
		version  string
		settings []debug.BuildSetting
		want     string
	}{
		{"", nil, "(devel)"},
		{"v1.2.0", nil, "v1.2.0"},
		{"v1.2.0", []debug.BuildSetting{revision, {Key: "vcs.modified", Value: "false"}}, "v1.2.0 (revision 0123456789ab)"},
		{"(devel)", []debug.BuildSetting{{Key: "vcs.modified", Value: "true"}, revision}, "(devel) (revision 0123456789ab, modified)"},
		{"(devel)", []debug.BuildSetting{{Key: "vcs.revision", Value: "12"}}, "(devel) (revision 12)"},
	} {
		info := &debug.BuildInfo{Main: debug.Module{Version: c.version}, Settings: c.settings}
		if got := buildVersion(info); got != c.want {
			t.Errorf("%s %v: got %q, want %q", c.version, c.settings, got, c.want)
		}
	}
}
