package op

import "github.com/hbasekv/hbasekv/sqlfront/kernel"

// Sparing is an operator that can leave out columns that its reader does not read from batches.
type Sparing interface{ ReadFor(r kernel.Reader) }

// ReadOf returns the columns that a reader reads: all if it is nil.
func ReadOf(r kernel.Reader) kernel.Columns {
	if r == nil {
		return kernel.AllColumns
	}
	return r.ColumnsRead()
}

func (in *Input) ReadFor(above kernel.Reader) {
	if s, ok := in.Operator.(Sparing); ok {
		s.ReadFor(above)
	}
}
