package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func newVersionCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  noArguments,
		RunE: run1(func(cmd *cobra.Command, _ string) error {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), "gfx", version())
			return err
		}),
	}
}

// version returns the module's version and the revision that the build recorded,
// the version of Go, and the system.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return fmt.Sprintf("%s %s %s/%s", buildVersion(info), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// buildVersion returns the version and the revision of a build, such as
// "v1.2.0 (revision 0123456789ab, modified)".
func buildVersion(info *debug.BuildInfo) string {
	version, revision, modified := info.Main.Version, "", ""
	if version == "" {
		version = "(devel)"
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value[:min(len(s.Value), revisionDigits)]
		case s.Key == "vcs.modified" && s.Value == "true":
			modified = ", modified"
		}
	}
	if revision == "" {
		return version
	}
	return fmt.Sprintf("%s (revision %s%s)", version, revision, modified)
}

// revisionDigits is the number of digits shown of a revision.
const revisionDigits = 12
