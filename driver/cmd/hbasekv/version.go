package main

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version and what it was built with",
		Args:  withUsage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			version, revision, goVersion := buildInfo()
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "hbasekv %s%s %s\n", version, revision, goVersion)
			return err
		},
	}
}

func buildInfo() (version, revision, goVersion string) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(unknown)", "", "(unknown)"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			revision = " " + s.Value
		}
	}
	return info.Main.Version, revision, info.GoVersion
}
