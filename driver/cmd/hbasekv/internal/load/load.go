package load

import (
	"bufio"
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hbasekv/hbasekv/driver/cellio"
	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/cli"
	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/fileformat"
	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/target"
)

// Command is the state of the load command.
type Command struct {
	dsn       string
	Format    string
	Columns   string
	Layout    string
	Separator string
	joint     string
	Progress  string
	mode      string
	Timestamp int64
	Header    bool
	skipEmpty bool
	negate    bool
	create    bool
	Options   Options
	Out, Err  io.Writer
	made      []string // the tables that it has created
	loaded    bool     // something was committed
	server    *mysql.Config
	piecemeal bool // the store writes row by row

	// The flags for a file with a header and a key.
	key, table, view string
	duplicates       string
	replaceView      bool
}

const loadLong = `Load a file into a table or a table group, from any format of export: csv, tsv,
jsonl, text and parquet; scan, which is what scan of hbase shell prints; and
sequencefile, which is what HBase's Export writes. --format names it, or the
file's name, or its first bytes. FILE may be gzipped or compressed by zstd, a
directory, of which all files are loaded, or - for standard input.

Each cell goes into TABLE as it is, with its timestamp; where TABLE is a table
group, into the table of its family. --create makes the tables of families that
are missing. --negate-timestamps turns each T around: OceanBase's client for
HBase stores T negated.

With --key FILE is a CSV or TSV with a header, and each line of it a row: its
fields are the cells of the columns that the header names, none for an empty
field. TABLE is made where it is missing, and behind the last line a view with
the columns of the header, whose types all values of the file have: integers,
decimals, dates, times, booleans or text. Of orders.csv the view is orders and
the table orders_cells, unless --view and --table name them. --key a,b makes the
key of several columns; integers in it sort as numbers, unless a:text says that
they are text. Two lines with one key are refused, unless --duplicate-keys
overwrite lets the later one's cells take the place of the earlier one's. All
of the file is loaded or nothing.

With --columns a line of CSV or TSV is one HBase row of several cells.
--columns says what the fields of a line are, as HBase's ImportTsv does:
HBASE_ROW_KEY is K (of several, joined by --key-separator), HBASE_TS_KEY is T,
a name is the qualifier of a cell, and "-" or nothing is left out. With
family:qualifier columns TABLE is a table group, and each cell goes to its
family's table. Without HBASE_TS_KEY all cells have the same T, --timestamp.

Cells are put (REPLACE): one that exists with the same K, Q and T is written
over, so that a load can be repeated.

--mode says how. bulk makes table files of all lines, which the store takes in
at once: that is several times faster, most of all where the lines are sorted
by their keys, and a load that stops has loaded nothing. batches commits
transactions of --batch lines each, and one that stops keeps those that are
committed. auto is bulk unless --batch or --skip-bad-lines is given.

A bad line stops the load unless --skip-bad-lines is given; lines are bad that
cannot be read, have too few or too many fields, an empty key, a bad timestamp, or
a value that the table does not take. (bulk cannot pass over these last ones.)`

func NewCommand() *cobra.Command {
	c := &Command{}
	cmd := &cobra.Command{
		Use:   "load [DSN] TABLE|GROUP FILE\n  hbasekv load [DSN] FILE --key COLUMN",
		Short: "Load a file into a table or a table group",
		Long:  loadLong,
		Args: cli.WithUsage(func(cmd *cobra.Command, args []string) error {
			least := 2
			if c.key != "" && c.dsn != "" {
				least = 1
			}
			return cobra.RangeArgs(least, 3)(cmd, args)
		}),
		RunE: func(cmd *cobra.Command, args []string) error {
			c.Out, c.Err = cmd.OutOrStdout(), cmd.ErrOrStderr()
			if err := c.settle(cmd.Flags()); err != nil {
				return err
			}
			return c.run(cmd.Context(), cmd.InOrStdin(), args)
		},
	}
	c.addFlags(cmd.Flags())
	return cmd
}

