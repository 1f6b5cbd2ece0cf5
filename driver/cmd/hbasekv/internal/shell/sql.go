package shell

import (
	"context"
	"database/sql"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/hbasekv/hbasekv/driver"
	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/cli"
)

// Command is the state of the sql command.
type Command struct {
	dsn      string
	execute  []string
	Format   string
	Timing   bool
	local    bool // LOAD DATA LOCAL reads the user's files
	Out, Err io.Writer
	// page, if set, returns where a result is written to, and a function to end it.
	page func() (io.Writer, func() error)
}

func NewCommand() *cobra.Command {
	c := &Command{}
	cmd := &cobra.Command{
		Use:   "sql [DSN] [FILE]",
		Short: "Run SQL statements from -e, a file or standard input",
		Long: `Run SQL statements from -e, a file or standard input, in one session, until one fails.

Values that are not printable text are shown as 0x.. and NULL as NULL. On a
terminal, without statements, it is a shell: \? there says what it knows.`,
		Args: cli.WithUsage(cobra.MaximumNArgs(2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			c.Out, c.Err = cmd.OutOrStdout(), cmd.ErrOrStderr()
			return c.run(cmd.Context(), cmd.Root().Context(), cmd.InOrStdin(), args)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&c.dsn, "dsn", "", "the data source name, instead of the first argument")
	flags.StringArrayVarP(&c.execute, "execute", "e", nil, "statements to run; may be given several times")
	flags.StringVar(&c.Format, "format", "", "table, vertical, tsv, csv or json (default: table on a terminal, else tsv)")
	flags.BoolVar(&c.local, "local-infile", true, "LOAD DATA LOCAL INFILE reads files, as whoever runs the command may")
	return cmd
}

// run gets two contexts: an interrupt ends ctx, but not base, because the shell
// continues after it.
func (c *Command) run(ctx, base context.Context, in io.Reader, args []string) error {
	dsn, files, err := cli.TakeDSN(c.dsn, args)
	if err != nil {
		return err
	}
	if len(files) > 1 || len(files) == 1 && len(c.execute) > 0 {
		return fmt.Errorf("statements come from -e or from one file, not also from %q", files[len(files)-1])
	}
	if err := c.chooseFormat(); err != nil {
		return err
	}
	db, err := c.open(dsn)
	if err != nil {
		return err
	}
	defer db.Close()
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if len(c.execute)+len(files) == 0 && cli.Terminal(in) && cli.Terminal(c.Out) {
		err = newShell(c, db, conn).run(base)
	} else {
		err = c.runInput(ctx, conn, in, files)
	}
	if closeErr := closeAll(conn, db); err == nil {
		err = closeErr
	}
	return err
}

// open opens the store. The user owns the statements, and the files that LOCAL names.
func (c *Command) open(dsn string) (*sql.DB, error) {
	if strings.HasPrefix(dsn, cli.ServerScheme) {
		cfg, err := cli.ServerConfig(dsn)
		if err != nil {
			return nil, err
		}
		cfg.AllowAllFiles = cfg.AllowAllFiles || c.local
		return cli.OpenServer(cfg)
	}
	return cli.OpenStore(dsn, func(cfg *driver.Config) { cfg.AllowAllFiles = cfg.AllowAllFiles || c.local })
}

// closeAll returns the error of what could not be written when the store was closed.
func closeAll(conn *sql.Conn, db *sql.DB) error {
	if err := conn.Close(); err != nil {
		return err
	}
	return db.Close()
}

func (c *Command) chooseFormat() error {
	if c.Format == "" {
		c.Format = "tsv"
		if cli.Terminal(c.Out) {
			c.Format, c.Timing = "table", true
		}
	}
	if formats[c.Format] == nil {
		names := slices.Sorted(maps.Keys(formats))
		return fmt.Errorf("--format %q: the formats are %s", c.Format, strings.Join(names, ", "))
	}
	return nil
}

func (c *Command) runInput(ctx context.Context, conn *sql.Conn, in io.Reader, files []string) error {
	switch {
	case len(c.execute) > 0:
		for _, script := range c.execute {
			if err := c.Script(ctx, conn, script); err != nil {
				return err
			}
		}
		return nil
	case len(files) == 1 && files[0] != "-":
		f, err := os.Open(files[0])
		if err != nil {
			return err
		}
		defer f.Close()
		return c.Stream(ctx, conn, f)
	}
	return c.Stream(ctx, conn, in)
}

// Stream runs statements while reading them, until one fails; the error names it.
func (c *Command) Stream(ctx context.Context, conn *sql.Conn, in io.Reader) error {
	script := newScriptReader(in)
	for i := 1; ; i++ {
		s, err := script.next()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = c.statement(ctx, conn, s.Text)
		} else if s.Text == "" {
			return err
		}
		if err != nil {
			return fmt.Errorf("statement %d (line %d): %w", i, s.Line, err)
		}
	}
}

// Script runs statements until one fails; the error names it.
func (c *Command) Script(ctx context.Context, conn *sql.Conn, text string) error {
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

// statement runs one statement and prints its result set or, in the formats for
// people, its outcome.
func (c *Command) statement(ctx context.Context, conn *sql.Conn, text string) error {
	start := time.Now()
	if writes(text) {
		n, info, err := execute(ctx, conn, text)
		if err != nil {
			return err
		}
		if info != "" {
			info = "\n" + info
		}
		return c.done(conn, fmt.Sprintf("OK, %s affected%s%s", cli.Plural(int(n), "row"), c.elapsed(start), info))
	}
	shown, wipe, bar := ctx, func() {}, &readBar{out: c.Err}
	if cli.Terminal(c.Err) {
		shown, wipe = withMoveBar(bar.within(ctx), c.Err)
	}
	defer bar.wipe()
	rows, err := conn.QueryContext(shown, text)
	wipe()
	if err != nil {
		return err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	if len(columns) > 0 {
		return c.printResult(conn, rows, start, bar)
	}
	rows.Next() // nothing to read, but perhaps an error
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return err
	}
	return c.done(conn, "OK"+c.elapsed(start))
}

// execute runs a statement on the driver's own connection: info is the further
// information of its result.
func execute(ctx context.Context, conn *sql.Conn, text string) (affected int64, info string, err error) {
	err = conn.Raw(func(own any) error {
		result, err := own.(sqldriver.ExecerContext).ExecContext(ctx, text, nil)
		if err != nil {
			return err
		}
		if more, ok := result.(interface{ Info() string }); ok {
			info = more.Info()
		}
		affected, err = result.RowsAffected()
		return err
	})
	return affected, info, err
}

// printResult prints a result set, through the pager if there is one, in place
// of the bar.
func (c *Command) printResult(conn *sql.Conn, rows *sql.Rows, start time.Time, bar *readBar) error {
	out, done := c.Out, func() error { return nil }
	if c.page != nil {
		out, done = c.page()
	}
	out = bar.before(out)
	n, err := printRows(out, c.Format, rows)
	if err == nil && c.wordy() {
		_, err = fmt.Fprintf(out, "%s%s\n", cli.Plural(n, "row"), c.elapsed(start))
	}
	if err == nil {
		err = c.warn(conn, out)
	}
	return errors.Join(err, done())
}

// wordy reports whether the output is for a person.
func (c *Command) wordy() bool { return c.Format == "table" || c.Format == "vertical" }

// writes reports whether the statement affects rows and returns none.
func writes(text string) bool {
	word := text
	if end := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) }); end >= 0 {
		word = text[:end]
	}
	return slices.Contains([]string{"insert", "replace", "update", "delete", "load"}, strings.ToLower(word))
}

