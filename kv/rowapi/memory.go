package rowapi

// Memory is what results are made in for a reader that is done with them before it asks for the next ones: these are
// then made in the same memory. The zero Memory is ready for use, by one operation at a time.
type Memory struct {
	bytes   arena
	cells   []Cell // of the results, and room for more
	results []Result
	page    Page
	get     reading
}

// reading is a Get that is done.
type reading struct {
	plan   plan
	rows   rows
	result Result
}

// Bounds of what a Memory keeps for the results after those that are no longer needed.
const (
	keptBytes   = 1 << 20
	keptCells   = 4 << 10
	keptResults = 4 << 10
)

// reset takes back what the results before were made in.
func (m *Memory) reset() {
	m.bytes.reset()
	m.cells = m.cells[:0]
	if cap(m.cells) > keptCells {
		m.cells = nil
	}
	m.results = m.results[:0]
	if cap(m.results) > keptResults {
		m.results = nil
	}
	m.page = Page{}
}

// row is memory for the cells of one row, of which likely is how many there may be.
func (m *Memory) row(likely int) []Cell {
	if n := len(m.cells); cap(m.cells)-n < likely {
		m.cells = make([]Cell, 0, max(likely, min(2*cap(m.cells), mostCells)))
	}
	return m.cells[len(m.cells):]
}

// mostCells is how many cells are made at once for several rows.
const mostCells = 256

// keep leaves n cells to a result, which were made in the memory that row has given, unless they have outgrown it.
func (m *Memory) keep(n int) {
	if all := len(m.cells) + n; all <= cap(m.cells) {
		m.cells = m.cells[:all]
	}
}

// arena is memory of bytes.
type arena struct {
	room []byte
	used int // bytes of results that are not in room
}

const (
	firstArena = 512
	mostArena  = 32 << 10
)

// copy is a copy of bytes, never nil.
func (a *arena) copy(b []byte) []byte {
	if len(b) > cap(a.room)-len(a.room) {
		if len(b) >= mostArena/4 {
			a.used += len(b)
			return append(make([]byte, 0, len(b)), b...)
		}
		a.used += len(a.room)
		a.room = make([]byte, 0, max(min(2*cap(a.room), mostArena), firstArena, len(b)))
	}
	start := len(a.room)
	a.room = append(a.room, b...)
	return a.room[start:len(a.room):len(a.room)]
}

// reset makes one piece of memory of all those that the results had.
func (a *arena) reset() {
	if size := min(a.used+len(a.room), keptBytes); size > cap(a.room) || cap(a.room) > keptBytes {
		a.room = make([]byte, 0, size+size/4)
	}
	a.room, a.used = a.room[:0], 0
}

// detach makes the cells of a row that has not ended independent of the memory of the results before.
func (r *rows) detach() {
	r.own = nil
	if !r.open || len(r.cells) == 0 {
		return
	}
	var a arena
	cells := append(make([]Cell, 0, 2*len(r.cells)), r.cells...)
	for i := range cells {
		c := &cells[i]
		c.Row, c.Qualifier, c.Value = a.copy(c.Row), a.copy(c.Qualifier), a.copy(c.Value)
	}
	r.cells, r.placed = cells, 0
}
