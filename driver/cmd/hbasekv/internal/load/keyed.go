package load

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/cli"
	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/fileformat"
	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/sheet"
)

// keyedLoad loads a file with a header into a table of cells, and creates a view over it
// with the columns of the file.
type keyedLoad struct {
	*Command
	db    *sql.DB
	dsn   string
	in    *input
	table string
	view  string
	from  *keySource

	exists bool // the view exists and stays
}

// loadKeyed is load with --key. If table is empty, its name is derived from the file's.
func (c *Command) loadKeyed(ctx context.Context, db *sql.DB, dsn, table string, in *input) error {
	l := &keyedLoad{Command: c, db: db, dsn: dsn, in: in, table: table, view: c.view}
	if err := l.name(); err != nil {
		return err
	}
	p, err := in.open(in.paths[0])
	if err != nil {
		return err
	}
	defer p.Close()
	lines, err := keyLines(p, c.Separator)
	if err != nil {
		return err
	}
	if l.from, err = newKeySource(lines, c.key); err != nil {
		return fmt.Errorf("%s: %w", p.path, err)
	}
	l.from.table, l.from.timestamp = l.table, c.Timestamp
	if c.duplicates == "refuse" {
		l.from.keys = sheet.NewDuplicates()
		defer l.from.keys.Close()
	}
	return l.run(ctx)
}

// name derives the names of the table and the view: x_cells and x for a file x.csv.
func (l *keyedLoad) name() error {
	if len(l.in.paths) > 1 {
		return errors.New("--key is for one file, not for a directory")
	}
	path := l.in.paths[0]
	if f := fileformat.OfName(path); f != nil && f != fileformat.CsvFile && f != fileformat.TsvFile && f != fileformat.TextFile {
		return fmt.Errorf("--key reads CSV and TSV with a header, not %s", f.Name)
	}
	stem := ""
	if path != "-" {
		plain, _ := fileformat.CompressionOf(filepath.Base(path))
		stem = sheet.Identifier(strings.TrimSuffix(plain, filepath.Ext(plain)))
	}
	if l.table == "" {
		if l.table = stem + "_cells"; stem == "" {
			return errors.New("standard input has no name: give the table's with --table")
		}
	}
	if l.view == "" {
		_, own, before := cli.SplitName(l.table)
		group, _, _ := strings.Cut(own, "$")
		if l.view = stem; stem == "" || stem == own || stem == group {
			l.view = group + "_rows"
		}
		l.view = before + l.view
	}
	return nil
}

func (l *keyedLoad) run(ctx context.Context) (err error) {
	if err := l.checkView(ctx); err != nil {
		return err
	}
	l.from.sample = nil
	if err := l.makeMissing(ctx, l.db, l.table); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, dropTables(ctx, l.db, l.made))
		}
	}()
	if err := l.Load(ctx, l.db, l.from, l.in); err != nil {
		return err
	}
	if !l.exists {
		if err := l.makeView(ctx); err != nil {
			return err
		}
	}
	return l.tell(ctx)
}

// checkView checks, before anything is written, whether the view exists, and decides the form of
// the key: that of the view's rows.
func (l *keyedLoad) checkView(ctx context.Context) error {
	have, err := columnsOf(ctx, l.db, l.view)
	var no *mysql.MySQLError
	if errors.As(err, &no) && no.Number == 1146 {
		l.from.key.Settle(l.from.sample)
		return nil
	} else if err != nil {
		return err
	}
	definition, err := l.definition(ctx)
	if err != nil {
		return err
	}
	for _, c := range have {
		l.from.key.Follow(c.name, c.kind)
	}
	l.from.key.Settle(l.from.sample)
	if l.replaceView {
		return nil
	}
	l.exists = true
	if name := l.from.key.Differs(definition); name != "" {
		return fmt.Errorf("the view %s does not read %s from the row's key as this file would write it: "+
			"--key with the columns and the types that the view has, or another --view and --table", l.view, name)
	}
	for _, name := range l.from.names {
		if !slices.ContainsFunc(have, func(c viewColumn) bool { return strings.EqualFold(c.name, name) }) {
			return fmt.Errorf("the view %s exists and has no column %s: --replace-view replaces it, "+
				"with the types of this file, and --view names another one", l.view, name)
		}
	}
	return nil
}

// definition is the SELECT of the view. It is an error if something else has the view's name.
func (l *keyedLoad) definition(ctx context.Context) (text string, err error) {
	database, own, _ := cli.SplitName(l.view)
	found := false
	err = cli.EachRow(ctx, l.db, func(field []sql.NullString) error {
		text, found = field[0].String, true
		return nil
	}, `SELECT VIEW_DEFINITION FROM information_schema.VIEWS
		WHERE TABLE_SCHEMA = COALESCE(?, DATABASE()) AND TABLE_NAME = ?`, database, own)
	if err == nil && !found {
		err = fmt.Errorf("there is a table %s: give the view another name with --view", l.view)
	}
	return text, err
}

