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

func printed(b []byte) string { return expr.Print(&expr.Const{V: value.NewBytes(b)}) }

// WithNames replaces the stand-ins in a text by their names.
func (run *Statement) WithNames(text string) string {
	if run.standIns == nil {
		return text
	}
	return strings.NewReplacer(run.standIns...).Replace(text)
}
