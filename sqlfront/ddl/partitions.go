package ddl

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/partition"
	"github.com/hbasekv/hbasekv/sqlfront/ddl/declare"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// setPartitioning makes the table's scheme of PARTITION BY.
func (d *DDL) setPartitioning(t *kv.Table, by *ast.PartitionBy) error {
	t.Partitioning, t.PartitionColumn = &partition.Scheme{}, ""
	if by == nil {
		return nil
	}
	if len(by.Splits) > 0 && by.Method != "RANGE COLUMNS" {
		return mysqlerr.New(mysqlerr.WrongUsage, "Incorrect usage of SPLITS and PARTITION BY %s: only ranges are split", by.Method)
	}
	return schemeError(d.setLevels(t, by))
}

// setRows makes the cut by row of one level of PARTITION BY.
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

// checkIntegers refuses RANGE, which is of integers, over bytes.
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

// schemeErrors gives the errors of schemes MySQL's numbers and sentences.
var schemeErrors = []struct {
	is     error
	number mysqlerr.Number
	says   string
}{
	{partition.ErrNoPartitions, mysqlerr.NoPartitions, "Number of partitions = 0 is not an allowed value"},
	{partition.ErrTooMany, mysqlerr.TooManyPartitions, "Too many partitions (including subpartitions) were defined: at most " +
		strconv.Itoa(partition.MaxPartitions)},
	{partition.ErrNotIncreasing, mysqlerr.RangeNotIncreasing, "VALUES LESS THAN value must be strictly increasing for each partition"},
	{partition.ErrEmptyPoint, mysqlerr.RangeNotIncreasing, "VALUES LESS THAN value must be strictly increasing for each partition: nothing is below ''"},
	{partition.ErrMaxNotLast, mysqlerr.PartitionMaxvalue, "MAXVALUE can only be used in last partition definition"},
	{partition.ErrMaxValue, mysqlerr.PartitionMaxvalue, "MAXVALUE can only be used in last partition definition"},
	{partition.ErrLastPartition, mysqlerr.DropLastPartition, "Cannot remove all partitions, use DROP TABLE instead"},
	{partition.ErrNotNeighbours, mysqlerr.NotConsecutive, "When reorganizing a set of partitions they must be in consecutive order"},
	{partition.ErrOutside, mysqlerr.ReorganizeOutside,
		"Reorganize of range partitions cannot change total ranges except for last partition where it can extend the range"},
}

func schemeError(err error) error {
	if errors.Is(err, partition.ErrDuplicateName) {
		_, name, _ := strings.Cut(err.Error(), ": ")
		return mysqlerr.New(mysqlerr.SameNamePartition, "Duplicate partition name %s", name)
	}
	for _, e := range schemeErrors {
		if errors.Is(err, e.is) {
			return mysqlerr.New(e.number, "%s", e.says)
		}
	}
	return err
}

