package parse

import (
	"strconv"
	"strings"

	"github.com/xwb1989/sqlparser"
)

// InternalPrefix starts the names of the calls that stand for forms which
// sqlparser has no node for. No function of a user can have such a name.
const InternalPrefix = "$"

// The internal calls; they are sqlparser.FuncExpr nodes with these names.
const (
	FuncXor          = "$xor"             // (a, b, ...): a XOR b XOR ...
	FuncAny          = "$any"             // (subquery): right side of a comparison with ANY or SOME
	FuncAll          = "$all"             // (subquery): right side of a comparison with ALL
	FuncTrimBoth     = "$trim_both"       // (s) or (s, remove): TRIM(BOTH ...)
	FuncTrimLeading  = "$trim_leading"    // (s) or (s, remove)
	FuncTrimTrailing = "$trim_trailing"   // (s) or (s, remove)
	FuncCastDouble   = "$cast_double"     // (x): CAST(x AS DOUBLE) and REAL
	FuncCastFloat    = "$cast_float"      // (x): CAST(x AS FLOAT)
	FuncCastYear     = "$cast_year"       // (x): CAST(x AS YEAR)
	FuncUserVar      = "$user_variable"   // (name literal): @name
	FuncSetUserVar   = "$set_variable"    // (name literal, x): @name := x
	FuncSystemVar    = "$system_variable" // (scope literal, name literal): @@scope.name; the scope is empty, session or global
)

// LiteralIndex is the index in Parsed.Literals that v stands for.
func LiteralIndex(v *sqlparser.SQLVal) (i int, ok bool) {
	return bindIndex(v, ":s", 0)
}

// ParamIndex is the number of the placeholder, from 0, that v stands for.
func ParamIndex(v *sqlparser.SQLVal) (i int, ok bool) {
	return bindIndex(v, ":v", 1)
}

func bindIndex(v *sqlparser.SQLVal, prefix string, first int) (int, bool) {
	if v.Type != sqlparser.ValArg || !strings.HasPrefix(string(v.Val), prefix) {
		return 0, false
	}
	i, err := strconv.Atoi(string(v.Val[len(prefix):]))
	return i - first, err == nil
}

// tableMark separates a table's name in a sqlparser tree from the indexes of
// its period and its partitions. MySQL allows no NUL in a name.
const tableMark = "\x00"

// Table decodes a table name of a sqlparser tree.
func Table(name sqlparser.TableName) TableRef {
	ref := TableRef{Database: name.Qualifier.String(), Period: -1, Partitions: -1}
	text, marks, marked := strings.Cut(name.Name.String(), tableMark)
	ref.Name = text
	if marked {
		period, partitions, _ := strings.Cut(marks, tableMark)
		ref.Period, _ = strconv.Atoi(period)
		ref.Partitions, _ = strconv.Atoi(partitions)
	}
	return ref
}

// Star decodes what stands in front of a star. number is the star's in the
// Refs of a CreateView, -1 outside of one.
func Star(name sqlparser.TableName) (database, table string, number int) {
	ref := Table(name)
	return ref.Database, ref.Name, ref.Period
}

func markTable(name string, period, partitions int) string {
	if period < 0 && partitions < 0 {
		return name
	}
	return name + tableMark + strconv.Itoa(period) + tableMark + strconv.Itoa(partitions)
}

// SeparatorIndex is the index in Parsed.Literals of a GROUP_CONCAT's
// SEPARATOR; ok is false where none is given and MySQL's comma holds.
func SeparatorIndex(g *sqlparser.GroupConcatExpr) (i int, ok bool) {
	text := strings.TrimSuffix(strings.TrimPrefix(g.Separator, " separator ':s"), "'")
	i, err := strconv.Atoi(text)
	return i, err == nil
}
