package filter

import "fmt"

var errNil = fmt.Errorf("%w: a nested filter is nil", ErrInvalid)

// open opens a filter that another one wraps.
func open(f Filter, reversed bool) (Evaluator, error) {
	if f == nil {
		return base{}, errNil
	}
	return f.Open(reversed)
}

// skipEvaluator only calls its filter for cells, as HBase does: filters that go by rows exclude all of them.
type skipEvaluator struct {
	base
	inner Evaluator
	out   bool
}

// Open implements Filter.
func (f SkipFilter) Open(reversed bool) (Evaluator, error) {
	inner, err := open(f.Filter, reversed)
	return &skipEvaluator{inner: inner}, err
}

func (e *skipEvaluator) Reset() {
	e.inner.Reset()
	e.out = false
}

func (e *skipEvaluator) FilterCell(c *Cell) Code {
	code := e.inner.FilterCell(c)
	e.out = e.out || code != Include
	return code
}

func (e *skipEvaluator) TransformCell(c *Cell) { e.inner.TransformCell(c) }
func (e *skipEvaluator) HasFilterRow() bool    { return true }
func (e *skipEvaluator) FilterRow() bool       { return e.out }
func (e *skipEvaluator) Versionless() bool     { return false }

type whileEvaluator struct {
	base
	inner Evaluator
	over  bool
}

// Open implements Filter.
func (f WhileMatchFilter) Open(reversed bool) (Evaluator, error) {
	inner, err := open(f.Filter, reversed)
	return &whileEvaluator{inner: inner}, err
}

func (e *whileEvaluator) Reset()                   { e.inner.Reset() }
func (e *whileEvaluator) FilterAllRemaining() bool { return e.over || e.inner.FilterAllRemaining() }

// note ends the scan if something has been excluded.
func (e *whileEvaluator) note(out bool) bool {
	e.over = e.over || out
	return out
}

func (e *whileEvaluator) FilterRowKey(row []byte) bool {
	return e.FilterAllRemaining() || e.note(e.inner.FilterRowKey(row))
}

func (e *whileEvaluator) FilterCell(c *Cell) Code {
	code := e.inner.FilterCell(c)
	e.note(code != Include)
	return code
}

func (e *whileEvaluator) TransformCell(c *Cell) { e.inner.TransformCell(c) }
func (e *whileEvaluator) HasFilterRow() bool    { return true }
func (e *whileEvaluator) FilterRow() bool       { return e.note(e.inner.FilterRow()) }
func (e *whileEvaluator) Versionless() bool     { return false }