// done says how a statement without a result set ended, with its warnings.
func (c *Command) done(conn *sql.Conn, outcome string) error {
	if c.wordy() {
		fmt.Fprintln(c.Out, outcome)
	}
	return c.warn(conn, c.Out)
}

// warn prints the last statement's warnings: for a person all of them, to out, after the
// result; for a program those that are not notes, to standard error.
func (c *Command) warn(conn *sql.Conn, out io.Writer) error {
	warnings, all, err := lastWarnings(conn)
	if err != nil {
		return err
	}
	if !c.wordy() {
		out = c.Err
		warnings = slices.DeleteFunc(warnings, func(w driver.Warning) bool { return w.Level == "Note" })
		all = len(warnings)
	}
	printWarnings(out, warnings)
	if more := all - len(warnings); more > 0 {
		fmt.Fprintf(out, "%s more: SET max_error_count = %d to see all\n", cli.Plural(more, "warning"), all)
	}
	if c.wordy() {
		_, err = fmt.Fprintln(out)
	}
	return err
}

// printWarnings prints a line for each warning, and one line for several equal ones. They
// contain bytes of values; those on which a terminal would act are not shown.
func printWarnings(out io.Writer, warnings []driver.Warning) {
	for len(warnings) > 0 {
		w, n := warnings[0], 1
		for n < len(warnings) && warnings[n] == w {
			n++
		}
		fmt.Fprintf(out, "%s %d: %s", w.Level, w.Code, strings.Map(visible, w.Message))
		if n > 1 {
			fmt.Fprintf(out, " (%d times)", n)
		}
		fmt.Fprintln(out)
		warnings = warnings[n:]
	}
}

func visible(r rune) rune {
	if unicode.IsPrint(r) {
		return r
	}
	return '\uFFFD'
}

// lastWarnings reads the driver's own connection, because a statement would make the
// session forget FOUND_ROWS and ROW_COUNT of the last one.
func lastWarnings(conn *sql.Conn) (kept []driver.Warning, all int, err error) {
	own := false
	err = conn.Raw(func(raw any) error {
		var warned warner
		if warned, own = raw.(warner); own {
			kept, all = warned.Warnings()
		}
		return nil
	})
	if own || err != nil {
		return kept, all, err
	}
	kept, err = serverWarnings(conn)
	return kept, len(kept), err
}

// warner is a connection of the driver.
type warner interface {
	Warnings() (kept []driver.Warning, all int)
}

// serverWarnings are the warnings of a server's session.
func serverWarnings(conn *sql.Conn) (kept []driver.Warning, err error) {
	rows, err := conn.QueryContext(context.Background(), "SHOW WARNINGS")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var w driver.Warning
		if err := rows.Scan(&w.Level, &w.Code, &w.Message); err != nil {
			return nil, err
		}
		kept = append(kept, w)
	}
	return kept, rows.Err()
}

func (c *Command) elapsed(start time.Time) string {
	if !c.Timing {
		return ""
	}
	return fmt.Sprintf(" in %v", time.Since(start).Round(10*time.Microsecond))
}
