package ddl

import (
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/partition"
	"github.com/hbasekv/hbasekv/sqlfront/coltype"
	"github.com/hbasekv/hbasekv/sqlfront/ddl/declare"
	"github.com/hbasekv/hbasekv/sqlfront/ddl/parts"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
	"github.com/hbasekv/hbasekv/sqlfront/typed"
)

// setPartitioning sets the table's scheme from PARTITION BY.
func (d *DDL) setPartitioning(t *kv.Table, by *ast.PartitionBy) error {
	t.Partitioning, t.PartitionColumn = &partition.Scheme{}, ""
	if by == nil {
		return nil
	}
	if len(by.Splits) > 0 && by.Method != "RANGE COLUMNS" {
		return mysqlerr.New(mysqlerr.WrongUsage, "Incorrect usage of SPLITS and PARTITION BY %s: only ranges are split", by.Method)
	}
	rows, err := d.rows(t)
	switch {
	case err != nil:
		return err
	case rows.Face != nil:
		return parts.SchemeError(rows.Partition(t, by))
	}
	return parts.SchemeError(d.setLevels(t, by))
}

// noteHash notes that a hash that MySQL knows by another name is KEY. The error is that of setting it.
func (d *DDL) noteHash(by *ast.PartitionBy, err error) error {
	if err == nil && by != nil && by.Method != "KEY" && parts.Hashes(by) {
		d.Note(mysqlerr.UnknownError, "PARTITION BY "+by.Method+" is PARTITION BY KEY of the same column: rows are in other partitions than in MySQL")
	}
	return err
}

// setRows sets the partitions by row of one level of PARTITION BY.
func (d *DDL) setRows(t *kv.Table, by *ast.PartitionBy) error {
	switch by.Method {
	case "KEY":
		return setKeyPartitioning(t, by)
	case "RANGE COLUMNS":
		return d.setRangePartitioning(t, by)
	case "RANGE":
		if err := checkIntegers(by); err != nil {
			return err
		}
	}
	return mysqlerr.Unsupported("PARTITION BY " + by.Method +
		": use KEY(K), KEY of a generated column over K, RANGE COLUMNS(K), or RANGE COLUMNS of a generated column abs(T)")
}

// checkIntegers refuses RANGE, which needs integers, over bytes.
func checkIntegers(by *ast.PartitionBy) error {
	for _, def := range by.Defs {
		for _, v := range def.LessThan {
			if !v.MaxValue && !v.Null && !v.Number && v.Param < 0 {
				return mysqlerr.New(mysqlerr.ValuesNotInt, "VALUES value for partition '%s' must have type INT: bounds of K need RANGE COLUMNS(K)", def.Name)
			}
		}
	}
	if column := strings.ToUpper(strings.Trim(by.ExprText, "`")); slices.Contains([]string{"K", "Q", "V"}, column) {
		return mysqlerr.New(mysqlerr.FieldTypeNotAllowed, "Field '%s' is of a not allowed type for this type of partitioning: use RANGE COLUMNS(K)", column)
	}
	return nil
}

// setKeyPartitioning is KEY(K), KEY(), and KEY over a generated column.
func setKeyPartitioning(t *kv.Table, by *ast.PartitionBy) (err error) {
	n, err := parts.KeyCount(by)
	if err != nil {
		return err
	}
	if err := parts.OneColumn(by); err != nil {
		return err
	}
	if len(by.Columns) == 0 || strings.EqualFold(by.Columns[0], "K") {
		t.Partitioning, err = partition.NewKey(n)
		return err
	}
	for _, p := range schema.Of(t).Prefixes {
		if strings.EqualFold(p.Name, by.Columns[0]) {
			t.PartitionColumn = p.Name
			t.Partitioning, err = partition.NewPrefixKey(n, p.Length)
			return err
		}
	}
	return notPartitionable(t, by.Columns[0])
}

// notPartitionable is the error for partitions by row over anything but the row.
func notPartitionable(t *kv.Table, name string) error {
	i := columnIndex(schema.Of(t).AllColumnNames(), name)
	switch {
	case i < 0:
		return mysqlerr.New(mysqlerr.FieldNotInPartFunc, "Field in list of fields for partition function not found in table: '%s'", name)
	case i == 2:
		return mysqlerr.Unsupported("partitioning by column " + declare.CellColumns[i] + ": use RANGE COLUMNS of a generated column abs(T)")
	case i < 2:
		return mysqlerr.Unsupported("partitioning by column " + declare.CellColumns[i] + ": a row must be in one partition")
	case i == 3 && t.Value.Kind != schema.VarBinary:
		return mysqlerr.New(mysqlerr.BlobFieldInPartFunc, "A BLOB field is not allowed in partition function")
	case i == 3, schema.Of(t).TimeColumn != nil && strings.EqualFold(name, schema.Of(t).TimeColumn.Name):
		return mysqlerr.New(mysqlerr.UniqueKeyNeedsAllFields, "A PRIMARY KEY must include all columns in the table's partitioning function")
	}
	return mysqlerr.Unsupported("RANGE COLUMNS of the generated column '" + name + "': it must be of K, or of a generated column over T")
}

func (d *DDL) setRangePartitioning(t *kv.Table, by *ast.PartitionBy) (err error) {
	if err := parts.OneColumn(by); err != nil {
		return err
	}
	if !strings.EqualFold(by.Columns[0], "K") {
		return notPartitionable(t, by.Columns[0])
	}
	t.Partitioning, err = (&parts.Rows{Params: d.Params, Columns: 1}).Ranged(by)
	return err
}

// rows converts values of the statement's partitions into rows of a table.
func (d *DDL) rows(t *kv.Table) (*parts.Rows, error) {
	out := &parts.Rows{Params: d.Params, Columns: 1}
	if schema.Of(t).Typed == nil {
		return out, nil
	}
	face, err := typed.Of(t)
	if err != nil {
		return nil, err
	}
	env := &function.Env{Strict: true, Session: &function.Session{Now: d.Now}}
	out.Face, out.Columns, out.Writing = face, face.PartitionColumns(t), &coltype.Writing{Env: env, Row: 1}
	return out, nil
}

// ranges are the names and the upper bounds of partitions of a table.
func (d *DDL) ranges(t *kv.Table, defs []ast.PartitionDef) (names []string, upper [][]byte, err error) {
	rows, err := d.rows(t)
	if err != nil {
		return nil, nil, err
	}
	return rows.Ranges(defs)
}
