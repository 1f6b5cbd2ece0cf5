package ddl

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/ddl/declare"
	"github.com/hbasekv/hbasekv/sqlfront/ddl/retention"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
)

// The largest columns, in bytes.
const (
	maxKey       = declare.MaxKey
	maxVarbinary = 1 << 20
)

// broken is the error for a table that is not a column family; rule says which rule is broken and what to
// write.
func broken(rule string) error {
	return mysqlerr.Unsupported("tables other than column families: " + rule)
}

// describe makes the descriptor of a table that CREATE TABLE defines.
func (d *DDL) describe(ctx context.Context, database string, st *ast.CreateTable) (*kv.Table, error) {
	t := &kv.Table{Database: database, Temporary: st.Temporary}
	if err := declare.CheckParted(t, st.Partition); err != nil {
		return nil, err
	}
	schema.Edit(t)
	if err := setName(t, st.Name.Name, st.Options.HBase); err != nil {
		return nil, err
	}
	if err := checkGroupOption(t, st.Options); err != nil {
		return nil, err
	}
	if err := setColumns(t, st); err != nil {
		return nil, err
	}
	catalog, err := d.Store.Catalog(ctx)
	if err != nil {
		return nil, err
	}
	if home := catalog.Database(database); home != nil {
		schema.Of(t).Text = schema.TextOf(home)
	}
	if group := catalog.Group(database, t.Group); group != nil {
		t.Retention = group.Retention
	}
	if err := declare.SetOptions(t, st.Options); err != nil {
		return nil, err
	}
	if err := retention.Check(t.Name, t.Retention); err != nil {
		return nil, err
	}
	return t, d.setPartitioning(t, st.Partition)
}

// setName sets the name, and the group and family that follow from it.
func setName(t *kv.Table, name string, hbase bool) error {
	if err := declare.CheckName(name); err != nil {
		return err
	}
	t.Name, t.Group, t.Family, schema.Of(t).HBase = name, "", "", hbase
	at := strings.Index(name, "$")
	if at < 0 && hbase {
		if at = strings.LastIndex(name, "_"); at <= 0 || at == len(name)-1 {
			return broken("a table declared with HBase is named group_family, not '" + name + "'")
		}
	}
	if at > 0 && at < len(name)-1 && !t.Temporary { // it is not a family: others do not see it
		t.Group, t.Family = name[:at], name[at+1:]
	}
	return nil
}

func checkGroupOption(t *kv.Table, o ast.TableOptions) error {
	if declare.IsMapped(o) {
		return mysqlerr.Unsupported("mapping a column family: create a separate mapped table with CREATE TABLE")
	}
	if o.TableGroup != nil && *o.TableGroup != t.Group {
		return broken("a table of the table group " + *o.TableGroup + " is named " + *o.TableGroup + "$family")
	}
	return nil
}

// setColumns checks the columns and keys and stores what they declare.
func setColumns(t *kv.Table, st *ast.CreateTable) error {
	if len(st.Columns) < len(declare.CellColumns) {
		return broken("the columns must be K, Q, T and V")
	}
	for i := range st.Columns {
		c := &st.Columns[i]
		if i >= len(declare.CellColumns) {
			if err := addGenerated(t, c); err != nil {
				return err
			}
			continue
		}
		if !strings.EqualFold(c.Name, declare.CellColumns[i]) {
			return broken("column " + declare.CellColumns[i] + " is missing or not in the order K, Q, T, V (found '" + c.Name + "')")
		}
		if err := setColumn(t, i, c); err != nil {
			return err
		}
	}
	return cmp.Or(checkPrefixes(t), checkKeys(st), declare.SetCellIndexes(t, st.Keys))
}

// setColumn checks column i of K, Q, T, V and stores what it declares.
func setColumn(t *kv.Table, i int, c *ast.ColumnDef) error {
	if err := cmp.Or(declare.CheckComment(c), checkAttributes(c)); err != nil {
		return err
	}
	schema.Of(t).SetColumn(i, schema.Label{Name: c.Name, Comment: c.Comment})
	switch declare.CellColumns[i] {
	case "K":
		return setKeyColumn(&t.MaxRow, c)
	case "Q":
		return setKeyColumn(&t.MaxQualifier, c)
	case "T":
		if c.Type != "bigint" || c.Unsigned || c.Zerofill {
			return broken("column T must be bigint, signed")
		}
		return notNullable(c)
	}
	return setValueColumn(t, c)
}

// checkAttributes refuses attributes that no column may have.
func checkAttributes(c *ast.ColumnDef) error {
	switch {
	case c.Generated != nil:
		return broken("column " + c.Name + " cannot be generated")
	case c.AutoIncrement:
		return broken("column " + c.Name + " cannot have AUTO_INCREMENT")
	case c.Unique:
		return broken("column " + c.Name + " cannot be UNIQUE")
	case len(c.Checks) > 0:
		return broken("column " + c.Name + " cannot have CHECK")
	case c.OnUpdate != "":
		return broken("column " + c.Name + " cannot have ON UPDATE")
	case c.Default != nil && !c.Default.Null:
		return broken("column " + c.Name + " cannot have a DEFAULT other than NULL")
	}
	return nil
}

// setKeyColumn stores the length of K or Q.
func setKeyColumn(max *int, c *ast.ColumnDef) error {
	if c.Type != "varbinary" || c.Length < 1 {
		return broken("column " + c.Name + " must be varbinary(n)")
	}
	if c.Length > maxKey {
		return tooBig(c.Name, maxKey)
	}
	*max = c.Length
	return notNullable(c)
}

