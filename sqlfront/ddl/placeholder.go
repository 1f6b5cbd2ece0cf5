package ddl

import (
	"context"
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/parse/lex"
)

// isPlaceholder recognizes the table that mydumper writes before each view, so that other views may refer to
// it before it exists: its columns are all int, it is MyISAM or MEMORY, and has no key. The view's own file
// drops it.
func isPlaceholder(st *ast.CreateTable) bool {
	plain := func(c ast.ColumnDef) bool {
		return c.Type == "int" && c.Length < 0 && !c.Unsigned && !c.NotNull && !c.Null && !c.PrimaryKey && c.Default == nil &&
			c.Comment == "" && c.OnUpdate == ""
	}
	encryption := func(o ast.TableOption) bool { return o.Name == "ENCRYPTION" }
	o := st.Options
	return len(st.Columns) > 0 && !slices.ContainsFunc(st.Columns, func(c ast.ColumnDef) bool { return !plain(c) }) &&
		(strings.EqualFold(o.Engine, "MyISAM") || strings.EqualFold(o.Engine, "MEMORY")) &&
		st.PrimaryKey == nil && st.Keys == nil && st.Partition == nil && st.Fill == nil && o.Comment == nil && o.Charset == "" &&
		!slices.ContainsFunc(o.Other, func(other ast.TableOption) bool { return !encryption(other) })
}

// createPlaceholder creates a view without rows for such a table: it is not a column family, and DROP TABLE
// IF EXISTS and DROP VIEW IF EXISTS of a restore remove it completely.
func (d *DDL) createPlaceholder(ctx context.Context, database string, st *ast.CreateTable) error {
	var names, nulls []string
	for _, c := range st.Columns {
		names, nulls = append(names, lex.QuoteName(c.Name)), append(nulls, "CAST(NULL AS SIGNED)")
	}
	name := lex.QuoteName(database) + "." + lex.QuoteName(st.Name.Name)
	text := "CREATE VIEW " + name + " (" + strings.Join(names, ", ") +
		") AS SELECT " + strings.Join(nulls, ", ") + " FROM DUAL WHERE FALSE"
	parsed, err := parse.ParseContext(ctx, text)
	if err != nil {
		return err
	}
	made := *d
	made.Parsed = parsed
	if err := made.createView(ctx, parsed.Stmt.(*ast.CreateView)); err != nil {
		return err
	}
	d.Note(mysqlerr.NotSupportedYet,
		"The table is a placeholder, as mydumper writes it before a view: it is a view without rows")
	return nil
}
