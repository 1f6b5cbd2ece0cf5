package sysvar

import (
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Isolation is the isolation level of a transaction.
type Isolation uint8

// The levels. READ UNCOMMITTED is run as READ COMMITTED.
const (
	// DefaultIsolation means the session's level.
	DefaultIsolation Isolation = iota
	// ReadCommitted takes a snapshot for each statement.
	ReadCommitted
	// RepeatableRead takes one snapshot, at the first statement.
	RepeatableRead
	// Serializable is RepeatableRead with a check at the commit that nothing that was read has changed.
	Serializable
)

// String is MySQL's name of the level.
func (i Isolation) String() string {
	return [...]string{"", "READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"}[i]
}

// isolations are MySQL's names of the levels.
var isolations = map[string]Isolation{
	"READ UNCOMMITTED": ReadCommitted, "READ COMMITTED": ReadCommitted,
	"REPEATABLE READ": RepeatableRead, "SERIALIZABLE": Serializable,
}

// LevelNamed is the level with one of MySQL's names in upper case, DefaultIsolation if there is none of that
// name.
func LevelNamed(name string) Isolation { return isolations[name] }

// levelNamed reads the value of transaction_isolation.
func levelNamed(v value.Value) (Isolation, bool) {
	level, ok := isolations[strings.ToUpper(strings.ReplaceAll(v.String(), "-", " "))]
	return level, ok
}

// TxOptions are the options of a transaction; the zero value leaves everything to the session.
type TxOptions struct {
	Isolation Isolation
	ReadOnly  bool
	ReadWrite bool // whatever the session's default
}

// With is the options overridden by those set in next.
func (o TxOptions) With(next TxOptions) TxOptions {
	if next.Isolation != DefaultIsolation {
		o.Isolation = next.Isolation
	}
	if next.ReadOnly || next.ReadWrite {
		o.ReadOnly, o.ReadWrite = next.ReadOnly, next.ReadWrite
	}
	return o
}
