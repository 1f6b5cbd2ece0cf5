package sysvar

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// variableKind is the kind of values that a system variable accepts.
type variableKind uint8

const (
	textVar      variableKind = iota
	boolVar                   // ON, OFF, 1, 0
	intVar                    // an integer
	readOnlyVar               // cannot be set (1238)
	readOnlyFlag              // a boolVar that cannot be set
	secondsVar                // a number of seconds, with a fraction
)

// variable is a system variable: what MySQL 5.7 returns for it, as far as
// clients ask (https://dev.mysql.com/doc/refman/5.7/en/server-system-variables.html).
type variable struct {
	kind variableKind
	text string // the default, as text; numbers as digits
}

// aliases are variables that have two names in MySQL.
var aliases = map[string]string{"transaction_isolation": "tx_isolation", "transaction_read_only": "tx_read_only"}

func canonical(name string) string {
	name = strings.ToLower(name)
	if other, ok := aliases[name]; ok {
		return other
	}
	return name
}

// Names are the names of all system variables, sorted.
func Names() []string {
	names := slices.Collect(maps.Keys(variables))
	for other := range aliases {
		names = append(names, other)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func unknownVariable(name string) error {
	return mysqlerr.New(mysqlerr.UnknownSystemVar, "Unknown system variable '%s'%s", name,
		mysqlerr.NearestOf(name, Names()))
}

// value is the default value.
func (v variable) value() value.Value {
	n, _ := strconv.ParseUint(v.text, 10, 64)
	switch v.typ().Kind {
	case value.Decimal:
		return secondsValue(float64(n))
	case value.Int:
		return value.NewInt(int64(n))
	case value.Uint:
		return value.NewUint(n)
	}
	return value.NewString(v.text)
}

// typ is the type of @@name, by MySQL's rule: flags are BIGINT, other numbers BIGINT UNSIGNED.
func (v variable) typ() value.Type {
	t := value.Type{Kind: value.Text, Nullable: true}
	switch v.kind {
	case secondsVar:
		t.Kind, t.Length, t.Decimals = value.Decimal, 17, 6
	case boolVar, readOnlyFlag:
		t.Kind = value.Int
	case intVar:
		t.Kind = value.Uint
	case readOnlyVar:
		if _, err := strconv.ParseUint(v.text, 10, 64); err == nil {
			t.Kind = value.Uint
		}
	}
	return t
}

// typed is a value of the variable in its type.
func (v variable) typed(val value.Value) value.Value {
	if v.typ().Kind == value.Uint && val.Kind() == value.Int {
		return value.NewUint(uint64(max(val.Int(), 0)))
	}
	return val
}

// shown is the variable as SHOW VARIABLES prints it: ON and OFF for flags.
func (v variable) shown(val value.Value) string {
	if v.kind == boolVar || v.kind == readOnlyFlag {
		if val.AsInt() != 0 {
			return "ON"
		}
		return "OFF"
	}
	return val.String()
}

// All are the variables as SHOW VARIABLES prints them, sorted by name. lookup returns their values; if it
// fails, the variable is omitted.
func All(lookup func(name string) (value.Value, error)) [][2]string {
	out := make([][2]string, 0, len(variables))
	for name, v := range variables {
		if val, err := lookup(name); err == nil {
			out = append(out, [2]string{name, v.shown(val)})
		}
	}
	slices.SortFunc(out, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	return out
}
