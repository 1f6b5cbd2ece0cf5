package export

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"github.com/hbasekv/hbasekv/driver"
	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/cli"
	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/fileformat"
	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/target"
)

// exportCommand is the state of the export command.
type exportCommand struct {
	dsn      string
	all      bool
	view     string
	format   string
	versions string
	asOf     int64
	isAsOf   bool
	negate   bool
	force    bool
	progress string
	out, err io.Writer
}

const exportLong = `Write a table, a table group, a view or the rows of a SELECT to a file, as one
snapshot. FILE's name says the format: .csv, .tsv, .jsonl, .parquet, .sql, .scan
(as hbase shell prints) or .txt; with .gz or .zst behind it, it is compressed. -
is standard output. The file has its name once all of it is written.

A table or a group is written as its cells, one row or line each, and all their
versions; --versions or --as-of choose others. All formats but scan, which has no
NULL, keep every byte: load reads the same cells again.

A view, also by --view, and a SELECT are written as rows, with their own columns,
which in Parquet have types. They see the latest versions unless they or
--versions say otherwise. What they select as K, Q, T and V load reads too.

sql is statements that make the table or the group again, and with --all the
whole store: databases, table groups, tables and views. hbasekv sql runs them.`

func NewCommand() *cobra.Command {
	c := &exportCommand{}
	cmd := &cobra.Command{
		Use:   "export [DSN] TABLE|GROUP|VIEW|'SELECT ...' FILE",
		Short: "Write cells or rows to a file",
		Long:  exportLong,
		Args:  cli.WithUsage(cobra.RangeArgs(1, 3)),
		RunE: func(cmd *cobra.Command, args []string) error {
			c.out, c.err = cmd.OutOrStdout(), cmd.ErrOrStderr()
			c.isAsOf = cmd.Flags().Changed("as-of")
			return c.run(cmd.Context(), args)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&c.dsn, "dsn", "", "the data source name, instead of the first argument")
	flags.BoolVar(&c.all, "all", false, "export the whole store, as SQL, without the argument TABLE")
	flags.StringVar(&c.view, "view", "", "export the rows of this view, without the argument TABLE")
	flags.StringVar(&c.format, "format", "",
		"csv, tsv, jsonl, text, parquet, scan or sql (default: by the file's name)")
	flags.StringVar(&c.versions, "versions", "",
		"all, latest or the number of newest versions of each cell (default: all)")
	flags.Int64Var(&c.asOf, "as-of", 0, "of each cell the version that was the newest at this T")
	flags.BoolVar(&c.negate, "negate-timestamps", false, "write -T for T, as OceanBase's client for HBase stores it")
	flags.BoolVar(&c.force, "force", false, "replace FILE if it exists")
	flags.StringVar(&c.progress, "progress", "auto", "bar, none, or auto: a bar on a terminal")
	cmd.MarkFlagsMutuallyExclusive("all", "view")
	cmd.MarkFlagsMutuallyExclusive("versions", "as-of")
	return cmd
}

var VersionsFlag = regexp.MustCompile(`^(all|latest|[1-9]\d*)?$`)

// settle takes the arguments, and checks them with the flags.
func (c *exportCommand) settle(args []string) (what, path string, format *fileformat.Format, err error) {
	if c.dsn, args, err = cli.TakeDSN(c.dsn, args); err != nil {
		return "", "", nil, err
	}
	if c.all || c.view != "" {
		args = append([]string{c.view}, args...)
	}
	if len(args) != 2 {
		return "", "", nil, errors.New("export needs a data source name, what to export (or --all or --view), and a file")
	}
	what, path = args[0], args[1]
	if format, err = fileformat.Named(c.format); err != nil {
		return "", "", nil, err
	}
	if format == nil {
		format = fileformat.OfName(path)
	}
	if format == nil && c.all {
		format = fileformat.SqlFile
	}
	switch {
	case format == nil:
		return "", "", nil, fmt.Errorf("%s: the format cannot be determined from the name: give it with --format", path)
	case format == fileformat.SequenceFile:
		return "", "", nil, errors.New("--format sequencefile: SequenceFiles are read, not written")
	case c.all && format != fileformat.SqlFile:
		return "", "", nil, errors.New("--all is written as SQL")
	case c.all && c.negate:
		return "", "", nil, errors.New("--negate-timestamps is for one table or group")
	case !VersionsFlag.MatchString(c.versions):
		return "", "", nil, fmt.Errorf("--versions %q: all, latest or a number is needed", c.versions)
	}
	_, err = cli.WantsBar(c.progress, c.err)
	return what, path, format, err
}

func (c *exportCommand) run(ctx context.Context, args []string) error {
	what, path, format, err := c.settle(args)
	if err != nil {
		return err
	}
	db, err := cli.OpenReadOnly(c.dsn, func(cfg *driver.Config) { cfg.ParseTime = false })
	if err != nil {
		return err
	}
	defer db.Close()
	tx, err := c.begin(ctx, db)
	if err != nil {
		return err
	}
	defer tx.Rollback() // it has written nothing
	out, err := createOut(path, c.force, c.out)
	if err != nil {
		return err
	}
	defer out.abandon() // does nothing after finish
	start := time.Now()
	e := &exporter{exportCommand: c, tx: tx, out: out, format: format}
	if err := e.export(ctx, what); err != nil {
		return err
	}
	if err := out.finish(); err != nil {
		return err
	}
	if path == "-" {
		return nil
	}
	took := time.Since(start)
	rate := humanize.Comma(int64(float64(e.written) / max(took.Seconds(), 1e-9)))
	_, err = fmt.Fprintf(c.out, "done: %s to %s, %v, %s %ss/s\n",
		cli.Plural(e.written, e.noun), path, took.Round(time.Millisecond), rate, e.noun)
	return err
}

// begin opens the transaction for all reads. It keeps its connection.
func (c *exportCommand) begin(ctx context.Context, db *sql.DB) (*sql.Tx, error) {
	db.SetMaxOpenConns(1)
	if c.versions != "" {
		if _, err := db.ExecContext(ctx, "SET hbasekv_versions = ?", c.versions); err != nil {
			return nil, err
		}
	}
	return db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
}

// exporter writes one file.
type exporter struct {
	*exportCommand
	tx     *sql.Tx
	out    *outFile
	format *fileformat.Format
	bar    *progressbar.ProgressBar // nil for none

	written int
	noun    string
}

// isStatement tells a statement, which has several words, from a name.
var isStatement = regexp.MustCompile(`(?is)^\s*(\(|/\*|(select|with|table|values|show|explain|desc|describe)\s)`)

func (e *exporter) export(ctx context.Context, what string) error {
	e.noun = "cell"
	if e.all {
		return e.dump(ctx)
	}
	if e.view == "" && !isStatement.MatchString(what) {
		to, err := target.Find(ctx, e.tx, what)
		switch {
		case e.format == fileformat.SqlFile && (err == nil || err == target.ErrTyped):
			return e.dumpTarget(ctx, to)
		case err == nil:
			return e.cells(ctx, to)
		case err != target.ErrView && err != target.ErrTyped:
			return err
		}
	}
	e.noun = "row"
	if e.view != "" || !isStatement.MatchString(what) {
		what = "SELECT * FROM " + cli.QuoteName(what)
	}
	return e.rows(ctx, what)
}

// seen is what follows a table in FROM.
func (e *exporter) seen() string {
	switch {
	case e.isAsOf:
		return " FOR SYSTEM_TIME AS OF " + strconv.FormatInt(e.asOf, 10)
	case e.versions == "":
		return " FOR SYSTEM_TIME ALL"
	}
	return ""
}

// begin shows a bar for that many cells or rows; -1 means unknown.
func (e *exporter) begin(total int64) {
	if show, _ := cli.WantsBar(e.progress, e.err); !show { // settle has checked it
		return
	}
	e.bar = progressbar.NewOptions64(total, progressbar.OptionSetWriter(e.err), progressbar.OptionShowCount(),
		progressbar.OptionShowIts(), progressbar.OptionSetItsString(e.noun), progressbar.OptionSetDescription("exporting"),
		progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish())
}

// wrote counts a cell or a row.
func (e *exporter) wrote() {
	if e.written++; e.bar != nil && e.written%cli.ProgressLines == 0 {
		_ = e.bar.Set(e.written)
	}
}

func (e *exporter) end() {
	if e.bar != nil {
		_ = e.bar.Finish()
	}
}