// setKeyPartitioning is KEY(K), KEY() and KEY of a generated column.
func setKeyPartitioning(t *kv.Table, by *ast.PartitionBy) (err error) {
	n, err := keyPartitions(by)
	if err != nil {
		return err
	}
	if err := oneColumn(by); err != nil {
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

// oneColumn refuses a partitioning by several columns.
func oneColumn(by *ast.PartitionBy) error {
	for i, name := range by.Columns {
		if slices.ContainsFunc(by.Columns[:i], func(other string) bool { return strings.EqualFold(name, other) }) {
			return mysqlerr.New(mysqlerr.SamePartitionField, "Duplicate partition field name '%s'", name)
		}
	}
	if len(by.Columns) > 1 {
		return mysqlerr.Unsupported("PARTITION BY " + by.Method + " of several columns: a row must be in one partition")
	}
	return nil
}

// notPartitionable is the error of a cut by row over anything but the row.
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
	return mysqlerr.Unsupported("RANGE COLUMNS of the generated column '" + name + "': it is for K and for one over T")
}

// keyPartitions is the number of partitions. Their names are p0, p1 and so on;
// a list of names must say the same.
func keyPartitions(by *ast.PartitionBy) (int, error) {
	if len(by.Defs) == 0 {
		if by.Partitions == 0 && by.Counted {
			return 0, partition.ErrNoPartitions
		}
		return max(by.Partitions, 1), nil
	}
	if err := checkCount(by); err != nil {
		return 0, err
	}
	return len(by.Defs), checkKeyDefs(by.Defs, 0)
}

// checkKeyDefs refuses definitions of KEY partitions, from the given number on,
// that say anything of their own.
func checkKeyDefs(defs []ast.PartitionDef, from int) error {
	for i, def := range defs {
		at, err := strconv.Atoi(strings.TrimPrefix(strings.ToLower(def.Name), "p"))
		switch {
		case len(def.LessThan)+len(def.In) > 0:
			return wrongValues(def)
		case strings.EqualFold(def.Name, "p"+strconv.Itoa(from+i)):
		case err == nil && at < from+i && strings.EqualFold(def.Name, "p"+strconv.Itoa(at)):
			return mysqlerr.New(mysqlerr.SameNamePartition, "Duplicate partition name %s", def.Name)
		default:
			return mysqlerr.Unsupported("names of KEY partitions other than p0, p1, ... ('" + def.Name + "')")
		}
	}
	return nil
}

// wrongValues is the error of VALUES that the method of partitioning has not.
func wrongValues(def ast.PartitionDef) error {
	method, values := "RANGE", "LESS THAN"
	if len(def.In) > 0 {
		method, values = "LIST", "IN"
	}
	return mysqlerr.New(mysqlerr.PartitionWrongValues, "Only %s PARTITIONING can use VALUES %s in partition definition (partition %s)", method, values, def.Name)
}

// checkCount holds the number behind PARTITIONS to the definitions.
func checkCount(by *ast.PartitionBy) error {
	if by.Counted && by.Partitions != len(by.Defs) {
		return mysqlerr.New(mysqlerr.PartitionWrongCount, "Wrong number of partitions defined, mismatch with previous setting")
	}
	return nil
}

func (d *DDL) setRangePartitioning(t *kv.Table, by *ast.PartitionBy) (err error) {
	if err := oneColumn(by); err != nil {
		return err
	}
	if !strings.EqualFold(by.Columns[0], "K") {
		return notPartitionable(t, by.Columns[0])
	}
	if len(by.Splits) > 0 {
		return d.setSplits(t, by)
	}
	if len(by.Defs) == 0 {
		return partitionsUndefined()
	}
	if err := checkCount(by); err != nil {
		return err
	}
	names, upper, err := d.ranges(by.Defs)
	if err == nil {
		t.Partitioning, err = partition.NewRange(names, upper)
	}
	return err
}

func partitionsUndefined() error {
	return mysqlerr.New(mysqlerr.PartitionsMustBeDefined, "For RANGE partitions each partition must be defined")
}

// bound is the upper bound of a partition by row, nil for MAXVALUE.
func (d *DDL) bound(def ast.PartitionDef) ([]byte, error) {
	v, err := oneBound(def)
	switch {
	case err != nil, v.MaxValue:
		return nil, err
	}
	if row, ok := d.row(v); ok {
		return row, nil
	}
	return nil, mysqlerr.New(mysqlerr.PartitionColumnType,
		"Partition column values of incorrect type: the bound of partition %s is a string or X'..'", def.Name)
}

// row is a value that stands for a row: a string.
func (d *DDL) row(v ast.PartValue) (row []byte, ok bool) {
	if v.Param < 0 {
		return append([]byte{}, v.Bytes...), !v.MaxValue && !v.Null && !v.Number
	}
	p := d.Params[v.Param]
	return append([]byte{}, p.Raw()...), p.Kind() == value.Text || p.Kind() == value.Bytes
}

// oneBound is the one value of VALUES LESS THAN.
func oneBound(def ast.PartitionDef) (v ast.PartValue, err error) {
	switch {
	case len(def.In) > 0:
		return v, wrongValues(def)
	case len(def.LessThan) == 0:
		return v, mysqlerr.New(mysqlerr.PartitionRequiresValues,
			"Syntax error: RANGE PARTITIONING requires definition of VALUES LESS THAN for each partition (partition %s)", def.Name)
	case len(def.LessThan) > 1:
		return v, mysqlerr.New(mysqlerr.PartitionColumnList, "Inconsistency in usage of column lists for partitioning (partition %s)", def.Name)
	}
	if v = def.LessThan[0]; v.Null {
		err = mysqlerr.New(mysqlerr.NullInValuesLessThan, "Not allowed to use NULL value in VALUES LESS THAN (partition %s)", def.Name)
	}
	return v, err
}
