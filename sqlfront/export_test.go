package sqlfront

import "github.com/hbasekv/hbasekv/sqlfront/value"

// ShareNothing makes the engine plan each SELECT, UPDATE and DELETE with its
// literals.
func (e *Engine) ShareNothing() { e.sharing.mode = shareNone }

// ShareAtOnce makes it share plans from the first statement of a form on.
func (e *Engine) ShareAtOnce() { e.sharing.mode = shareAtOnce }

// Lifted is true of a statement whose literals were taken out.
func (s *Statement) Lifted() bool { return s.lifted }

// Values are those of the literals that were taken out.
func (s *Statement) Values() []value.Value { return s.values }
