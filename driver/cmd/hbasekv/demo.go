package main

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hbasekv/hbasekv/driver"
	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/cli"
	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/load"
	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/shell"
)

// demoFiles are the demo's data, which the binary contains.
//
//go:embed demodata/stocks.csv demodata/zipcodes.csv.gz
var demoFiles embed.FS

// demoLoad is a table of the demo and the file to load into it.
type demoLoad struct {
	about  string
	create string
	table  string
	file   string
	spec   string
	layout string
}

var demoLoads = []demoLoad{
	{
		about: "Monthly stock prices: a symbol is a row, and its price's versions are the history. Partitioned by ranges of K.",
		create: `CREATE TABLE IF NOT EXISTS market$price (
  K varbinary(16), Q varbinary(16), T bigint, V varbinary(32) NOT NULL,
  PRIMARY KEY (K, Q, T))
PARTITION BY RANGE COLUMNS(K) (
  PARTITION a_to_f VALUES LESS THAN ('G'),
  PARTITION g_to_l VALUES LESS THAN ('M'),
  PARTITION m_to_z VALUES LESS THAN (MAXVALUE))`,
		table:  "market$price",
		file:   "stocks.csv",
		spec:   "HBASE_ROW_KEY,HBASE_TS_KEY,price",
		layout: "Jan 2 2006",
	},
	{
		about: "ZIP codes: a code is a row of five cells. Partitioned by a hash of the code's first three digits.",
		create: `CREATE TABLE IF NOT EXISTS zip$place (
  K varbinary(16), Q varbinary(16), T bigint, V varbinary(64) NOT NULL,
  K_PREFIX varbinary(3) GENERATED ALWAYS AS (substring(K, 1, 3)),
  PRIMARY KEY (K, Q, T))
PARTITION BY KEY(K_PREFIX) PARTITIONS 7`,
		table:  "zip$place",
		file:   "zipcodes.csv.gz",
		spec:   "HBASE_ROW_KEY,latitude,longitude,city,state,county",
		layout: "ms",
	},
}

// demoQuery is a query of the demo and what it shows.
type demoQuery struct{ about, sql string }

var demoQueries = []demoQuery{
	{
		"The newest price of each symbol: the latest view is what a statement sees unless it asks for another.",
		"SELECT K AS symbol, DATE(FROM_UNIXTIME(T / 1000)) AS day, V AS price FROM market$price WHERE Q = 'price'",
	},
	{
		"The last months of one symbol: all versions, newest first, which is the store's own order.",
		"SELECT DATE(FROM_UNIXTIME(T / 1000)) AS day, V AS price FROM market$price FOR SYSTEM_TIME ALL WHERE K = 'AAPL' AND Q = 'price' LIMIT 6",
	},
	{
		"What the prices were at the end of 2004.",
		"SELECT K AS symbol, DATE(FROM_UNIXTIME(T / 1000)) AS day, V AS price FROM market$price FOR SYSTEM_TIME AS OF 1104537599999",
	},
	{
		"Lowest, highest and mean price over the whole history.",
		"SELECT K AS symbol, COUNT(*) AS months, MIN(V + 0) AS lowest, MAX(V + 0) AS highest, ROUND(AVG(V), 2) AS mean FROM market$price FOR SYSTEM_TIME ALL GROUP BY K",
	},
	{
		"ZIP codes by prefix.",
		"SELECT K AS zip, MAX(CASE WHEN Q = 'city' THEN V END) AS city, MAX(CASE WHEN Q = 'state' THEN V END) AS state FROM zip$place WHERE K LIKE '9021%' GROUP BY K",
	},
	{
		"The same condition explained: one partition of the seven, one range of keys.",
		"EXPLAIN SELECT K, Q, V FROM zip$place WHERE K LIKE '9021%'",
	},
	{
		"The states with the most ZIP codes.",
		"SELECT V AS state, COUNT(*) AS zip_codes FROM zip$place WHERE Q = 'state' GROUP BY V ORDER BY zip_codes DESC, state LIMIT 8",
	},
}

