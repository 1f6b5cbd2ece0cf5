package sqlfront

import (
	"time"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/infoschema"
)

// openTransaction is a session's transaction as others see it: the zero value where
// there is none.
type openTransaction struct {
	txn     kv.Txn
	options TxOptions
	number  uint64
	began   time.Time
}

// now is the present by the engine's clock.
func (e *Engine) now() time.Time {
	if e.clock != nil {
		return e.clock()
	}
	return time.Now()
}

// opens makes the transaction the session's.
func (s *Session) opens(tx *transaction, began time.Time) {
	s.tx = tx
	s.shows(tx, began)
}

// shows lets others see the transaction, which they call by the same number as long
// as the session has it.
func (s *Session) shows(tx *transaction, began time.Time) {
	s.shownMu.Lock()
	defer s.shownMu.Unlock()
	o := openTransaction{txn: tx.Txn, options: tx.options, number: s.shown.number, began: s.shown.began}
	if s.shown.txn == nil {
		o.number, o.began = s.engine.lastTransaction.Add(1), began
	}
	s.shown = o
}

func (s *Session) hides() {
	s.shownMu.Lock()
	defer s.shownMu.Unlock()
	s.shown = openTransaction{}
}

// opened is what others see.
func (s *Session) opened() openTransaction {
	s.shownMu.Lock()
	defer s.shownMu.Unlock()
	return s.shown
}

// Transactions implements infoschema.Server.
func (e server) Transactions() (out []infoschema.Transaction) {
	for _, s := range e.ordered() {
		o := s.opened()
		if o.txn == nil {
			continue
		}
		p, _ := s.process()
		t := infoschema.Transaction{ID: o.number, Process: p, Started: o.began, ReadOnly: o.options.ReadOnly,
			Level: o.options.Isolation.String()}
		if seen, ok := o.txn.(kv.Observed); ok {
			t.State = seen.Observe()
		}
		out = append(out, t)
	}
	return out
}