func (l *keyedLoad) makeView(ctx context.Context) error {
	create := "CREATE VIEW "
	if l.replaceView {
		create = "CREATE OR REPLACE VIEW "
	}
	selects := sheet.View(cli.QuoteName(l.table), l.from.names, l.from.key, l.from.guesses)
	if _, err := l.db.ExecContext(ctx, create+cli.QuoteName(l.view)+" AS "+selects); err != nil {
		return fmt.Errorf("the view %s cannot be made: %w", l.view, err)
	}
	return nil
}

// viewColumn is a column of a view with its type.
type viewColumn struct{ name, kind string }

func columnsOf(ctx context.Context, db cli.Querier, table string) (columns []viewColumn, err error) {
	err = cli.EachRow(ctx, db, func(field []sql.NullString) error {
		columns = append(columns, viewColumn{field[0].String, field[1].String})
		return nil
	}, "SHOW COLUMNS FROM "+cli.QuoteName(table))
	return columns, err
}

// maxTold is the maximum number of columns that are listed.
const maxTold = 50

// tell says what was created, and what to try next.
func (l *keyedLoad) tell(ctx context.Context) error {
	columns, err := columnsOf(ctx, l.db, l.view)
	if err != nil {
		return err
	}
	table, view := "the table "+l.table+" was there", "the view "+l.view+" shows its rows"
	if len(l.made) > 0 {
		table = "made the table " + l.table
	}
	if l.exists {
		view = "the view " + l.view + " is as it was"
	}
	fmt.Fprintf(l.Out, "%s, with K = %s; %s:\n", table, l.from.key.Made(), view)
	width := 0
	for _, c := range columns[:min(len(columns), maxTold)] {
		width = max(width, len([]rune(c.name)))
	}
	for _, c := range columns[:min(len(columns), maxTold)] {
		fmt.Fprintf(l.Out, "  %-*s  %s%s\n", width, c.name, c.kind, l.remark(c))
	}
	if more := len(columns) - maxTold; more > 0 {
		fmt.Fprintf(l.Out, "  and %s more\n", cli.Plural(more, "column"))
	}
	fmt.Fprintf(l.Out, "try, in hbasekv sql %s:\n", cli.WithoutPassword(l.dsn))
	for _, statement := range l.next() {
		fmt.Fprintf(l.Out, "    %s;\n", statement)
	}
	return nil
}

// remark says what a column's type does not show.
func (l *keyedLoad) remark(c viewColumn) string {
	i := slices.IndexFunc(l.from.names, func(name string) bool { return strings.EqualFold(name, c.name) })
	switch {
	case i < 0:
		return ", not in this file"
	case l.from.isKey[i]:
		return ", of the key"
	case l.from.header[i] != c.name && strings.TrimSpace(l.from.header[i]) == "":
		return ", which has no name in the file"
	case l.from.header[i] != c.name:
		return fmt.Sprintf(", %q in the file", l.from.header[i])
	case !l.from.guesses[i].Seen():
		return ", empty throughout"
	case l.exists && !l.from.guesses[i].Fits(c.kind):
		return ", which differs from this file: --replace-view replaces the view"
	}
	return ""
}

// next are two statements to try: for the first rows, and for one row by its key.
func (l *keyedLoad) next() []string {
	statements := []string{"SELECT * FROM " + cli.QuoteName(l.view) + " LIMIT 10"}
	if l.from.one == nil {
		return append(statements, "SHOW COLUMNS FROM "+cli.QuoteName(l.view))
	}
	var conditions []string
	for i, column := range l.from.key.Columns() {
		conditions = append(conditions, cli.QuoteName(l.from.names[column])+" = "+l.from.key.Literal(i, l.from.one))
	}
	return append(statements, "SELECT * FROM "+cli.QuoteName(l.view)+" WHERE "+strings.Join(conditions, " AND "))
}

// makeTable creates a table with HBase's maximum lengths, unless it exists.
func makeTable(ctx context.Context, db *sql.DB, table string) (made bool, err error) {
	_, err = db.ExecContext(ctx, "CREATE TABLE "+cli.QuoteName(table)+" (K varbinary(32767), "+
		"Q varbinary(32767), T bigint, V longblob, PRIMARY KEY (K, Q, T))")
	var taken *mysql.MySQLError
	if errors.As(err, &taken) && taken.Number == 1050 {
		return false, nil
	}
	return err == nil, err
}

// dropTables drops the tables that a load has created, even if its context has ended.
func dropTables(ctx context.Context, db *sql.DB, tables []string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	var errs []error
	for _, table := range tables {
		if _, err := db.ExecContext(ctx, "DROP TABLE IF EXISTS "+cli.QuoteName(table)); err != nil {
			errs = append(errs, fmt.Errorf("the table %s was not removed: %w", table, err))
		}
	}
	return errors.Join(errs...)
}
