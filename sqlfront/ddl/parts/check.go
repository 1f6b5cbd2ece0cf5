package parts

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/hbasekv/hbasekv/partition"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
)

// schemeErrors are MySQL's numbers and messages for errors of schemes.
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

// SchemeError turns an error of a scheme into MySQL's, and returns any other as it is.
func SchemeError(err error) error {
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

// OneColumn refuses a partitioning by several columns.
func OneColumn(by *ast.PartitionBy) error {
	if err := checkDuplicates(by.Columns); err != nil || len(by.Columns) < 2 {
		return err
	}
	return mysqlerr.Unsupported("PARTITION BY " + by.Method + " of several columns: a row must be in one partition")
}

func checkDuplicates(names []string) error {
	for i, name := range names {
		if slices.ContainsFunc(names[:i], func(other string) bool { return strings.EqualFold(name, other) }) {
			return mysqlerr.New(mysqlerr.SamePartitionField, "Duplicate partition field name '%s'", name)
		}
	}
	return nil
}

// KeyCount is the number of partitions. Their names are p0, p1 and so on; a list of names must agree.
func KeyCount(by *ast.PartitionBy) (int, error) {
	if len(by.Defs) == 0 {
		if by.Partitions == 0 && by.Counted {
			return 0, partition.ErrNoPartitions
		}
		return max(by.Partitions, 1), nil
	}
	if err := CheckCount(by); err != nil {
		return 0, err
	}
	return len(by.Defs), CheckKeyDefs(by.Defs, 0)
}

// CheckKeyDefs refuses definitions of KEY partitions, from the given number on, that have options of their
// own.
func CheckKeyDefs(defs []ast.PartitionDef, from int) error {
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

// wrongValues is the error for a kind of VALUES that the method of partitioning does not have.
func wrongValues(def ast.PartitionDef) error {
	method, values := "RANGE", "LESS THAN"
	if len(def.In) > 0 {
		method, values = "LIST", "IN"
	}
	return mysqlerr.New(mysqlerr.PartitionWrongValues, "Only %s PARTITIONING can use VALUES %s in partition definition (partition %s)", method, values, def.Name)
}

// CheckCount checks that the number after PARTITIONS is that of the definitions.
func CheckCount(by *ast.PartitionBy) error {
	if by.Counted && by.Partitions != len(by.Defs) {
		return mysqlerr.New(mysqlerr.PartitionWrongCount, "Wrong number of partitions defined, mismatch with previous setting")
	}
	return nil
}

// Undefined is error 1492.
func Undefined() error {
	return mysqlerr.New(mysqlerr.PartitionsMustBeDefined, "For RANGE partitions each partition must be defined")
}
