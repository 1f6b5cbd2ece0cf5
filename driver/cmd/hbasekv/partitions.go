package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/advise"
	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/cli"
)

func newPartitions() *cobra.Command {
	exact := false
	cmd := &cobra.Command{
		Use:   "partitions DSN TABLE...",
		Short: "Draw how much each partition of a table holds, and say how uneven that is",
		Long: `Draw how much each partition of a table, or of a table group, holds, and say how uneven that is.

The store must not be open in another process. There, SHOW PARTITIONS FROM table tells
the same, and what is read and written in each partition besides.`,
		Args: cli.WithUsage(cobra.MinimumNArgs(2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return partitions(cmd.Context(), cmd.OutOrStdout(), args[0], args[1:], exact)
		},
	}
	cmd.Flags().BoolVar(&exact, "exact", false, "count all cells instead of estimating large partitions")
	return cmd
}

func partitions(ctx context.Context, out io.Writer, dsn string, tables []string, exact bool) error {
	db, err := cli.OpenReadOnly(dsn)
	if err != nil {
		return err
	}
	defer db.Close()
	db.SetMaxOpenConns(1) // the variable is the session's
	if exact {
		if _, err := db.ExecContext(ctx, "SET hbasekv_exact_statistics = 1"); err != nil {
			return err
		}
	}
	for i, name := range tables {
		if i > 0 {
			fmt.Fprintln(out)
		}
		parts, err := readPartitions(ctx, db, name)
		if err != nil {
			return err
		}
		drawPartitions(out, name, parts)
	}
	return db.Close()
}

// shownPartition is a line of SHOW PARTITIONS.
type shownPartition struct {
	name, bound   sql.NullString
	rows, bytes   int64
	first, last   []byte
	reads, writes sql.NullInt64
	share         sql.NullFloat64
	comment       string
}

func readPartitions(ctx context.Context, db *sql.DB, name string) (out []shownPartition, err error) {
	rows, err := db.QueryContext(ctx, "SHOW PARTITIONS FROM "+cli.QuoteName(name))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var p shownPartition
		if err := rows.Scan(&p.name, &p.bound, &p.rows, &p.bytes, &p.first, &p.last, &p.reads, &p.writes, &p.share, &p.comment); err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, rows.Err()
}

// barWidth is the length of the longest bar, in characters.
const barWidth = 32

// drawPartitions prints a line with a bar for each partition, scaled to the
// largest one, and a summary of their sizes.
func drawPartitions(out io.Writer, name string, parts []shownPartition) {
	var sizes []int64
	var rows, total, largest int64
	about := ""
	for _, p := range parts {
		sizes = append(sizes, p.bytes)
		rows, total, largest = rows+p.rows, total+p.bytes, max(largest, p.bytes)
		if p.comment != "" {
			about = "about "
		}
	}
	fmt.Fprintf(out, "%s: %s, %s%s rows, %s\n", name, cli.Plural(len(parts), "partition"), about, humanize.Comma(rows), humanize.IBytes(uint64(total)))
	t := table.NewWriter()
	style := table.StyleDefault
	style.Options = table.OptionsNoBordersAndSeparators
	style.Format.Header = text.FormatDefault
	style.Box.PaddingLeft, style.Box.PaddingRight = "", "  "
	t.SetStyle(style)
	t.SetColumnConfigs([]table.ColumnConfig{{Number: 2, Align: text.AlignRight}, {Number: 3, Align: text.AlignRight}, {Number: 7, Align: text.AlignRight}})
	t.AppendHeader(table.Row{"partition", "rows", "bytes", "below", "first key", "last key", "of mean", ""})
	for _, p := range parts {
		t.AppendRow(table.Row{p.name.String, humanize.Comma(p.rows), humanize.IBytes(uint64(p.bytes)), short(p.bound.String),
			key(p.first), key(p.last), fmt.Sprintf("%.2f", p.share.Float64), bar(p.bytes, largest)})
	}
	for line := range strings.Lines(t.Render()) {
		fmt.Fprintln(out, strings.TrimRight(line, " \n"))
	}
	if s := advise.NewSkew(sizes); len(sizes) > 1 && total > 0 {
		fmt.Fprintf(out, "%s; %s holds %.0f %%\n", s, parts[s.Largest].name.String, 100*float64(largest)/float64(total))
	}
}

// bar is proportional to the size, relative to the largest one; a size above 0
// has a visible bar.
func bar(size, largest int64) string {
	if size <= 0 {
		return ""
	}
	eighths := max(int(8*barWidth*float64(size)/float64(largest)+0.5), 1)
	return strings.Repeat("█", eighths/8) + []string{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"}[eighths%8]
}

// key is a row key for display.
func key(row []byte) string {
	if row == nil {
		return ""
	}
	quoted := strconv.QuoteToASCII(string(row))
	return short("'" + quoted[1:len(quoted)-1] + "'")
}

// short is a text, truncated if it is long.
func short(s string) string {
	const most = 24
	if len(s) <= most {
		return s
	}
	return s[:most-2] + ".."
}
