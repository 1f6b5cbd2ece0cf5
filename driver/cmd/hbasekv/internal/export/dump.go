package export

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/driver/cellio"
	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/cli"
	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/target"
)

// dumpTarget writes the statements that recreate a table or a group.
func (e *exporter) dumpTarget(ctx context.Context, to *target.Target) error {
	total, err := e.estimate(ctx, to)
	if err != nil {
		return err
	}
	e.begin(total)
	defer e.end()
	e.head(to.Name)
	_, own, prefix := cli.SplitName(to.Name)
	if to.Group {
		if err := e.create(ctx, "TABLEGROUP", prefix, own); err != nil {
			return err
		}
	}
	for _, table := range to.Tables {
		_, own, _ := cli.SplitName(table)
		if err := e.dumpTable(ctx, prefix, own); err != nil {
			return err
		}
	}
	return e.foot()
}

// declared is the table whose CREATE TABLE creates a family: the family itself, or the typed table
// whose rows it has; numbered says whether CREATE TABLE contains its next AUTO_INCREMENT.
func (e *exporter) declared(ctx context.Context, prefix, name string) (table string, numbered bool, err error) {
	database, _, _ := cli.SplitName(prefix + name)
	table = name
	err = cli.EachRow(ctx, e.tx, func(field []sql.NullString) error {
		table, numbered = field[0].String, field[1].Valid
		return nil
	}, `SELECT t.TABLE_NAME, t.AUTO_INCREMENT FROM information_schema.HBASEKV_FAMILIES f JOIN information_schema.TABLES t
		ON t.TABLE_SCHEMA = f.TABLE_SCHEMA AND t.TABLE_NAME = f.TABLEGROUP_NAME AND t.TABLE_TYPE = 'BASE TABLE'
		WHERE f.TABLE_SCHEMA = COALESCE(?, DATABASE()) AND f.TABLE_NAME = ?`, database, name)
	return table, numbered, err
}

// head writes the first lines, which say what the statements are.
func (e *exporter) head(of string) {
	version, revision, _ := cli.BuildInfo()
	fmt.Fprintf(e.out, "-- %s, written by hbasekv export %s%s; hbasekv sql DSN < FILE runs it.\n%s\n",
		strings.ReplaceAll(of, "\n", " "), version, revision, cli.DumpEnds)
}

// foot writes the last line.
func (e *exporter) foot() error {
	_, err := fmt.Fprintln(e.out, cli.DumpEnd)
	return err
}

// create writes the statement that SHOW CREATE returns.
func (e *exporter) create(ctx context.Context, kind, prefix, name string) error {
	return cli.EachRow(ctx, e.tx, func(field []sql.NullString) error {
		text := field[1].String
		switch {
		case kind == "TABLEGROUP" && strings.HasPrefix(text, "CREATE TABLEGROUP IF NOT EXISTS "):
			return nil // its tables create it
		case kind == "DATABASE":
			text = strings.Replace(text, "CREATE DATABASE", "CREATE DATABASE IF NOT EXISTS", 1)
		}
		_, err := fmt.Fprintf(e.out, "%s;\n", text)
		return err
	}, "SHOW CREATE "+kind+" "+cli.QuoteName(prefix+name))
}

// dumpTable writes a table and its cells.
func (e *exporter) dumpTable(ctx context.Context, prefix, name string) error {
	declared, numbered, err := e.declared(ctx, prefix, name)
	if err != nil {
		return err
	}
	if err := e.create(ctx, "TABLE", prefix, declared); err != nil {
		return err
	}
	one := &target.Target{Name: prefix + name, Tables: []string{prefix + name}, Families: []string{""}}
	w := cellio.NewWriter(e.out, cellio.SQL, name)
	if err := cmp.Or(e.writeCells(ctx, one, w), w.Close()); err != nil || declared == name || numbered {
		return err
	}
	// Without a declared key, rows have numbers that CREATE TABLE does not show: continue after them.
	_, err = fmt.Fprintf(e.out, "ALTER TABLE %s AUTO_INCREMENT = 1;\n", cli.QuoteName(declared))
	return err
}

// systemDatabases are MySQL's own databases.
var systemDatabases = []string{"information_schema", "mysql", "performance_schema", "sys"}