func newDemo() *cobra.Command {
	var data string
	cmd := &cobra.Command{
		Use:   "demo [DIR]",
		Short: "Load stock prices and ZIP codes into a store and query them",
		Long: `Load stock prices and ZIP codes into a store and query them.

The store is in DIR, where it stays, or in a temporary directory, which is removed
at the end. The data are in the command.`,
		Args: cli.WithUsage(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runDemo(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr(), demoData(data), args)
		},
	}
	cmd.Flags().StringVar(&data, "data", "", "a directory with stocks.csv and zipcodes.csv.gz to load in place of those in the command")
	return cmd
}

// demoData are the files of a directory, or the embedded ones.
func demoData(dir string) fs.FS {
	if dir != "" {
		return os.DirFS(dir)
	}
	embedded, err := fs.Sub(demoFiles, "demodata")
	if err != nil {
		panic(err) // its name is not a path
	}
	return embedded
}

func runDemo(ctx context.Context, out, errOut io.Writer, data fs.FS, args []string) (err error) {
	dir, kept := "", len(args) == 1
	if kept {
		dir = args[0]
	} else {
		if dir, err = os.MkdirTemp("", "hbasekv-demo-"); err != nil {
			return err
		}
		defer os.RemoveAll(dir)
	}
	cfg := driver.NewConfig(dir)
	cfg.NoSync = true // the data can be loaded again
	connector, err := driver.NewConnector(cfg)
	if err != nil {
		return err
	}
	db := sql.OpenDB(connector)
	defer db.Close()
	d := demo{out: out, err: errOut, db: db, data: data}
	if err := d.run(ctx); err != nil {
		return err
	}
	if err := db.Close(); err != nil {
		return err
	}
	return demoNext(out, dir, kept)
}

// demoNext says what to do next.
func demoNext(out io.Writer, dir string, kept bool) (err error) {
	if kept {
		_, err = fmt.Fprintf(out, "The store is in %s. Go on in a shell: hbasekv sql %s\n", dir, dir)
	} else {
		_, err = fmt.Fprintln(out, "The store was a temporary one. To keep one and go on in a shell:\n"+
			"  hbasekv demo ./demo\n  hbasekv sql ./demo")
	}
	return err
}

// demo is a run of the demo.
type demo struct {
	out, err io.Writer
	db       *sql.DB
	data     fs.FS
}

func (d *demo) run(ctx context.Context) error {
	for _, l := range demoLoads {
		if err := d.load(ctx, l); err != nil {
			return err
		}
	}
	conn, err := d.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	// The prices are of midnights in UTC: in a zone west of it their days would differ.
	if _, err := conn.ExecContext(ctx, "SET time_zone = '+00:00'"); err != nil {
		return err
	}
	printer := &shell.Command{Format: "table", Timing: true, Out: d.out, Err: d.err}
	for _, q := range demoQueries {
		d.print(q.about, q.sql)
		if err := printer.Script(ctx, conn, q.sql); err != nil {
			return err
		}
	}
	return nil
}

func (d *demo) load(ctx context.Context, l demoLoad) error {
	d.print(l.about, l.create)
	if _, err := d.db.ExecContext(ctx, l.create); err != nil {
		return err
	}
	file, err := d.data.Open(l.file)
	if err != nil {
		return err
	}
	defer file.Close()
	in, err := load.OpenInput("-", file)
	if err != nil {
		return err
	}
	c := &load.Command{Columns: l.spec, Layout: l.layout, Header: true, Timestamp: demoTimestamp,
		Options: load.Options{Batch: 1000}, Progress: "auto", Out: d.out, Err: d.err}
	from, done, err := c.LineSource(ctx, d.db, l.table, in)
	if err != nil {
		return err
	}
	defer done()
	if err := c.Load(ctx, d.db, from, in); err != nil {
		return err
	}
	_, err = fmt.Fprintln(d.out)
	return err
}

// demoTimestamp is the T of data without one in the file: always the same, so
// that a second run overwrites the cells of the first.
const demoTimestamp = 1_735_689_600_000 // 2025-01-01

func (d *demo) print(about, statement string) {
	fmt.Fprintf(d.out, "-- %s\n%s;\n", about, strings.TrimSpace(statement))
}
