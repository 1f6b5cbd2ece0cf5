package bind

import (
	"bytes"
	"strconv"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

func bindLiteral(l *ast.Literal) (expr.Node, error) {
	switch l.Kind {
	case ast.LitString:
		return &expr.Const{V: value.NewText(l.Bytes)}, nil
	case ast.LitBytes:
		return &expr.Const{V: value.NewBytes(l.Bytes), Hex: l.Hex}, nil
	}
	return temporalLiteral(l)
}

func textConst(text string) expr.Node { return &expr.Const{V: value.NewString(text)} }

// temporalLiteral is DATE '..', TIME '..' or TIMESTAMP '..'; the error is 1525 if the text has more or less
// parts, or is out of range, as in MySQL.
func temporalLiteral(l *ast.Literal) (expr.Node, error) {
	kind, want := "DATETIME", value.DateTime
	read := value.ReadDateTime
	switch l.Kind {
	case ast.LitDate:
		kind, want = "DATE", value.Date
	case ast.LitTime:
		kind, want, read = "TIME", value.Time, value.ReadClock
	}
	v, whole, ok := read(value.NewText(l.Bytes))
	if !ok || !whole || v.Kind() != want {
		return nil, mysqlerr.New(mysqlerr.WrongValue, "Incorrect %s value: '%s'", kind, l.Bytes)
	}
	return &expr.Const{V: v}, nil
}

func bindNumber(n *ast.Number) (expr.Node, error) {
	v, err := numberValue(n.Text)
	if err != nil {
		return nil, err
	}
	return &expr.Const{V: v}, nil
}

// numberValue reads an integer of up to 64 bits, otherwise a DECIMAL, or a DOUBLE if there is an exponent
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
