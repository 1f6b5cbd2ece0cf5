package op

import "github.com/hbasekv/hbasekv/sqlfront/kernel"

// Sparing is an operator whose rows of batches can do without columns that its reader does not
// read.
type Sparing interface{ ReadFor(r kernel.Reader) }

// ReadOf are the columns that a reader reads, all where it is not known.
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