func (c *Command) addFlags(flags *pflag.FlagSet) {
	flags.StringVar(&c.dsn, "dsn", "", "the data source name, instead of the first argument")
	flags.StringVar(&c.Format, "format", "",
		"csv, tsv, jsonl, text, parquet, scan or sequencefile (default: by the file's name, or its first bytes)")
	flags.BoolVar(&c.negate, "negate-timestamps", false, "load -T for T")
	flags.BoolVar(&c.create, "create", false,
		"make the tables that are missing; those of a file of cells are found by reading it twice")
	flags.StringVar(&c.key, "key", "", "the columns of the header that make the row's key, such as order_id or shop,day")
	flags.StringVar(&c.table, "table", "", "the table for the cells of a file with --key (default: the file's name and _cells)")
	flags.StringVar(&c.view, "view", "", "the view over it (default: the file's name)")
	flags.BoolVar(&c.replaceView, "replace-view", false, "replace an existing view")
	flags.StringVar(&c.duplicates, "duplicate-keys", "refuse", "refuse or overwrite: what becomes of lines with one key")
	flags.StringVar(&c.Columns, "columns", "", "what the fields of a line are, such as HBASE_ROW_KEY,city,state")
	flags.StringVar(&c.Layout, "timestamp-format", "ms",
		"the form of HBASE_TS_KEY: ms, s or a layout of Go's time package")
	flags.Int64Var(&c.Timestamp, "timestamp", 0, "T in ms, if no column has it (default: now)")
	flags.StringVar(&c.Separator, "separator", "",
		"what separates fields: a comma or a semicolon means CSV with quotes (default: by the file's name, or its first line)")
	flags.StringVar(&c.joint, "key-separator", "", "what joins the fields of several HBASE_ROW_KEY columns")
	flags.BoolVar(&c.Header, "header", false, "the first line names the columns and is not loaded")
	flags.BoolVar(&c.Options.skipBad, "skip-bad-lines", false, "report bad lines and go on")
	flags.BoolVar(&c.skipEmpty, "skip-empty-fields", false, "write no cell for an empty field")
	flags.StringVar(&c.mode, "mode", "auto", "bulk (all at once), batches (of --batch lines) or auto")
	flags.IntVar(&c.Options.Batch, "batch", 1000, "lines to a transaction")
	flags.StringVar(&c.Progress, "progress", "auto",
		"bar, lines (one for each commit), none, or auto: a bar on a terminal")
}

// Which flags go together.
var (
	ofColumns = []string{"timestamp-format", "key-separator", "header", "skip-empty-fields"}
	ofLines   = []string{"timestamp", "separator"}
	ofKey     = []string{"table", "view", "replace-view", "duplicate-keys"}
	notOfKey  = []string{"columns", "format", "negate-timestamps", "mode", "batch", "timestamp-format", "key-separator"}
)

// settle checks the flags, and sets what depends on whether they were given.
func (c *Command) settle(flags *pflag.FlagSet) error {
	if err := c.agree(flags); err != nil {
		return err
	}
	if c.Options.Batch < 1 {
		return fmt.Errorf("--batch %d: at least one line is needed", c.Options.Batch)
	}
	if _, err := cli.WantsBar(c.Progress, c.Err, "lines"); err != nil {
		return err
	}
	if !slices.Contains([]string{"auto", "bulk", "batches"}, c.mode) {
		return fmt.Errorf("--mode %q: bulk, batches or auto is needed", c.mode)
	}
	if !slices.Contains([]string{"refuse", "overwrite"}, c.duplicates) {
		return fmt.Errorf("--duplicate-keys %q: refuse or overwrite is needed", c.duplicates)
	}
	c.Options.Bulk = c.key != "" || c.mode == "bulk" || c.mode == "auto" && !flags.Changed("batch") && !c.Options.skipBad
	if !flags.Changed("timestamp") {
		c.Timestamp = time.Now().UnixMilli()
	}
	return nil
}

// agree refuses flags that do not go together.
func (c *Command) agree(flags *pflag.FlagSet) error {
	given := func(names []string) string {
		i := slices.IndexFunc(names, flags.Changed)
		if i < 0 {
			return ""
		}
		return names[i]
	}
	if name := given(notOfKey); c.key != "" && name != "" {
		return fmt.Errorf("--%s cannot be used with --key, which loads a complete file with a header", name)
	}
	if name := given(ofKey); c.key == "" && name != "" {
		return fmt.Errorf("--%s is for files with a header: --key must name the columns of their key", name)
	}
	if name := given(ofColumns); c.Columns == "" && c.key == "" && name != "" {
		return fmt.Errorf("--%s is for lines of several cells: --columns must say what their fields are", name)
	}
	if name := given(ofLines); c.Columns == "" && c.key == "" && name != "" {
		return fmt.Errorf("--%s is for lines of several cells: --columns must say what their fields are, "+
			"or --key what a row's key is", name)
	}
	if c.Columns != "" && c.Format != "" {
		return errors.New("--format is for files of cells, and --columns for lines of several")
	}
	return nil
}

func (c *Command) run(ctx context.Context, stdin io.Reader, args []string) error {
	dsn, args, err := cli.TakeDSN(c.dsn, args)
	if err != nil {
		return err
	}
	table, path, err := c.takeTable(args)
	if err != nil {
		return err
	}
	in, err := OpenInput(path, stdin)
	if err != nil {
		return err
	}
	db, err := c.open(dsn)
	if err != nil {
		return err
	}
	defer db.Close()
	if c.key != "" {
		err = c.loadKeyed(ctx, db, dsn, table, in)
	} else {
		err = c.LoadInto(ctx, db, table, in)
	}
	if err != nil {
		return err
	}
	return db.Close()
}

