package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/hbasekv/hbasekv/driver"
	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/cli"
)

func newBackup() *cobra.Command {
	return &cobra.Command{
		Use:   "backup DSN DIR",
		Short: "Copy a store that no process has open",
		Long: `Copy a store that no process has open to a directory that is missing or empty.

The copy is a store: to restore it, open it. On one file system it shares the
table files, which are never written again, with the store, by hard links. A store that a process
has open is copied from there, by the statement BACKUP TO 'dir'.`,
		Args: cli.WithUsage(cobra.ExactArgs(2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return backup(cmd.Context(), cmd.OutOrStdout(), args[0], args[1])
		},
	}
}

func backup(ctx context.Context, out io.Writer, dsn, dir string) error {
	db, err := cli.OpenReadOnly(dsn)
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := db.ExecContext(ctx, "BACKUP TO ?", dir); err != nil {
		return err
	}
	fmt.Fprintf(out, "backed up to %s\n", filepath.Clean(dir))
	return db.Close()
}

// checkCommand is the state of the check command.
type checkCommand struct {
	quick, extended bool
	out, err        io.Writer
	progress        bool
	told            time.Time
}

var errCheckFailed = errors.New("the check failed")

func newCheck() *cobra.Command {
	c := &checkCommand{}
	cmd := &cobra.Command{
		Use:   "check DSN [TABLE...]",
		Short: "Look for damage in a store that no process has open",
		Long: `Look for damage in a store that no process has open: in the given tables, or in all of it.

The checksum of every block is read, and every cell is taken apart. The exit
code is 0 where all is well and 1 where anything is damaged or could not be checked.`,
		Args: cli.WithUsage(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			c.out, c.err = cmd.OutOrStdout(), cmd.ErrOrStderr()
			c.progress = c.err == os.Stderr && term.IsTerminal(int(os.Stderr.Fd()))
			return c.run(cmd.Context(), args[0], args[1:])
		},
	}
	cmd.Flags().BoolVar(&c.quick, "quick", false, "read the checksums of the blocks only")
	cmd.Flags().BoolVar(&c.extended, "extended", false, "also read backwards, and look up every row")
	cmd.MarkFlagsMutuallyExclusive("quick", "extended")
	return cmd
}

func (c *checkCommand) run(ctx context.Context, dsn string, tables []string) error {
	db, err := cli.OpenReadOnly(dsn)
	if err != nil {
		return err
	}
	defer db.Close()
	if c.progress {
		ctx = driver.WithCheckProgress(ctx, c.tell)
	}
	rows, err := db.QueryContext(ctx, c.statement(tables))
	if c.progress {
		fmt.Fprint(c.err, "\r\x1b[K")
	}
	if err != nil {
		return err
	}
	defer rows.Close()
	return c.print(rows)
}

func (c *checkCommand) statement(tables []string) string {
	text := "CHECK STORE"
	if len(tables) > 0 {
		quoted := make([]string, len(tables))
		for i, t := range tables {
			quoted[i] = cli.QuoteName(t)
		}
		text = "CHECK TABLE " + strings.Join(quoted, ", ")
	}
	switch {
	case c.quick:
		text += " QUICK"
	case c.extended:
		text += " EXTENDED"
	}
	return text
}

// print prints the results, one per line.
func (c *checkCommand) print(rows *sql.Rows) error {
	bad := false
	for rows.Next() {
		var table, op, kind, text string
		if err := rows.Scan(&table, &op, &kind, &text); err != nil {
			return err
		}
		bad = bad || kind != "note" && text != "OK"
		fmt.Fprintf(c.out, "%s: %s\n", table, text)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	if bad {
		return errCheckFailed
	}
	return nil
}

// tell shows the progress from time to time.
func (c *checkCommand) tell(p driver.CheckProgress) {
	if time.Since(c.told) < 100*time.Millisecond {
		return
	}
	c.told = time.Now()
	fmt.Fprintf(c.err, "\r\x1b[K%s: %d of %d files, %s cells", p.Table, p.Files, p.AllFiles, humanize.Comma(p.Cells))
}
