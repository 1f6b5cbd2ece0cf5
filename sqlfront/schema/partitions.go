package schema

import (
	"errors"
	"strconv"
	"strings"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/partition"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// setPartitioning makes the table's scheme of PARTITION BY.
func (d *DDL) setPartitioning(t *kv.Table, by *parse.PartitionBy) (err error) {
	t.Partitioning, t.PartitionColumn = &partition.Scheme{}, ""
	if by == nil {
		return nil
	}
	if by.Sub != nil {
		return mysqlerr.Unsupported("SUBPARTITION BY")
	}
	if len(by.Splits) > 0 && by.Method != "RANGE COLUMNS" {
		return mysqlerr.New(mysqlerr.WrongUsage, "Incorrect usage of SPLITS and PARTITION BY %s: only ranges are split", by.Method)
	}
	switch by.Method {
	case "KEY":
		err = setKeyPartitioning(t, by)
	case "RANGE COLUMNS":
		err = d.setRangePartitioning(t, by)
	default:
		err = mysqlerr.Unsupported("PARTITION BY " + by.Method + ": use KEY(K), KEY of a generated column, or RANGE COLUMNS(K)")
	}
	return schemeError(err)
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
	{partition.ErrDuplicateName, mysqlerr.SameNamePartition, "Duplicate partition name"},
	{partition.ErrEmptyPoint, mysqlerr.RangeNotIncreasing, "VALUES LESS THAN value must be strictly increasing for each partition: nothing is below ''"},
	{partition.ErrMaxNotLast, mysqlerr.PartitionMaxvalue, "MAXVALUE can only be used in last partition definition"},
	{partition.ErrMaxValue, mysqlerr.PartitionMaxvalue, "MAXVALUE can only be used in last partition definition"},
	{partition.ErrLastPartition, mysqlerr.DropLastPartition, "Cannot remove all partitions, use DROP TABLE instead"},
	{partition.ErrNotNeighbours, mysqlerr.NotConsecutive, "When reorganizing a set of partitions they must be in consecutive order"},
	{partition.ErrOutside, mysqlerr.ReorganizeOutside,
		"Reorganize of range partitions cannot change total ranges except for last partition where it can extend the range"},
}

func schemeError(err error) error {
	for _, e := range schemeErrors {
		if errors.Is(err, e.is) {
			return mysqlerr.New(e.number, "%s", e.says)
		}
	}
	return err
}

// setKeyPartitioning is KEY(K), KEY() and KEY of a generated column.
func setKeyPartitioning(t *kv.Table, by *parse.PartitionBy) (err error) {
	n, err := keyPartitions(by)
	if err != nil {
		return err
	}
	if len(by.Columns) > 1 {
		return mysqlerr.Unsupported("PARTITION BY KEY of several columns: a row must be in one partition")
	}
	if len(by.Columns) == 0 || strings.EqualFold(by.Columns[0], "K") {
		t.Partitioning, err = partition.NewKey(n)
		return err
	}
	for _, p := range t.Prefixes {
		if strings.EqualFold(p.Name, by.Columns[0]) {
			t.PartitionColumn = p.Name
			t.Partitioning, err = partition.NewPrefixKey(n, p.Length)
			return err
		}
	}
	return notPartitionable(by.Columns[0])
}

// notPartitionable is the error of a partitioning by anything but the row.
func notPartitionable(column string) error {
	for _, name := range columnNames {
		if strings.EqualFold(name, column) {
			return mysqlerr.Unsupported("partitioning by column " + name + ": a row must be in one partition")
		}
	}
	return mysqlerr.New(mysqlerr.FieldNotInPartFunc, "Field in list of fields for partition function not found in table: '%s'", column)
}

// keyPartitions is the number of partitions. Their names are p0, p1 and so on;
// a list of names must say the same.
func keyPartitions(by *parse.PartitionBy) (int, error) {
	if len(by.Defs) == 0 {
		if by.Partitions == 0 && by.Counted {
			return 0, partition.ErrNoPartitions
		}
		return max(by.Partitions, 1), nil
	}
	for i, def := range by.Defs {
		if err := checkKeyName(def.Name, i); err != nil {
			return 0, err
		}
	}
	return len(by.Defs), nil
}

func checkKeyName(name string, i int) error {
	if !strings.EqualFold(name, "p"+strconv.Itoa(i)) {
		return mysqlerr.Unsupported("names of KEY partitions other than p0, p1, ... ('" + name + "')")
	}
	return nil
}

func (d *DDL) setRangePartitioning(t *kv.Table, by *parse.PartitionBy) (err error) {
	if len(by.Columns) != 1 {
		return mysqlerr.Unsupported("PARTITION BY RANGE COLUMNS of several columns: a row must be in one partition")
	}
	if !strings.EqualFold(by.Columns[0], "K") {
		return notPartitionable(by.Columns[0])
	}
	if len(by.Splits) > 0 {
		return d.setSplits(t, by)
	}
	if len(by.Defs) == 0 {
		return mysqlerr.New(mysqlerr.PartitionsMustBeDefined, "For RANGE partitions each partition must be defined")
	}
	names, upper, err := d.ranges(by.Defs)
	if err != nil {
		return err
	}
	t.Partitioning, err = partition.NewRange(names, upper)
	if errors.Is(err, partition.ErrDuplicateName) {
		return mysqlerr.New(mysqlerr.SameNamePartition, "Duplicate partition name %s", duplicateOf(names))
	}
	return err
}

func duplicateOf(names []string) string {
	seen := map[string]bool{}
	for _, name := range names {
		folded := strings.ToLower(name)
		if seen[folded] {
			return name
		}
		seen[folded] = true
	}
	return ""
}

// bound is the upper bound of a partition, nil for MAXVALUE.
func (d *DDL) bound(def parse.PartitionDef) ([]byte, error) {
	if len(def.LessThan) != 1 {
		return nil, mysqlerr.New(mysqlerr.PartitionsMustBeDefined,
			"For RANGE partitions each partition must be defined: partition %s needs VALUES LESS THAN of one value", def.Name)
	}
	v := def.LessThan[0]
	switch {
	case v.MaxValue:
		return nil, nil
	case v.Null:
		return nil, mysqlerr.New(mysqlerr.PartitionColumnType, "Not allowed to use NULL value in VALUES LESS THAN (partition %s)", def.Name)
	case v.Param >= 0:
		return d.boundParam(def.Name, v.Param)
	case v.Number:
		return nil, wrongBound(def.Name)
	}
	return append([]byte{}, v.Bytes...), nil
}

func (d *DDL) boundParam(name string, index int) ([]byte, error) {
	v := d.Params[index]
	if k := v.Kind(); k != value.Text && k != value.Bytes {
		return nil, wrongBound(name)
	}
	return append([]byte{}, v.Raw()...), nil
}

func wrongBound(name string) error {
	return mysqlerr.New(mysqlerr.PartitionColumnType,
		"Partition column values of incorrect type: the bound of partition %s is a string or X'..'", name)
}
