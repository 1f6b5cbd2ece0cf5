package transaction

import (
	"time"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/sysvar"
)

// Shown is a session's transaction as others see it: the zero value if there is none.
type Shown struct {
	Txn     kv.Txn // nil for none
	Options sysvar.TxOptions
	Number  uint64
	Began   time.Time
}

// opens makes the transaction the session's.
func (s *State) opens(tx *Txn, began time.Time) {
	s.Open = tx
	s.Show(tx, began)
}

// Show lets others see the transaction, which keeps its number as long as the session has it.
func (s *State) Show(tx *Txn, began time.Time) {
	s.shownMu.Lock()
	defer s.shownMu.Unlock()
	o := Shown{Txn: tx.Txn, Options: tx.Options, Number: s.shown.Number, Began: s.shown.Began}
	if s.shown.Txn == nil {
		o.Number, o.Began = s.shared.last.Add(1), began
	}
	s.shown = o
}

// Hide ends what Show began.
func (s *State) Hide() {
	s.shownMu.Lock()
	defer s.shownMu.Unlock()
	s.shown = Shown{}
}

// Shown is what others see. Any goroutine may call it.
func (s *State) Shown() Shown {
	s.shownMu.Lock()
	defer s.shownMu.Unlock()
	return s.shown
}
