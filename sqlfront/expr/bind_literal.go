package expr

import (
	"bytes"
	"strconv"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

func bindLiteral(l *parse.Literal) (Node, error) {
	switch l.Kind {
	case parse.LitString:
		return &Const{V: value.NewText(l.Bytes)}, nil
	case parse.LitBytes:
		return &Const{V: value.NewBytes(l.Bytes), Hex: l.Hex}, nil
	}
	return temporalLiteral(l)
}

func textConst(text string) Node { return &Const{V: value.NewString(text)} }

// temporalLiteral is DATE '..', TIME '..' or TIMESTAMP '..'.
func temporalLiteral(l *parse.Literal) (Node, error) {
	text := value.NewText(l.Bytes)
	var v value.Value
	var ok bool
	kind := "DATETIME"
	switch l.Kind {
	case parse.LitDate:
		kind = "DATE"
		if v, ok = value.ParseDateTime(text); ok {
			v = value.NewDate(v.Fields())
		}
	case parse.LitTime:
		kind = "TIME"
		v, ok = value.ParseTime(text)
	default:
		v, ok = value.ParseDateTime(text)
	}
	if !ok {
		return nil, mysqlerr.New(mysqlerr.WrongValue, "Incorrect %s value: '%s'", kind, l.Bytes)
	}
	return &Const{V: v}, nil
}

func bindNumber(n *parse.Number) (Node, error) {
	v, err := numberValue(n.Text)
	if err != nil {
		return nil, err
	}
	return &Const{V: v}, nil
}

// numberValue reads an integer of up to 64 bits, else a DECIMAL, and a DOUBLE
// where there is an exponent
// (https://dev.mysql.com/doc/refman/5.7/en/number-literals.html).
func numberValue(number string) (value.Value, error) {
	if i, err := strconv.ParseInt(number, 10, 64); err == nil {
		return value.NewInt(i), nil
	}
	if u, err := strconv.ParseUint(number, 10, 64); err == nil {
		return value.NewUint(u), nil
	}
	text := []byte(number)
	if bytes.ContainsAny(text, "eE") {
		f, whole := value.ParseFloat(text)
		if !whole {
			return value.Value{}, mysqlerr.New(mysqlerr.IllegalValueForType, "Illegal double '%s' value found during parsing", text)
		}
		return value.NewFloat(f), nil
	}
	d, _ := value.ParseDecimal(text)
	return value.NewDecimal(d), nil
}
