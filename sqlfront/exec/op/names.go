package op

import (
	"bytes"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// StandIn returns a string of so many bytes that is printed as a name.
func (run *Statement) StandIn(name []byte, length int) []byte {
	const each = 4 // strings in standIns
	mark := byte(1 + 2*(len(run.standIns)/each)%0x1e)
	out := bytes.Repeat([]byte{mark}, length)
	behind := bytes.Clone(out)
	behind[length-1]++
	run.standIns = append(run.standIns, printed(out), printed(name), printed(behind),
		printed(append(name, " and longer keys with this prefix"...)))
	return out
}

// StandIn returns a value of a type that replaces an unknown one in EXPLAIN: the name for strings, the number for
// numbers, and NULL where any value will do.
func StandIn(name string, number int64, t value.Type) value.Value {
	switch t.Kind {
	case value.Int, value.Uint, value.Decimal:
		return value.NewInt(number)
	case value.Float:
		return value.NewFloat(float64(number))
	case value.Text:
		return value.NewText([]byte(name)).WithCollation(t.Collation)
	case value.Bytes:
		return value.NewBytes([]byte(name))
	}
	return value.Value{}
}

func printed(b []byte) string { return expr.Print(&expr.Const{V: value.NewBytes(b)}) }

// WithNames replaces the stand-ins in a text by their names.
func (run *Statement) WithNames(text string) string {
	if run.standIns == nil {
		return text
	}
	return strings.NewReplacer(run.standIns...).Replace(text)
}