// dump writes the statements that recreate the store: its databases, groups,
// tables and cells, and then the views, when everything that they can name
// exists.
func (e *exporter) dump(ctx context.Context) error {
	e.head("a store")
	databases, err := e.names(ctx, "SELECT SCHEMA_NAME FROM information_schema.SCHEMATA ORDER BY SCHEMA_NAME")
	if err != nil {
		return err
	}
	var total int64
	if err := e.tx.QueryRowContext(ctx, "SELECT COALESCE(SUM(CELLS), 0) FROM information_schema.HBASEKV_FAMILIES").
		Scan(&total); err != nil {
		return err
	}
	e.begin(total)
	defer e.end()
	for _, database := range databases {
		if slices.Contains(systemDatabases, database) {
			continue
		}
		if err := e.dumpDatabase(ctx, database); err != nil {
			return err
		}
	}
	if err := cmp.Or(e.dumpMapped(ctx), e.dumpViews(ctx)); err != nil {
		return err
	}
	return e.foot()
}

// names are the values of a query's first column.
func (e *exporter) names(ctx context.Context, query string, args ...any) (names []string, err error) {
	err = cli.EachRow(ctx, e.tx, func(field []sql.NullString) error {
		names = append(names, field[0].String)
		return nil
	}, query, args...)
	return names, err
}

func (e *exporter) dumpDatabase(ctx context.Context, database string) error {
	err := e.create(ctx, "DATABASE", "", database)
	fmt.Fprintf(e.out, "USE %s;\n", cli.QuoteName(database))
	if err != nil {
		return err
	}
	groups, err := e.names(ctx, "SHOW TABLEGROUPS FROM "+cli.QuoteName(database))
	if err != nil {
		return err
	}
	for _, group := range slices.Compact(groups) {
		if err := e.create(ctx, "TABLEGROUP", database+".", group); err != nil {
			return err
		}
	}
	tables, err := e.names(ctx, `SELECT TABLE_NAME FROM information_schema.HBASEKV_FAMILIES
		WHERE TABLE_SCHEMA = ? ORDER BY TABLE_NAME`, database)
	if err != nil {
		return err
	}
	for _, table := range tables {
		if err := e.dumpTable(ctx, database+".", table); err != nil {
			return err
		}
	}
	return nil
}

// dumpMapped writes the tables that are mapped onto families, which have no cells of their own.
func (e *exporter) dumpMapped(ctx context.Context) error {
	var mapped [][2]string
	err := cli.EachRow(ctx, e.tx, func(field []sql.NullString) error {
		mapped = append(mapped, [2]string{field[0].String, field[1].String})
		return nil
	}, `SELECT TABLE_SCHEMA, TABLE_NAME FROM information_schema.TABLES t WHERE TABLE_TYPE = 'BASE TABLE' AND
		TABLE_SCHEMA NOT IN ('information_schema', 'mysql', 'performance_schema', 'sys') AND NOT EXISTS (SELECT 1 FROM
		information_schema.HBASEKV_FAMILIES f WHERE f.TABLE_SCHEMA = t.TABLE_SCHEMA AND
		t.TABLE_NAME IN (f.TABLE_NAME, f.TABLEGROUP_NAME)) ORDER BY TABLE_SCHEMA, TABLE_NAME`)
	for _, m := range mapped {
		if err == nil {
			fmt.Fprintf(e.out, "USE %s;\n", cli.QuoteName(m[0]))
			err = e.create(ctx, "TABLE", m[0]+".", m[1])
		}
	}
	return err
}

// dumpView is a SQL view.
type dumpView struct {
	database, name, text string
	written              bool
}

// dumpViews writes the views, each after those that its text names.
func (e *exporter) dumpViews(ctx context.Context) error {
	var views []*dumpView
	err := cli.EachRow(ctx, e.tx, func(field []sql.NullString) error {
		views = append(views, &dumpView{database: field[0].String, name: field[1].String, text: field[2].String})
		return nil
	}, `SELECT TABLE_SCHEMA, TABLE_NAME, VIEW_DEFINITION FROM information_schema.VIEWS v WHERE NOT EXISTS (
		SELECT 1 FROM information_schema.HBASEKV_FAMILIES f
		WHERE f.TABLE_SCHEMA = v.TABLE_SCHEMA AND f.TABLEGROUP_NAME = v.TABLE_NAME) ORDER BY 1, 2`)
	if err != nil {
		return err
	}
	for _, v := range views {
		if err := e.dumpView(ctx, v, views); err != nil {
			return err
		}
	}
	return nil
}

// dumpView writes a view, unless that has been done, and before it the views
// that it may read: a name that is in a comment or a string does no harm.
func (e *exporter) dumpView(ctx context.Context, v *dumpView, views []*dumpView) error {
	if v.written {
		return nil
	}
	v.written = true
	for _, other := range views {
		if strings.Contains(v.text, cli.QuoteName(other.database+"."+other.name)) {
			if err := e.dumpView(ctx, other, views); err != nil {
				return err
			}
		}
	}
	fmt.Fprintf(e.out, "USE %s;\n", cli.QuoteName(v.database))
	return e.create(ctx, "VIEW", v.database+".", v.name)
}
