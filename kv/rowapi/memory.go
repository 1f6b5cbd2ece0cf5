package rowapi

// Memory holds results for a reader that has finished with them before it asks for the next ones: these reuse
// the memory. The zero Memory is ready for use, by one operation at a time.
type Memory struct {
	bytes   arena
	cells   []Cell // cells of the results, and room for more
	results []Result
	page    Page
	get     reading
}

// reading is the state of a Get.
type reading struct {
	plan   plan
	rows   rows
	result Result
}

// Bounds of what a Memory keeps for later results.
const (
	keptBytes   = 1 << 20
	keptCells   = 4 << 10
	keptResults = 4 << 10
)

// reset makes the memory of earlier results available.
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

// row returns memory for the cells of one row, of which there are likely this many.
func (m *Memory) row(likely int) []Cell {
	if n := len(m.cells); cap(m.cells)-n < likely {
		m.cells = make([]Cell, 0, max(likely, min(2*cap(m.cells), mostCells)))
	}
	return m.cells[len(m.cells):]
}

// mostCells is the most cells that are allocated at once for several rows.
const mostCells = 256

// keep reserves n cells for a result, which are in the memory that row has returned unless they have outgrown
// it.
func (m *Memory) keep(n int) {
	if all := len(m.cells) + n; all <= cap(m.cells) {
		m.cells = m.cells[:all]
	}
}

// arena is memory for bytes.
type arena struct {
	room []byte
	used int // bytes of results that are not in room
}

const (
	firstArena = 512
	mostArena  = 32 << 10
)

// copy returns a copy of bytes, never nil.
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

// reset replaces the pieces of memory of earlier results by one.
func (a *arena) reset() {
	if size := min(a.used+len(a.room), keptBytes); size > cap(a.room) || cap(a.room) > keptBytes {
		a.room = make([]byte, 0, size+size/4)
	}
	a.room, a.used = a.room[:0], 0
}

// detach copies the cells of an unfinished row out of the memory of earlier results.
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
