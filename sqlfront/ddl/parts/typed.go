package parts

import (
	"slices"
	"strings"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/partition"
	"github.com/hbasekv/hbasekv/sqlfront/coltype"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
)

// Partition sets the partitions of a typed table's family from PARTITION BY: ranges of the first columns of
// the primary key, or a hash of them. Its errors are those of the scheme, 1235, 1503, 1653, 1654 and 1659.
func (r *Rows) Partition(t *kv.Table, by *ast.PartitionBy) (err error) {
	if by.Sub != nil || slices.ContainsFunc(by.Defs, func(d ast.PartitionDef) bool { return len(d.Subs) > 0 }) {
		return mysqlerr.Unsupported("subpartitions of tables other than column families")
	}
	if r.Face.HasHiddenKey() {
		return mysqlerr.Unsupported("partitions of a table without a primary key: they are by the first columns of the primary key")
	}
	columns, err := columnsOf(by)
	if err != nil {
		return err
	}
	if r.Columns, err = r.prefix(columns); err != nil {
		return err
	}
	if Hashes(by) {
		if err = r.checkHashed(by); err == nil {
			t.Partitioning, err = r.keys(by)
		}
	} else if err = r.checkTypes(); err == nil {
		t.Partitioning, err = r.Ranged(by)
	}
	if err == nil {
		r.Face.SetPartitionColumns(t, r.Columns)
	}
	return err
}

// Hashes reports whether PARTITION BY is a hash of columns. Which one it is is the store's affair: HASH of a column
// and LINEAR are KEY.
func Hashes(by *ast.PartitionBy) bool {
	return strings.HasSuffix(by.Method, "KEY") || strings.HasSuffix(by.Method, "HASH")
}

// checkHashed is error 1659 for HASH of a column that is not an integer.
func (r *Rows) checkHashed(by *ast.PartitionBy) error {
	if c := &r.Face.Columns[r.Face.Key[0]]; strings.HasSuffix(by.Method, "HASH") && !isInteger(c.Type.Base) {
		return notAllowed(c.Name)
	}
	return nil
}

func notAllowed(column string) error {
	return mysqlerr.New(mysqlerr.FieldTypeNotAllowed, "Field '%s' is of a not allowed type for this type of partitioning", column)
}

// columnsOf are the columns that PARTITION BY names: none for KEY(), which means those of the primary key.
func columnsOf(by *ast.PartitionBy) ([]string, error) {
	switch by.Method {
	case "KEY", "LINEAR KEY", "RANGE COLUMNS":
		return by.Columns, checkDuplicates(by.Columns)
	case "RANGE", "HASH", "LINEAR HASH":
		if c, ok := by.Expr.(*sqlparser.ColName); ok {
			return []string{c.Name.String()}, nil
		}
		use := "RANGE COLUMNS"
		if Hashes(by) {
			use = "KEY"
		}
		return nil, mysqlerr.Unsupported("PARTITION BY " + by.Method + " of an expression: use " + use + " of the first columns of the primary key")
	}
	return nil, mysqlerr.Unsupported("PARTITION BY " + by.Method + ": use RANGE COLUMNS, or KEY, of the first columns of the primary key")
}

// prefix is the number of columns by which the table is partitioned: the first ones of the primary key, in
// any order for a hash. The error is 1503 for others.
func (r *Rows) prefix(names []string) (int, error) {
	if len(names) == 0 {
		return len(r.Face.Key), nil
	}
	for i, name := range names {
		at := r.Face.Column(name)
		if at < 0 {
			return 0, mysqlerr.New(mysqlerr.FieldNotInPartFunc, "Field in list of fields for partition function not found in table: '%s'", name)
		}
		switch part := r.Face.KeyPart(at); {
		case part < 0:
			return 0, mysqlerr.New(mysqlerr.UniqueKeyNeedsAllFields, "A PRIMARY KEY must include all columns in the table's partitioning function")
		case part != i:
			return 0, mysqlerr.New(mysqlerr.UniqueKeyNeedsAllFields, "A PRIMARY KEY must include all columns in the table's "+
				"partitioning function first: '%s' is number %d", name, part+1)
		}
	}
	return len(names), nil
}

// keys are partitions by a hash.
func (r *Rows) keys(by *ast.PartitionBy) (*partition.Scheme, error) {
	n, err := KeyCount(by)
	if err != nil {
		return nil, err
	}
	if r.Columns == len(r.Face.Key) {
		return partition.NewKey(n)
	}
	hashed, ok := r.Face.HashedBytes(r.Columns)
	if !ok {
		return nil, mysqlerr.Unsupported("PARTITION BY KEY of columns of varying length, unless they are the whole primary key: use KEY()")
	}
	return partition.NewPrefixKey(n, hashed)
}

// checkTypes is error 1659 for columns that cannot have ranges, and 1235 for those whose value cannot be read
// from a bound.
func (r *Rows) checkTypes() error {
	for _, at := range r.Face.Key[:r.Columns] {
		c := &r.Face.Columns[at]
		if !mayBeRange(c.Type.Base) {
			return notAllowed(c.Name)
		}
	}
	if !r.Face.HasBounds(r.Columns) {
		return mysqlerr.Unsupported("RANGE COLUMNS of texts whose collation considers different texts equal: declare COLLATE utf8mb4_bin")
	}
	return nil
}

// mayBeRange reports whether RANGE COLUMNS allows columns of a type, as in MySQL.
func mayBeRange(b coltype.Base) bool {
	switch b {
	case coltype.Date, coltype.Time, coltype.DateTime, coltype.Char, coltype.VarChar, coltype.Binary, coltype.VarBinary:
		return true
	}
	return isInteger(b)
}
