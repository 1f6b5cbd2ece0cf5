package setop

import (
	"math"
	"strings"
	"unicode/utf8"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// RecursiveColumn is a column of a recursive common table expression.
type RecursiveColumn struct {
	Name string
	// Limit is the maximum length of its strings, of a text in characters, otherwise in bytes; -1
	// for none.
	Limit int
}

// fit converts the row's values to the types that the parts that do not recurse have given the
// columns. A value that does not fit is an error, or is truncated if the session is not strict.
func (r *recursiveRows) fit() (err error) {
	for i := range r.Types {
		v, t := &r.out[i], &r.Types[i]
		switch {
		case v.IsNull():
		case t.Kind == value.Int || t.Kind == value.Uint && (v.Kind() != value.Uint || t.Name != ""):
			*v, err = r.fitInteger(i, *v)
		case t.Kind == value.Decimal && t.Digits > 0 && value.WholeDigits(*v) > t.Digits-t.Decimals:
			err = r.unfit(mysqlerr.WarnDataOutOfRange, "Out of range value", i)
		case t.Kind.IsString() && r.Columns[i].Limit >= 0:
			*v, err = r.fitString(i, *v)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *recursiveRows) fitInteger(i int, v value.Value) (value.Value, error) {
	v, err := r.x.Env.Number(v)
	if err != nil {
		return v, err
	}
	low, high := integersOf(&r.Types[i])
	if r.Types[i].Kind == value.Uint {
		whole := value.NewUint(min(v.AsUint(), high))
		if value.Order(whole, value.NewDecimal(v.AsDecimal().Round(0))) == 0 {
			return whole, nil
		}
		return whole, r.unfit(mysqlerr.WarnDataOutOfRange, "Out of range value", i)
	}
	n, ok := v.ToInt()
	if ok && low <= n && n <= int64(high) {
		return value.NewInt(n), nil
	}
	return value.NewInt(min(max(v.AsInt(), low), int64(high))), r.unfit(mysqlerr.WarnDataOutOfRange, "Out of range value", i)
}

// integersOf returns the least and the greatest integer of a type, by its name.
func integersOf(t *value.Type) (low int64, high uint64) {
	name, _ := strings.CutPrefix(t.Name, "UNSIGNED ")
	bits, ok := map[string]int{"TINYINT": 8, "SMALLINT": 16, "MEDIUMINT": 24, "INT": 32, "BIT": t.Length}[name]
	switch {
	case name == "YEAR":
		return 0, 2155
	case !ok || bits == 0:
		bits = 64
	}
	if t.Kind == value.Uint {
		return 0, math.MaxUint64 >> (64 - bits)
	}
	return math.MinInt64 >> (64 - bits), math.MaxInt64 >> (64 - bits)
}

func (r *recursiveRows) fitString(i int, v value.Value) (value.Value, error) {
	b, cut := v.Raw(), r.Columns[i].Limit
	if v.Kind() == value.Text && len(b) > cut {
		cut = charactersEnd(b, cut)
	}
	switch {
	case len(b) <= cut:
		return v, nil
	case v.Kind() == value.Text:
		return value.NewText(b[:cut]), r.unfit(mysqlerr.DataTooLong, "Data too long", i)
	}
	return value.NewBytes(b[:cut]), r.unfit(mysqlerr.DataTooLong, "Data too long", i)
}

// charactersEnd returns the offset at which the first count characters of a text end.
func charactersEnd(b []byte, count int) int {
	end := 0
	for ; count > 0 && end < len(b); count-- {
		_, size := utf8.DecodeRune(b[end:])
		end += size
	}
	return end
}

// unfit returns the error of a value that does not fit, or gives a warning.
func (r *recursiveRows) unfit(n mysqlerr.Number, what string, i int) error {
	err := mysqlerr.New(n, "%s for column '%s' at row 1", what, r.Columns[i].Name)
	if r.strict {
		return err
	}
	if s := r.x.Env.Session; s != nil && s.AddWarning != nil {
		s.AddWarning(err.Number, err.Message)
	}
	return nil
}
