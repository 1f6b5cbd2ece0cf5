package filter

import "fmt"

// base is an Evaluator that passes everything.
type base struct{}

func (base) Reset()                             {}
func (base) FilterAllRemaining() bool           { return false }
func (base) FilterRowKey([]byte) bool           { return false }
func (base) FilterCell(*Cell) Code              { return Include }
func (base) TransformCell(*Cell)                {}
func (base) HasFilterRow() bool                 { return false }
func (base) FilterRowCells(cells []Cell) []Cell { return cells }
func (base) FilterRow() bool                    { return false }
func (base) NextCellHint(*Cell) Hint            { return Hint{} }
func (base) Versionless() bool                  { return true }

// hinter is the base of filters that give hints. Lists also call them for cells that are already excluded.
type hinter struct{ base }

func (hinter) hints() {}

func isHinter(e Evaluator) bool {
	_, is := e.(interface{ hints() })
	return is
}

// includes reports whether the cell is included.
func (c Code) includes() bool { return c <= IncludeAndSeekNextRow }

// excludes reports whether op does not hold between a stored value and the comparator's; compared is the
// result of Comparator.Compare.
func (op CompareOp) excludes(compared int) bool {
	switch op {
	case Less:
		return compared <= 0
	case LessOrEqual:
		return compared < 0
	case Equal:
		return compared != 0
	case NotEqual:
		return compared == 0
	case GreaterOrEqual:
		return compared > 0
	case Greater:
		return compared >= 0
	}
	return true
}

// Holds reports whether the operator holds between a comparator's value and a stored one; compared is
// the result of Comparator.Compare. Less holds if the comparator's value is smaller.
func (op CompareOp) Holds(compared int) bool {
	switch op {
	case Less:
		return compared < 0
	case LessOrEqual:
		return compared <= 0
	case Equal:
		return compared == 0
	case NotEqual:
		return compared != 0
	case GreaterOrEqual:
		return compared >= 0
	case Greater:
		return compared > 0
	}
	return false
}

// excludes reports whether the comparison excludes bytes.
func (f CompareFilter) excludes(part []byte) bool {
	return f.Op >= NoOp || f.Op.excludes(f.Comparator.Compare(part))
}

// check refuses invalid comparisons.
func (f CompareFilter) check() error {
	switch {
	case f.Op > NoOp:
		return fmt.Errorf("%w: unknown operator %d", ErrInvalid, f.Op)
	case f.Comparator == nil && f.Op != NoOp:
		return fmt.Errorf("%w: a comparison needs a comparator", ErrInvalid)
	}
	return nil
}

// isColumn reports whether a cell is in the column.
func (c *Cell) isColumn(family string, qualifier []byte) bool {
	return string(c.Qualifier) == string(qualifier) && c.Family == family
}
