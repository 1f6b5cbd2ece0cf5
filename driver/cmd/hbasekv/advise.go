package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/advise"
	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/cli"
)

// adviseCommand is the state of the advise command.
type adviseCommand struct {
	queries string
	sample  int
	years   float64
}

func newAdvise() *cobra.Command {
	c := &adviseCommand{}
	cmd := &cobra.Command{
		Use:   "advise DSN TABLE",
		Short: "Judge a table's row keys and partitions, and propose statements",
		Long: `Judge a table's row keys and partitions by a sample of its rows, and propose statements.

Of a table group it proposes a typed table that is mapped onto its families, by a
sample of their cells: which qualifiers are columns, and how values are bytes.

The layouts that are compared are made for a trial in memory, with the rows of
the sample, so that the figures are of the placement that a table would have.
The queries of --queries are explained there: statements that end with
semicolons, or one a line. Nothing is changed; the proposed statements are the
lines that are indented by four spaces, to be copied.`,
		Args: cli.WithUsage(cobra.ExactArgs(2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if c.sample < 1 {
				return errors.New("--sample: at least one row is needed")
			}
			return c.run(cmd.Context(), cmd.OutOrStdout(), args[0], args[1])
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&c.queries, "queries", "", "a file with the statements that use the table")
	flags.IntVar(&c.sample, "sample", advise.DefaultSample, "the most rows to read")
	flags.Float64Var(&c.years, "years", advise.DefaultYears, "how far ahead to count partitions")
	return cmd
}

func (c *adviseCommand) run(ctx context.Context, out io.Writer, dsn, name string) error {
	queries, err := readQueries(c.queries)
	if err != nil {
		return err
	}
	db, err := cli.OpenReadOnly(dsn)
	if err != nil {
		return err
	}
	defer db.Close()
	if report, ok, err := advise.Mapping(ctx, db, name); ok || err != nil {
		_, writing := io.WriteString(out, report)
		return errors.Join(err, writing)
	}
	a, err := advise.Table(ctx, db, name, advise.Options{Queries: queries, Sample: c.sample, Years: c.years})
	if err != nil {
		return err
	}
	_, err = io.WriteString(out, a.Report())
	return err
}

// readQueries parses the statements of a file.
func readQueries(path string) ([]string, error) {
	if path == "" {
		return nil, nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	queries, err := advise.ParseQueries(string(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return queries, nil
}
