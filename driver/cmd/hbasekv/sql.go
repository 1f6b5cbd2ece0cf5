package main

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/hbasekv/hbasekv/driver"
)

// sqlCommand is the state of the sql command.
type sqlCommand struct {
	dsn      string
	execute  []string
	format   string
	timing   bool
	out, err io.Writer
}

func newSQL() *cobra.Command {
	c := &sqlCommand{}
	cmd := &cobra.Command{
		Use:   "sql [DSN] [FILE]",
		Short: "Run SQL statements from -e, a file or standard input",
		Long: `Run SQL statements from -e, a file or standard input, in one session, until one fails.

Values that are not printable text are shown as 0x.. and NULL as NULL.`,
		Args: cobra.MaximumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			c.out, c.err = cmd.OutOrStdout(), cmd.ErrOrStderr()
			return c.run(cmd.Context(), cmd.InOrStdin(), args)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&c.dsn, "dsn", "", "the data source name, instead of the first argument")
	flags.StringArrayVarP(&c.execute, "execute", "e", nil, "statements to run; may be given several times")
	flags.StringVar(&c.format, "format", "", "table, tsv, csv or json (default: table on a terminal, else tsv)")
	return cmd
}

// takeDSN moves the first argument into dsn where no flag has set it.
func takeDSN(dsn string, args []string) (string, []string, error) {
	switch {
	case dsn != "":
		return dsn, args, nil
	case len(args) == 0:
		return "", nil, errors.New("no data source name: give one as the first argument or with --dsn, such as ./data or :memory:")
	}
	return args[0], args[1:], nil
}

func (c *sqlCommand) run(ctx context.Context, in io.Reader, args []string) error {
	dsn, files, err := takeDSN(c.dsn, args)
	if err != nil {
		return err
	}
	if len(files) > 1 || len(files) == 1 && len(c.execute) > 0 {
		return fmt.Errorf("statements come from -e or from one file, not also from %q", files[len(files)-1])
	}
	if err := c.chooseFormat(); err != nil {
		return err
	}
	db, err := sql.Open(driver.Name, dsn)
	if err != nil {
		return err
	}
	defer db.Close()
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	err = c.runInput(ctx, conn, in, files)
	if closeErr := closeAll(conn, db); err == nil {
		err = closeErr
	}
	return err
}

// closeAll reports what could not be written when the store was closed.
func closeAll(conn *sql.Conn, db *sql.DB) error {
	if err := conn.Close(); err != nil {
		return err
	}
	return db.Close()
}

func (c *sqlCommand) chooseFormat() error {
	if c.format == "" {
		c.format = "tsv"
		if terminal(c.out) {
			c.format, c.timing = "table", true
		}
	}
	if formats[c.format] == nil {
		names := slices.Sorted(maps.Keys(formats))
		return fmt.Errorf("--format %q: the formats are %s", c.format, strings.Join(names, ", "))
	}
	return nil
}

func terminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

func (c *sqlCommand) runInput(ctx context.Context, conn *sql.Conn, in io.Reader, files []string) error {
	switch {
	case len(c.execute) > 0:
		for _, script := range c.execute {
			if err := c.script(ctx, conn, script); err != nil {
				return err
			}
		}
		return nil
	case len(files) == 1 && files[0] != "-":
		script, err := os.ReadFile(files[0])
		if err != nil {
			return err
		}
		return c.script(ctx, conn, string(script))
	case terminal(in):
		return c.interactive(ctx, conn, in)
	}
	script, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	return c.script(ctx, conn, string(script))
}

// interactive runs what is typed, line by line, up to each semicolon. An error
// does not end it.
func (c *sqlCommand) interactive(ctx context.Context, conn *sql.Conn, in io.Reader) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 64<<20)
	pending := ""
	for c.prompt(pending); lines.Scan(); c.prompt(pending) {
		pending += lines.Text() + "\n"
		if !strings.HasSuffix(strings.TrimSpace(pending), ";") {
			continue
		}
		err := c.script(ctx, conn, pending)
		pending = ""
		if err != nil {
			fmt.Fprintln(c.err, err)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	return c.script(ctx, conn, pending)
}

func (c *sqlCommand) prompt(pending string) {
	if strings.TrimSpace(pending) == "" {
		fmt.Fprint(c.err, "hbasekv> ")
		return
	}
	fmt.Fprint(c.err, "      -> ")
}

// script runs statements until one fails; the error names it.
func (c *sqlCommand) script(ctx context.Context, conn *sql.Conn, text string) error {
	statements, err := driver.SplitScript(text)
	if err != nil {
		return err
	}
	for i, s := range statements {
		if err := c.statement(ctx, conn, s.Text); err != nil {
			return fmt.Errorf("statement %d (line %d): %w", i+1, s.Line, err)
		}
	}
	return nil
}

// statement runs one statement and prints its result set or, in a table's
// company, how many rows it affected.
func (c *sqlCommand) statement(ctx context.Context, conn *sql.Conn, text string) error {
	start := time.Now()
	rows, err := conn.QueryContext(ctx, text)
	if err != nil {
		return err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	if len(columns) == 0 {
		rows.Next() // nothing to read, but perhaps an error
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			return err
		}
		return c.affected(ctx, conn, start)
	}
	n, err := printRows(c.out, c.format, rows)
	if err == nil && c.format == "table" {
		_, err = fmt.Fprintf(c.out, "%s%s\n\n", plural(n, "row"), c.elapsed(start))
	}
	return err
}

func (c *sqlCommand) affected(ctx context.Context, conn *sql.Conn, start time.Time) error {
	if c.format != "table" {
		return nil
	}
	took := c.elapsed(start)
	var n int
	if err := conn.QueryRowContext(ctx, "SELECT ROW_COUNT()").Scan(&n); err != nil {
		return err
	}
	_, err := fmt.Fprintf(c.out, "OK, %s affected%s\n\n", plural(max(n, 0), "row"), took)
	return err
}

func (c *sqlCommand) elapsed(start time.Time) string {
	if !c.timing {
		return ""
	}
	return fmt.Sprintf(" in %v", time.Since(start).Round(10*time.Microsecond))
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return humanize.Comma(int64(n)) + " " + noun + "s"
}
