package filter

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// arguments are the name and the arguments of a filter in a text. The first error in them is kept.
type arguments struct {
	name string
	all  []argument
	err  error
}

// makers make filters from arguments, by name.
var makers = map[string]func(*arguments) Filter{
	"KeyOnlyFilter": func(a *arguments) Filter {
		return KeyOnlyFilter{LengthAsValue: a.count(0, 1) == 1 && a.boolean(0)}
	},
	"FirstKeyOnlyFilter": func(a *arguments) Filter { a.count(0); return FirstKeyOnlyFilter{} },
	"PrefixFilter":       func(a *arguments) Filter { a.count(1); return PrefixFilter{a.text(0)} },
	"ColumnPrefixFilter": func(a *arguments) Filter { a.count(1); return ColumnPrefixFilter{a.text(0)} },
	"MultipleColumnPrefixFilter": func(a *arguments) Filter {
		f := MultipleColumnPrefixFilter{}
		for i := range a.all {
			f.Prefixes = append(f.Prefixes, a.text(i))
		}
		return f
	},
	"ColumnCountGetFilter": func(a *arguments) Filter { a.count(1); return ColumnCountGetFilter{a.integer(0)} },
	"PageFilter":           func(a *arguments) Filter { a.count(1); return PageFilter{a.long(0)} },
	"ColumnPaginationFilter": func(a *arguments) Filter {
		a.count(2)
		return ColumnPaginationFilter{Limit: a.integer(0), Offset: a.integer(1)}
	},
	"InclusiveStopFilter": func(a *arguments) Filter { a.count(1); return InclusiveStopFilter{a.text(0)} },
	"TimestampsFilter": func(a *arguments) Filter {
		f := TimestampsFilter{}
		for i := range a.all {
			f.Timestamps = append(f.Timestamps, a.long(i))
		}
		return f
	},
	"RowFilter":       func(a *arguments) Filter { a.count(2); return RowFilter{a.comparison(0)} },
	"FamilyFilter":    func(a *arguments) Filter { a.count(2); return FamilyFilter{a.comparison(0)} },
	"QualifierFilter": func(a *arguments) Filter { a.count(2); return QualifierFilter{a.comparison(0)} },
	"ValueFilter":     func(a *arguments) Filter { a.count(2); return ValueFilter{a.comparison(0)} },
	"ColumnRangeFilter": func(a *arguments) Filter {
		a.count(4)
		return ColumnRangeFilter{openIfEmpty(a.text(0)), openIfEmpty(a.text(2)), a.boolean(1), a.boolean(3)}
	},
	"SingleColumnValueFilter":        func(a *arguments) Filter { return a.singleColumn(false) },
	"SingleColumnValueExcludeFilter": func(a *arguments) Filter { return a.singleColumn(true) },
	"DependentColumnFilter":          (*arguments).dependentColumn,
	"ColumnValueFilter": func(a *arguments) Filter {
		a.count(4)
		return ColumnValueFilter{a.comparison(2), string(a.text(0)), a.text(1)}
	},
}

// filter makes the filter, and opens it to check it.
func (a *arguments) filter() (Filter, error) {
	maker := makers[a.name]
	if maker == nil {
		return nil, fmt.Errorf("%w: %s", ErrUnknown, a.name)
	}
	f := maker(a)
	if a.err != nil {
		return nil, a.err
	}
	if _, err := f.Open(false); err != nil {
		return nil, err
	}
	return f, nil
}

func (a *arguments) fail(format string, args ...any) {
	if a.err == nil {
		a.err = fmt.Errorf("%w: %s %s", ErrInvalid, a.name, fmt.Sprintf(format, args...))
	}
}

// count returns the number of arguments, which must be one of the allowed ones.
func (a *arguments) count(allowed ...int) int {
	var words []string
	for _, n := range allowed {
		if len(a.all) == n {
			return n
		}
		words = append(words, strconv.Itoa(n))
	}
	a.fail("takes %s arguments, not %d", strings.Join(words, " or "), len(a.all))
	return len(a.all)
}

