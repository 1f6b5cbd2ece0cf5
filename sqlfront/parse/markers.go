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
// its period, its partitions and its common table expression. MySQL allows no
// NUL in a name.
const tableMark = "\x00"

// Table decodes a table name of a sqlparser tree.
func Table(name sqlparser.TableName) TableRef {
	ref := TableRef{Database: name.Qualifier.String(), Period: -1, Partitions: -1, Common: -1}
	text, marks, marked := strings.Cut(name.Name.String(), tableMark)
	ref.Name = text
	if marked {
		for i, mark := range strings.SplitN(marks, tableMark, 3) {
			*[...]*int{&ref.Period, &ref.Partitions, &ref.Common}[i], _ = strconv.Atoi(mark)
		}
	}
	return ref
}

// Star decodes what stands in front of a star. number is the star's in the
// Refs of a CreateView, -1 outside of one.
func Star(name sqlparser.TableName) (database, table string, number int) {
	ref := Table(name)
	return ref.Database, ref.Name, ref.Period
}

// mark is the name that a sqlparser tree has for the table.
func (r TableRef) mark() string {
	if r.Period < 0 && r.Partitions < 0 && r.Common < 0 {
		return r.Name
	}
	return r.Name + tableMark + strconv.Itoa(r.Period) + tableMark + strconv.Itoa(r.Partitions) + tableMark + strconv.Itoa(r.Common)
}

// SeparatorIndex is the index in Parsed.Literals of a GROUP_CONCAT's
// SEPARATOR; ok is false where none is given and MySQL's comma holds.
func SeparatorIndex(g *sqlparser.GroupConcatExpr) (i int, ok bool) {
	text := strings.TrimSuffix(strings.TrimPrefix(g.Separator, " separator ':s"), "'")
	i, err := strconv.Atoi(text)
	return i, err == nil
}