func (c *Command) open(dsn string) (db *sql.DB, err error) {
	c.piecemeal = strings.HasPrefix(dsn, "hbase://")
	if strings.HasPrefix(dsn, cli.ServerScheme) {
		if c.server, err = cli.ServerConfig(dsn); err != nil {
			return nil, err
		}
	}
	return cli.OpenStore(dsn)
}

// takeTable returns the arguments after the data source name. With --key the table may be
// omitted, or be that of --table.
func (c *Command) takeTable(args []string) (table, path string, err error) {
	switch {
	case c.key == "" && len(args) != 2:
		return "", "", errors.New("load needs a data source name, a table and a file, or a file with a header and --key")
	case c.key != "" && (len(args) != 1 && len(args) != 2):
		return "", "", errors.New("load with --key needs a data source name and a file")
	case len(args) == 1:
		return c.table, args[0], nil
	case c.table != "":
		return "", "", fmt.Errorf("the table is both %s and, by --table, %s", args[0], c.table)
	}
	return args[0], args[1], nil
}

// LoadInto loads a file of cells, or one that --columns describes. If nothing was loaded, it
// drops the tables that it has created.
func (c *Command) LoadInto(ctx context.Context, db *sql.DB, table string, in *input) (err error) {
	defer func() {
		if err != nil && !c.loaded {
			err = errors.Join(err, dropTables(ctx, db, c.made))
		}
	}()
	from, done, err := c.source(ctx, db, table, in)
	if err != nil {
		return err
	}
	defer done()
	if c.negate {
		from = negatedSource{from}
	}
	return c.Load(ctx, db, from, in)
}

// source reads the input as lines of fields, or as cells.
func (c *Command) source(ctx context.Context, db *sql.DB, table string, in *input) (source, func() error, error) {
	if c.Columns != "" {
		return c.LineSource(ctx, db, table, in)
	}
	format, err := fileformat.Named(c.Format)
	if err != nil {
		return nil, nil, err
	}
	if c.create {
		if err := c.createFamilies(ctx, db, table, &inputCells{in: in, said: format}); err != nil {
			return nil, nil, err
		}
	}
	to, err := target.Find(ctx, db, table)
	if err != nil {
		return nil, nil, err
	}
	cells := &inputCells{in: in, said: format}
	return &cellSource{cells: cells, to: to}, cells.Close, cells.open()
}

func (c *Command) LineSource(ctx context.Context, db *sql.DB, table string, in *input) (source, func() error, error) {
	spec, err := cellio.ParseColumns(table, c.Columns)
	if err != nil {
		return nil, nil, fmt.Errorf("--%w", err)
	}
	if len(in.paths) > 1 {
		return nil, nil, errors.New("--columns is for one file, not for a directory")
	}
	spec.Layout, spec.Separator = c.Layout, c.joint
	p, err := in.open(in.paths[0])
	if err != nil {
		return nil, nil, err
	}
	if c.create {
		for _, f := range spec.Families {
			if err := c.makeMissing(ctx, db, f.Table); err != nil {
				return nil, nil, errors.Join(err, p.Close())
			}
		}
	}
	separator := cmp.Or(c.Separator, p.separator())
	return &lineSource{
		lines: cellio.NewLines(bufio.NewReaderSize(p.wholeLines(), inputBuffer), separator), spec: spec,
		timestamp: c.Timestamp, header: c.Header, skipEmpty: c.skipEmpty,
	}, p.Close, nil
}

// Load runs the loader and reports what it did, even after an error.
func (c *Command) Load(ctx context.Context, db *sql.DB, from source, in *input) error {
	report, finish, err := c.reporter(in)
	if err != nil {
		return err
	}
	l := &loader{db: db, server: c.server, source: from, tables: from.tables(), options: c.Options, report: report}
	if l.guard, err = newAgeGuard(ctx, db, l.tables); err != nil {
		return err
	}
	start := time.Now()
	err = l.run(ctx)
	c.loaded = l.total.rows > 0
	finish()
	into := strings.Join(l.tables, ", ")
	if err != nil {
		fmt.Fprintln(c.Err, l.total.summary("stopped", into, time.Since(start)))
		return fmt.Errorf("the load has stopped, %s: %w", c.left(l.total), err)
	}
	_, err = fmt.Fprintln(c.Out, l.total.summary("done", into, time.Since(start)))
	return err
}

// left says what is in the tables after a load that failed.
func (c *Command) left(t total) string {
	if c.piecemeal && c.Options.Bulk && len(c.made) == 0 {
		return "and rows that were sent to HBase before may remain"
	}
	return t.loaded()
}
