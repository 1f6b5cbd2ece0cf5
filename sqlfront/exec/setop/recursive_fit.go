package setop

import (
	"math"
	"unicode/utf8"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// RecursiveColumn is a column of a recursive common table expression.
type RecursiveColumn struct {
	Name string
	// Limit is the greatest length of its strings, in characters of a text and
	// else in bytes; -1 is none.
	Limit int
}

// fit makes the row's values such as the parts that do not recurse have made the
// columns for. What does not fit is an error, or cut off where the session is not
// strict.
func (r *recursiveRows) fit() (err error) {
	for i := range r.Types {
		v, t := &r.out[i], &r.Types[i]
		switch {
		case v.IsNull():
		case t.Kind == value.Int || t.Kind == value.Uint && v.Kind() != value.Uint:
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
	if r.Types[i].Kind == value.Uint {
		whole := value.NewUint(v.AsUint())
		if value.Order(whole, value.NewDecimal(v.AsDecimal().Round(0))) == 0 {
			return whole, nil
		}
		return whole, r.unfit(mysqlerr.WarnDataOutOfRange, "Out of range value", i)
	}
	least, most := int64(math.MinInt64), int64(math.MaxInt64)
	if r.Types[i].Name == "INT" {
		least, most = math.MinInt32, math.MaxInt32
	}
	n, ok := v.ToInt()
	if ok && least <= n && n <= most {
		return value.NewInt(n), nil
	}
	return value.NewInt(min(max(v.AsInt(), least), most)), r.unfit(mysqlerr.WarnDataOutOfRange, "Out of range value", i)
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

// charactersEnd is where the first characters of a text end, so many.
func charactersEnd(b []byte, count int) int {
	end := 0
	for ; count > 0 && end < len(b); count-- {
		_, size := utf8.DecodeRune(b[end:])
		end += size
	}
	return end
}

// unfit is the error of a value that does not fit, or a warning.
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
