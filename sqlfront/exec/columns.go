package exec

import "github.com/hbasekv/hbasekv/sqlfront/kernel"

// sparing is a source whose rows of batches can do without columns that its reader does not read.
type sparing interface{ readFor(r kernel.Reader) }

// readOf are the columns that a reader reads, all where it is not known.
func readOf(r kernel.Reader) kernel.Columns {
	if r == nil {
		return kernel.AllColumns
	}
	return r.ColumnsRead()
}

func (in *input) readFor(above kernel.Reader) {
	if s, ok := in.source.(sparing); ok {
		s.readFor(above)
	}
}
