package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/cli"
)

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version and what it was built with",
		Args:  cli.WithUsage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			version, revision, goVersion := cli.BuildInfo()
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "hbasekv %s%s %s\n", version, revision, goVersion)
			return err
		},
	}
}
