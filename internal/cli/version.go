package cli

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func (p *program) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "print the version", Args: noArgs,
		Run: func(*cobra.Command, []string) { p.out.text(version() + "\n") },
	}
}

// version is the line for this program.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return versionLine(info)
}

// versionLine says what was built from what, with what.
func versionLine(info *debug.BuildInfo) string {
	set := map[string]string{}
	for _, s := range info.Settings {
		set[s.Key] = s.Value
	}
	line := "daruma " + cmp.Or(info.Main.Version, "(devel)")
	if commit := set["vcs.revision"]; commit != "" {
		line += " (commit " + commit[:min(12, len(commit))]
		if set["vcs.modified"] == "true" {
			line += ", with changes"
		}
		line += ")"
	}
	return line + fmt.Sprintf(" %s %s/%s", runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
