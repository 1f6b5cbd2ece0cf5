package parts

import (
	"strconv"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/coltype"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/typed"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Rows converts the values of a statement into rows.
type Rows struct {
	// Params are the values of placeholders.
	Params []value.Value
	// Face is the typed table whose rows they are, nil for a column family.
	Face *typed.Table
	// Columns is the number of columns of its key, from the first, that have values; 1 for a column family.
	Columns int
	// Writing is used to convert them.
	Writing *coltype.Writing
}

// Ranges are the names and the upper bounds of definitions, nil for MAXVALUE.
func (r *Rows) Ranges(defs []ast.PartitionDef) (names []string, upper [][]byte, err error) {
	for _, def := range defs {
		bound, err := r.bound(def)
		if err != nil {
			return nil, nil, err
		}
		names, upper = append(names, def.Name), append(upper, bound)
	}
	return names, upper, nil
}

// Points are the rows to split at.
func (r *Rows) Points(values [][]ast.PartValue) ([][]byte, error) {
	points := make([][]byte, len(values))
	for i, row := range values {
		if len(row) != r.Columns {
			return nil, inconsistent("a split point")
		}
		var err error
		if points[i], err = r.row(row, "a split point"); err != nil {
			return nil, err
		}
		if points[i] == nil {
			return nil, wrongType("a split point", "MAXVALUE")
		}
	}
	return points, nil
}

// bound is the upper bound of a partition by row, nil for MAXVALUE.
func (r *Rows) bound(def ast.PartitionDef) ([]byte, error) {
	if err := checkBound(def); err != nil {
		return nil, err
	}
	if len(def.LessThan) == 1 && def.LessThan[0].MaxValue {
		return nil, nil
	}
	if len(def.LessThan) != r.Columns {
		return nil, inconsistent("partition " + def.Name)
	}
	return r.row(def.LessThan, "the bound of partition "+def.Name)
}

// checkBound checks that a partition has VALUES LESS THAN, without NULL.
func checkBound(def ast.PartitionDef) error {
	switch {
	case len(def.In) > 0:
		return wrongValues(def)
	case len(def.LessThan) == 0:
		return mysqlerr.New(mysqlerr.PartitionRequiresValues,
			"Syntax error: RANGE PARTITIONING requires definition of VALUES LESS THAN for each partition (partition %s)", def.Name)
	case strings.HasSuffix(def.Name, " "):
		return mysqlerr.New(mysqlerr.WrongPartitionName, "Incorrect partition name: '%s' ends with a space", def.Name)
	}
	for _, v := range def.LessThan {
		if v.Null {
			return mysqlerr.New(mysqlerr.NullInValuesLessThan, "Not allowed to use NULL value in VALUES LESS THAN (partition %s)", def.Name)
		}
	}
	return nil
}

// OneBound is the single value of VALUES LESS THAN.
func OneBound(def ast.PartitionDef) (v ast.PartValue, err error) {
	if err := checkBound(def); err != nil {
		return v, err
	}
	if len(def.LessThan) > 1 {
		return v, inconsistent("partition " + def.Name)
	}
	return def.LessThan[0], nil
}

func inconsistent(what string) error {
	return mysqlerr.New(mysqlerr.PartitionColumnList, "Inconsistency in usage of column lists for partitioning (%s)", what)
}

func wrongType(what, is string) error {
	return mysqlerr.New(mysqlerr.PartitionColumnType, "Partition column values of incorrect type: %s is %s", what, is)
}

// row is the first row with these values, nil for MAXVALUE; what names it in errors.
func (r *Rows) row(values []ast.PartValue, what string) ([]byte, error) {
	if r.Face != nil {
		return r.typedRow(values, what)
	}
	if values[0].MaxValue {
		return nil, nil
	}
	v, ok := r.given(values[0])
	if !ok || v.Kind() != value.Text && v.Kind() != value.Bytes {
		return nil, wrongType(what, "a string or X'..'")
	}
	return append([]byte{}, v.Raw()...), nil
}

// given is a value of the statement, false for NULL. A literal without quotes is a number.
func (r *Rows) given(v ast.PartValue) (value.Value, bool) {
	switch {
	case v.Param >= 0:
		return r.Params[v.Param], !r.Params[v.Param].IsNull()
	case v.Null:
		return value.Value{}, false
	case !v.Number:
		return value.NewText(v.Bytes), true
	}
	if n, err := strconv.ParseInt(string(v.Bytes), 10, 64); err == nil {
		return value.NewInt(n), true
	}
	if n, err := strconv.ParseUint(string(v.Bytes), 10, 64); err == nil {
		return value.NewUint(n), true
	}
	return value.NewFloat(0), true // a number that is not an integer cannot be a bound
}

// typedRow is row for a typed table.
func (r *Rows) typedRow(values []ast.PartValue, what string) ([]byte, error) {
	var first []value.Value
	for i, v := range values {
		if v.MaxValue {
			break
		}
		converted, err := r.converted(v, r.Face.Key[i], what)
		if err != nil {
			return nil, err
		}
		first = append(first, converted)
	}
	if len(first) == 0 {
		return nil, nil
	}
	row, ok := r.Face.Bound(first, len(first) < len(values))
	if !ok {
		return nil, wrongType(what, "not a value of the primary key's columns")
	}
	return row, nil
}

// converted is a value as the column stores it: integers are numbers, all others strings.
func (r *Rows) converted(v ast.PartValue, column int, what string) (value.Value, error) {
	c := &r.Face.Columns[column]
	wrong := wrongType(what, "not a value of type "+c.Type.String()+" for column '"+c.Name+"'")
	given, ok := r.given(v)
	isNumber := given.Kind() == value.Int || given.Kind() == value.Uint
	if !ok || isNumber != isInteger(c.Type.Base) || given.Kind() == value.Float {
		return value.Value{}, wrong
	}
	out, err := r.Face.Converter(column).Convert(r.Writing, given)
	if err != nil {
		return value.Value{}, wrong
	}
	return out, nil
}

func isInteger(b coltype.Base) bool { return b.IsInteger() || b == coltype.Year }
