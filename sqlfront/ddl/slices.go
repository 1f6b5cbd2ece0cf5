package ddl

import (
	"math"
	"strconv"
	"strings"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/partition"
	"github.com/hbasekv/hbasekv/sqlfront/ddl/parts"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// setLevels sets the table's scheme from the one or two levels of PARTITION BY: one by row, one by time, or
// one below the other.
func (d *DDL) setLevels(t *kv.Table, by *ast.PartitionBy) error {
	byTime := overTime(t, by.Method, by.Columns, by.Expr)
	if by.Sub == nil {
		if err := noSubpartitions(by.Defs); err != nil {
			return err
		}
		if byTime {
			return d.setSlices(t, by, true)
		}
		return d.setRows(t, by)
	}
	below := overTime(t, by.Sub.Method, by.Sub.Columns, by.Sub.Expr)
	switch {
	case byTime && by.Sub.Method == "KEY":
		return d.setKeyBelowTime(t, by)
	case byTime && !strings.HasPrefix(by.Sub.Method, "RANGE"):
		return mysqlerr.Unsupported("SUBPARTITION BY " + by.Sub.Method + ": use KEY(K) or KEY of a generated column over K")
	case !byTime && below:
		return d.setTimeBelowRows(t, by)
	}
	return mysqlerr.New(mysqlerr.SubpartitionError, "It is only possible to mix RANGE/LIST partitioning with HASH/KEY partitioning for subpartitioning: "+
		"one level is by row, the other RANGE COLUMNS of a generated column abs(T)")
}

// overTime reports whether a level is RANGE over the generated column over T.
func overTime(t *kv.Table, method string, columns []string, e sqlparser.Expr) bool {
	if schema.Of(t).TimeColumn == nil {
		return false
	}
	switch method {
	case "RANGE COLUMNS":
		return len(columns) == 1 && strings.EqualFold(columns[0], schema.Of(t).TimeColumn.Name)
	case "RANGE":
		c, ok := e.(*sqlparser.ColName)
		return ok && c.Name.EqualString(schema.Of(t).TimeColumn.Name)
	}
	return false
}

// setKeyBelowTime is RANGE COLUMNS(G) SUBPARTITION BY KEY(K).
func (d *DDL) setKeyBelowTime(t *kv.Table, by *ast.PartitionBy) error {
	sub := *by.Sub
	if !sub.Counted && len(sub.Template) == 0 && len(by.Defs) > 0 && len(by.Defs[0].Subs) > 0 {
		sub.Partitions, sub.Counted = len(by.Defs[0].Subs), true
	}
	switch {
	case sub.Counted && sub.Partitions == 0:
		return mysqlerr.New(mysqlerr.NoPartitions, "Number of subpartitions = 0 is not an allowed value")
	case sub.Counted && len(sub.Template) > 0 && sub.Partitions != len(sub.Template):
		return wrongSubpartitions()
	}
	method := ast.PartitionMethod{Method: sub.Method, Algorithm: sub.Algorithm, Columns: sub.Columns}
	err := d.setRows(t, &ast.PartitionBy{PartitionMethod: method, Partitions: sub.Partitions, Counted: sub.Counted,
		Defs: sub.Template})
	if err != nil {
		return err
	}
	if err := checkSubpartitions(by.Defs, t.Partitioning.Len()); err != nil {
		return err
	}
	return d.setSlices(t, by, true)
}

// setTimeBelowRows is KEY(K), or RANGE COLUMNS(K), SUBPARTITION BY RANGE
// COLUMNS(G) SUBPARTITION TEMPLATE (...).
func (d *DDL) setTimeBelowRows(t *kv.Table, by *ast.PartitionBy) error {
	for _, def := range by.Defs {
		if len(def.Subs) > 0 {
			return mysqlerr.Unsupported("subpartitions by time of single partitions: use SUBPARTITION TEMPLATE (...)")
		}
	}
	if by.Sub.Counted && by.Sub.Partitions != len(by.Sub.Template) {
		return wrongSubpartitions()
	}
	if err := d.setRows(t, by); err != nil {
		return err
	}
	times := &ast.PartitionBy{PartitionMethod: ast.PartitionMethod{Method: by.Sub.Method}, Defs: by.Sub.Template}
	return d.setSlices(t, times, false)
}

// setSlices adds the partitions by time to the table's scheme.
func (d *DDL) setSlices(t *kv.Table, by *ast.PartitionBy, outer bool) error {
	if len(by.Defs) == 0 {
		return parts.Undefined()
	}
	if err := parts.CheckCount(by); err != nil {
		return err
	}
	slices, err := d.slices(by.Defs, by.Method)
	if err != nil {
		return err
	}
	slices.Outer = outer
	t.Partitioning, err = t.Partitioning.Sliced(slices)
	return err
}

// slices are the partitions by time of definitions; method is their kind, on which MySQL's errors depend.
func (d *DDL) slices(defs []ast.PartitionDef, method string) (*partition.Slices, error) {
	out := &partition.Slices{}
	for i, def := range defs {
		v, err := parts.OneBound(def)
		if err != nil {
			return nil, err
		}
		out.Names = append(out.Names, def.Name)
		if v.MaxValue {
			if i < len(defs)-1 {
				return nil, partition.ErrMaxNotLast
			}
			out.Max = true
			continue
		}
		bound, ok := d.timeBound(v)
		if !ok {
			return nil, wrongTimeBound(def.Name, method)
		}
		out.Upper = append(out.Upper, bound)
	}
	return out, nil
}

// timeBound is a bound of abs(T): an integer.
func (d *DDL) timeBound(v ast.PartValue) (int64, bool) {
	if v.Param < 0 {
		n, err := strconv.ParseInt(string(v.Bytes), 10, 64)
		return n, err == nil && v.Number
	}
	switch p := d.Params[v.Param]; p.Kind() {
	case value.Int:
		return p.Int(), true
	case value.Uint:
		return int64(p.Uint()), p.Uint() <= math.MaxInt64
	}
	return 0, false
}

func wrongTimeBound(name, method string) error {
	if method == "RANGE" {
		return mysqlerr.New(mysqlerr.ValuesNotInt, "VALUES value for partition '%s' must have type INT", name)
	}
	return mysqlerr.New(mysqlerr.PartitionColumnType, "Partition column values of incorrect type: the bound of partition %s is a bigint", name)
}

// noSubpartitions refuses subpartitions without SUBPARTITION BY.
func noSubpartitions(defs []ast.PartitionDef) error {
	for _, def := range defs {
		if len(def.Subs) > 0 {
			return mysqlerr.New(mysqlerr.SubpartitionError,
				"It is only possible to mix RANGE/LIST partitioning with HASH/KEY partitioning for subpartitioning: SUBPARTITION BY is missing")
		}
	}
	return nil
}

// checkSubpartitions checks that listed subpartitions by KEY have the names that they would get anyway.
func checkSubpartitions(defs []ast.PartitionDef, n int) error {
	for _, def := range defs {
		switch some := len(def.Subs) > 0; {
		case some != (len(defs[0].Subs) > 0):
			return mysqlerr.New(mysqlerr.PartitionSubpartMix, "Must define subpartitions on all partitions if on one partition")
		case some && len(def.Subs) != n:
			return wrongSubpartitions()
		}
		for i, sub := range def.Subs {
			if name := def.Name + "sp" + strconv.Itoa(i); !strings.EqualFold(sub.Name, name) {
				return mysqlerr.Unsupported("KEY subpartitions with names other than the default: '" + sub.Name + "' instead of " + name)
			}
		}
	}
	return nil
}

func wrongSubpartitions() error {
	return mysqlerr.New(mysqlerr.PartitionWrongSubCount, "Wrong number of subpartitions defined, mismatch with previous setting")
}
