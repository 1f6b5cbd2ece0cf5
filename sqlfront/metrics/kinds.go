package metrics

import (
	"context"
	"errors"
	"time"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// Kind is a category of statements that are counted together.
type Kind uint8

// The kinds.
const (
	KindSelect Kind = iota
	KindInsert
	KindReplace
	KindUpdate
	KindDelete
	KindLoad
	KindTransaction
	KindDDL
	KindShow
	KindSet
	KindOther
	// Calls of HBase's clients.
	KindHBaseGet
	KindHBaseScan
	KindHBaseMutate
	KindHBaseMulti
	KindHBaseAdmin
	kinds // their number
)

var kindNames = [kinds]string{"select", "insert", "replace", "update", "delete", "load", "transaction", "ddl", "show",
	"set", "other", "hbase_get", "hbase_scan", "hbase_mutate", "hbase_multi", "hbase_admin"}

// String is the kind in lower case, as in metrics and SHOW STATUS.
func (k Kind) String() string { return kindNames[k] }

// Outcome is how a statement ended.
type Outcome uint8

// The outcomes.
const (
	Succeeded Outcome = iota
	Failed
	Interrupted // by KILL, its context or max_execution_time
	outcomes    // their number
)

var outcomeNames = [outcomes]string{"ok", "error", "interrupted"}

// String is ok, error or interrupted.
func (o Outcome) String() string { return outcomeNames[o] }

// OutcomeOf is the outcome of a statement with the error err.
func OutcomeOf(err error) Outcome {
	switch {
	case err == nil:
		return Succeeded
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded),
		mysqlerr.Is(err, mysqlerr.QueryInterrupted), mysqlerr.Is(err, mysqlerr.QueryTimeout):
		return Interrupted
	}
	return Failed
}

// LatencyBounds are the upper bounds of the latency classes; one more class is above them.
var LatencyBounds = [...]time.Duration{
	10 * time.Microsecond, 25 * time.Microsecond, 50 * time.Microsecond, 100 * time.Microsecond, 250 * time.Microsecond,
	500 * time.Microsecond, time.Millisecond, 2500 * time.Microsecond, 5 * time.Millisecond, 10 * time.Millisecond,
	25 * time.Millisecond, 50 * time.Millisecond, 100 * time.Millisecond, 250 * time.Millisecond, 500 * time.Millisecond,
	time.Second, 2500 * time.Millisecond, 5 * time.Second, 10 * time.Second, time.Minute,
}

// Outcomes are all outcomes, as indices of StatementCounts.Outcomes.
func Outcomes() []Outcome { return []Outcome{Succeeded, Failed, Interrupted} }