func tooBig(column string, max int) error {
	return mysqlerr.New(mysqlerr.TooBigField, "Column length too big for column '%s' (max = %d); use BLOB or TEXT instead", column, max)
}

// notNullable is the error for a nullable part of the primary key.
func notNullable(c *ast.ColumnDef) error {
	if c.Null {
		return mysqlerr.New(mysqlerr.PrimaryCantHaveNull,
			"All parts of a PRIMARY KEY must be NOT NULL; if you need NULL in a key, use UNIQUE instead (column '%s')", c.Name)
	}
	if c.Default != nil {
		return mysqlerr.New(mysqlerr.InvalidDefault, "Invalid default value for '%s'", c.Name)
	}
	return nil
}

func setValueColumn(t *kv.Table, c *ast.ColumnDef) error {
	v := kv.ValueType{Kind: c.Type, Nullable: !c.NotNull}
	switch v.Kind {
	case schema.VarBinary:
		if c.Length < 0 {
			return broken("column V must be varbinary(n), blob, mediumblob or longblob")
		}
		if v.Max = c.Length; v.Max > maxVarbinary {
			return tooBig(c.Name, maxVarbinary)
		}
	case schema.Blob:
		v = blobOf(c.Length, v)
	case schema.MediumBlob:
		v.Max = schema.MaxMediumBlob
	case schema.LongBlob:
		v.Max = schema.MaxLongBlob
	default:
		return broken("column V must be varbinary(n), blob, mediumblob or longblob, not " + c.Type)
	}
	if c.NotNull && c.Default != nil {
		return mysqlerr.New(mysqlerr.InvalidDefault, "Invalid default value for '%s'", c.Name)
	}
	t.Value = v
	return nil
}

// blobOf is BLOB(n): the smallest blob type that holds n bytes, as in MySQL.
func blobOf(n int, v kv.ValueType) kv.ValueType {
	switch {
	case n <= schema.MaxBlob:
		v.Kind, v.Max = schema.Blob, schema.MaxBlob
	case n <= schema.MaxMediumBlob:
		v.Kind, v.Max = schema.MediumBlob, schema.MaxMediumBlob
	default:
		v.Kind, v.Max = schema.LongBlob, schema.MaxLongBlob
	}
	return v
}

// checkKeys checks that the primary key is (K, Q, T).
func checkKeys(st *ast.CreateTable) error {
	for _, c := range st.Columns {
		if c.PrimaryKey {
			return broken("the primary key must be PRIMARY KEY (K, Q, T), not column " + c.Name + " alone")
		}
	}
	ok := len(st.PrimaryKey) == 3
	for i, name := range st.PrimaryKey {
		ok = ok && strings.EqualFold(name, declare.CellColumns[i])
	}
	if !ok {
		return broken("the primary key must be PRIMARY KEY (K, Q, T)")
	}
	return nil
}

// addGenerated adds a generated column: over the first bytes of K, or over T.
func addGenerated(t *kv.Table, c *ast.ColumnDef) error {
	if c.Generated == nil {
		return broken("column '" + c.Name + "': only generated columns over K or T are allowed after K, Q, T and V")
	}
	if hasColumn(t, c.Name) {
		return declare.DuplicateColumn(c.Name)
	}
	if err := declare.CheckComment(c); err != nil {
		return err
	}
	if declare.IsMagnitude(c.Generated.Expr) {
		return addTimeColumn(t, c)
	}
	n, ok := declare.PrefixLength(c.Generated.Expr)
	if !ok {
		return broken("generated column '" + c.Name + "' must be substring(K, 1, n), left(K, n) or abs(T)")
	}
	return addPrefix(t, c, n)
}

// addPrefix adds a generated column over the first n bytes of K.
func addPrefix(t *kv.Table, c *ast.ColumnDef, n int) error {
	if c.Type != "varbinary" || c.Length < 1 || c.NotNull || c.Default != nil {
		return broken("generated column '" + c.Name + "' must be varbinary(n), without NOT NULL and DEFAULT")
	}
	if c.Length > maxKey {
		return tooBig(c.Name, maxKey)
	}
	schema.Of(t).Prefixes = append(schema.Of(t).Prefixes, schema.PrefixColumn{
		Name: c.Name, Length: n, Max: c.Length, Stored: c.Generated.Stored, Comment: c.Comment,
	})
	return nil
}

// addTimeColumn adds the generated column for partitions by time.
func addTimeColumn(t *kv.Table, c *ast.ColumnDef) error {
	switch {
	case schema.Of(t).TimeColumn != nil:
		return broken("there can be only one generated column over T: '" + schema.Of(t).TimeColumn.Name + "' is abs(T) already")
	case c.Type != "bigint" || c.Unsigned || c.Zerofill || c.NotNull || c.Default != nil:
		return broken("generated column '" + c.Name + "' must be bigint, signed, without NOT NULL and DEFAULT")
	}
	schema.Of(t).TimeColumn = &schema.TimeColumn{Name: c.Name, Stored: c.Generated.Stored, Comment: c.Comment, Behind: len(schema.Of(t).Prefixes)}
	return nil
}

// hasColumn reports whether the table has the column, ignoring case: a migrator that compares names
// case-sensitively adds k to a table with K.
func hasColumn(t *kv.Table, name string) bool {
	return columnIndex(schema.Of(t).AllColumnNames(), name) >= 0
}

// columnIndex is the index of a column, -1 if there is none.
func columnIndex(names []string, name string) int {
	return slices.IndexFunc(names, func(each string) bool { return strings.EqualFold(each, name) })
}
