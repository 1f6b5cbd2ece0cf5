package transfer

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/go-sql-driver/mysql"
	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"github.com/hbasekv/hbasekv/driver"
	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/cli"
	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/export"
	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/target"
)

// copyCommand is the state of the copy command.
type copyCommand struct {
	versions string
	asOf     int64
	isAsOf   bool
	parallel int
	state    string
	verify   bool
	progress string
	out, err io.Writer
}

const copyLong = `Copy a table or a table group from one store to another: from HBase into a
directory, from a directory into HBase, or between two of a kind. SRC and DST are
data source names.

All versions are copied; --versions or --as-of choose others. A table that DST
does not have is made as it is in SRC, without the partitions where DST cannot have
them. Cells are put: one that DST has with the same K, Q and T is written over.

The rows of each partition are copied in parts, several partitions at once. Each
part is one bulk load of DST; into HBase it is batches of puts. A copy that stops
keeps a file, TABLE.copy or what --state says: the same command goes on from there.

At the end the cells of DST are read again, counted and compared with those that
were copied, by a digest. SRC should rest meanwhile: each partition is read as it is
at one moment, and those of HBase at several.`

func NewCommand() *cobra.Command {
	c := &copyCommand{}
	noVerify := false
	cmd := &cobra.Command{
		Use:   "copy SRC DST TABLE|GROUP",
		Short: "Copy a table or a table group from one store to another",
		Long:  copyLong,
		Args:  cli.WithUsage(cobra.ExactArgs(3)),
		RunE: func(cmd *cobra.Command, args []string) error {
			c.out, c.err = cmd.OutOrStdout(), cmd.ErrOrStderr()
			c.isAsOf, c.verify = cmd.Flags().Changed("as-of"), !noVerify
			return c.run(cmd.Context(), args[0], args[1], args[2])
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&c.versions, "versions", "", "all, latest or the number of newest versions of each cell (default: all)")
	flags.Int64Var(&c.asOf, "as-of", 0, "of each cell the version that was the newest at this T")
	flags.IntVar(&c.parallel, "parallel", max(2, runtime.GOMAXPROCS(0)), "the number of partitions to copy concurrently")
	flags.StringVar(&c.state, "state", "", "the file that says how far the copy is (default: TABLE.copy)")
	flags.BoolVar(&noVerify, "no-verify", false, "do not read DST again at the end")
	flags.StringVar(&c.progress, "progress", "auto", "bar, none, or auto: a bar on a terminal")
	cmd.MarkFlagsMutuallyExclusive("versions", "as-of")
	return cmd
}

// copier is a running copy.
type copier struct {
	*copyCommand
	from, to *sql.DB
	state    *copyState
	bar      *progressbar.ProgressBar // nil for none
	copied   atomic.Int64             // in this run
}

func (c *copyCommand) run(ctx context.Context, src, dst, name string) error {
	show, err := cli.WantsBar(c.progress, c.err)
	switch {
	case err != nil:
		return err
	case !export.VersionsFlag.MatchString(c.versions):
		return fmt.Errorf("--versions %q: all, latest or a number is needed", c.versions)
	case c.parallel < 1:
		return fmt.Errorf("--parallel %d: at least one is needed", c.parallel)
	case src == dst:
		return fmt.Errorf("%s is the source and the destination: a table cannot be copied onto itself", src)
	}
	run := &copier{copyCommand: c}
	if run.from, err = cli.OpenReadOnly(src, func(cfg *driver.Config) { cfg.ParseTime = false }); err != nil {
		return err
	}
	defer run.from.Close()
	if run.to, err = openForCopy(dst); err != nil {
		return err
	}
	defer run.to.Close()
	found, err := target.Find(ctx, run.from, name)
	if err != nil {
		return err
	}
	if len(found.Tables) == 0 {
		return fmt.Errorf("the table group %s has no tables", name)
	}
	_, own, _ := cli.SplitName(name)
	if run.state, err = openCopyState(c.state, own, &copyState{From: src, To: dst, Name: name, View: c.view()}); err != nil {
		return err
	}
	if err := run.prepare(ctx, found, show); err != nil {
		return err
	}
	return errors.Join(run.work(ctx, found), run.to.Close())
}

// openForCopy opens the destination. If only rows are atomic there, the rows of a
// part are written one by one.
func openForCopy(dsn string) (*sql.DB, error) {
	cfg, err := driver.ParseDSN(dsn)
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(dsn, "hbase://") {
		if cfg.StoreParams == nil {
			cfg.StoreParams = map[string]string{}
		}
		cfg.StoreParams["multiRow"] = "apply"
	}
	connector, err := driver.NewConnector(cfg)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(connector), nil
}

// view is what follows a source's table in FROM.
func (c *copyCommand) view() string {
	switch {
	case c.isAsOf:
		return " FOR SYSTEM_TIME AS OF " + strconv.FormatInt(c.asOf, 10)
	case c.versions == "" || c.versions == "all":
		return " FOR SYSTEM_TIME ALL"
	}
	return " VERSIONS " + c.versions
}

// hint and suffix select the view in a SELECT.
func (c *copyCommand) hint() (hint, suffix string) {
	view := c.view()
	if n, ok := strings.CutPrefix(view, " VERSIONS "); ok {
		return "/*+ VERSIONS(" + strings.Replace(n, "latest", "1", 1) + ") */ ", ""
	}
	return "", view
}

// prepare creates missing tables, and divides the work unless an earlier run has
// done so.
func (c *copier) prepare(ctx context.Context, found *target.Target, show bool) error {
	for _, table := range found.Tables {
		if err := c.create(ctx, table); err != nil {
			return err
		}
		if c.state.resumed {
			continue
		}
		parts, err := partsOf(ctx, c.from, table)
		if err != nil {
			return err
		}
		c.state.Parts = append(c.state.Parts, parts...)
	}
	if !show {
		return nil
	}
	total, err := export.EstimateCells(ctx, c.from, found)
	c.bar = progressbar.NewOptions64(total, progressbar.OptionSetWriter(c.err), progressbar.OptionShowCount(), progressbar.OptionShowIts(),
		progressbar.OptionSetItsString("cell"), progressbar.OptionSetDescription("copying"), progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish())
	return err
}

// create creates a table in the destination, unless it has one of that name.
func (c *copier) create(ctx context.Context, table string) error {
	_, own, _ := cli.SplitName(table)
	_, err := c.to.ExecContext(ctx, "SELECT K FROM "+cli.QuoteName(own)+" LIMIT 0")
	if number(err) != 1146 {
		return err
	}
	var name, text string
	if err := c.from.QueryRowContext(ctx, "SHOW CREATE TABLE "+cli.QuoteName(table)).Scan(&name, &text); err != nil {
		return err
	}
	_, err = c.to.ExecContext(ctx, text)
	if plain, _, ok := strings.Cut(text, "PARTITION BY"); ok && number(err) == 1235 {
		_, err = c.to.ExecContext(ctx, strings.TrimSuffix(strings.TrimSpace(plain), "/*!50100"))
	}
	if err != nil {
		return fmt.Errorf("%s cannot be made in the destination: %w", own, err)
	}
	return nil
}

func number(err error) uint16 {
	var e *mysql.MySQLError
	if errors.As(err, &e) {
		return e.Number
	}
	return 0
}

// work copies and verifies, and reports what was done.
func (c *copier) work(ctx context.Context, found *target.Target) error {
	start := time.Now()
	err := c.state.each(c.parallel, func(p *copyPart) error { return c.copyPart(ctx, p) })
	took := time.Since(start)
	if c.bar != nil {
		_ = c.bar.Finish()
	}
	cells := c.copied.Load()
	if err != nil {
		return fmt.Errorf("the copy has stopped, %s and %d of %d parts are copied; the same command goes on from there: %w",
			cli.Plural(int(c.state.cells()), "cell"), c.state.done(), len(c.state.Parts), err)
	}
	if c.verify {
		for _, table := range found.Tables {
			if err := c.check(ctx, table); err != nil {
				return err
			}
		}
	}
	verified := map[bool]string{true: ", verified", false: ""}[c.verify]
	rate := humanize.Comma(int64(float64(cells) / max(took.Seconds(), 1e-9)))
	if _, err := fmt.Fprintf(c.out, "done: %s of %s, %v, %s cells/s%s\n", cli.Plural(int(c.state.cells()), "cell"), found.Name,
		took.Round(time.Millisecond), rate, verified); err != nil {
		return err
	}
	return c.state.remove()
}