func (a *arguments) argument(i int) argument {
	if i >= len(a.all) {
		a.fail("has no argument %d", i+1)
		return argument{}
	}
	return a.all[i]
}

func (a *arguments) text(i int) []byte {
	arg := a.argument(i)
	if !arg.quoted {
		a.fail("requires a string in single quotes as argument %d, not %s", i+1, arg.text)
	}
	return arg.text
}

func openIfEmpty(column []byte) []byte {
	if len(column) == 0 {
		return nil
	}
	return column
}

func (a *arguments) long(i int) int64 {
	arg := a.argument(i)
	n, err := strconv.ParseInt(string(arg.text), 10, 64)
	if err != nil || arg.quoted || bytes.HasPrefix(arg.text, []byte("+")) {
		a.fail("requires a number as argument %d, not %s", i+1, arg.text)
	}
	return n
}

func (a *arguments) integer(i int) int {
	n := a.long(i)
	if n != int64(int32(n)) {
		a.fail("requires a number up to %d as argument %d, not %d", math.MaxInt32, i+1, n)
	}
	return int(n)
}

func (a *arguments) boolean(i int) bool {
	arg := a.argument(i)
	switch text := strings.ToLower(string(arg.text)); {
	case !arg.quoted && text == "true":
		return true
	case arg.quoted || text != "false":
		a.fail("requires true or false as argument %d, not %s", i+1, arg.text)
	}
	return false
}

// operators are comparisons as they are written.
var operators = map[string]CompareOp{"<": Less, "<=": LessOrEqual, "=": Equal, "!=": NotEqual, ">=": GreaterOrEqual,
	">": Greater}

// comparison parses an operator and the comparator after it.
func (a *arguments) comparison(i int) CompareFilter {
	arg := a.argument(i)
	op, ok := operators[string(arg.text)]
	if !ok || arg.quoted {
		a.fail("requires an operator as argument %d, not %s", i+1, arg.text)
	}
	c := a.comparator(a.text(i + 1))
	switch c.(type) {
	case SubstringComparator, *RegexStringComparator:
		if op != Equal && op != NotEqual {
			a.fail("compares a substring or a regular expression only by = or !=")
		}
	}
	return CompareFilter{op, c}
}

// comparator parses type:value.
func (a *arguments) comparator(text []byte) Comparator {
	kind, value, found := bytes.Cut(text, []byte(":"))
	switch {
	case !found:
		a.fail("requires a comparator such as binary:abc, not %s", text)
		return nil
	case string(kind) == "binary":
		return BinaryComparator{value}
	case string(kind) == "binaryprefix":
		return BinaryPrefixComparator{value}
	case string(kind) == "substring":
		return SubstringComparator{string(value)}
	case string(kind) == "regexstring":
		c, err := NewRegexStringComparator(string(value), RegexDotAll, "")
		if err != nil && a.err == nil {
			a.err = err
		}
		return c
	}
	if a.err == nil {
		a.err = fmt.Errorf("%w: the comparator %s of %s", ErrUnknown, kind, a.name)
	}
	return nil
}

func (a *arguments) singleColumn(exclude bool) Filter {
	f := SingleColumnValueFilter{Exclude: exclude}
	if a.count(4, 6) == 6 {
		f.FilterIfMissing, f.AllVersions = a.boolean(4), !a.boolean(5)
	}
	f.Family, f.Qualifier, f.CompareFilter = string(a.text(0)), a.text(1), a.comparison(2)
	return f
}

func (a *arguments) dependentColumn() Filter {
	n := a.count(2, 3, 5)
	f := DependentColumnFilter{Family: string(a.text(0)), Qualifier: a.text(1), Drop: n > 2 && a.boolean(2)}
	if f.Op = NoOp; n == 5 {
		f.CompareFilter = a.comparison(3)
	}
	return f
}
