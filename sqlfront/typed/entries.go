package typed

import (
	"fmt"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/index"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// EntriesOf is an index.Maker: it makes the entries of an index by the attributes of the family. The index
// belongs to the typed table whose rows the family has, or to its cells. bind binds the expressions of
// virtual columns.
func EntriesOf(t *kv.Table, i int, bind Bind) (index.Entries, error) {
	face, err := FaceOf(t)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", kv.ErrFormat, err)
	}
	at := face.Index(t.Indexes[i].Name)
	if at < 0 {
		return nil, fmt.Errorf("%w: the table %s.%s has no definition of its index %s", kv.ErrFormat, t.Database, t.Name, t.Indexes[i].Name)
	}
	key, err := face.IndexKey(at)
	if err != nil {
		return nil, err
	}
	if face.ofCells {
		return &cellEntries{key}, nil
	}
	of, err := face.basisOf(t, at, bind)
	if err != nil {
		return nil, err
	}
	return &indexEntries{face: face, key: key, virtual: of.virtual, qualifiers: face.qualifiersOf(of)}, nil
}

// indexEntries are the entries of one index of a typed table.
type indexEntries struct {
	face       *Table
	key        *IndexKey
	virtual    []BoundColumn // virtual columns in the index, and those that these read
	qualifiers [][]byte
}

// Qualifiers implements index.Entries.
func (e *indexEntries) Qualifiers() [][]byte { return e.qualifiers }

// Append implements index.Entries: a row has one entry, which expires with its marker.
func (e *indexEntries) Append(to []index.Entry, row []byte, cells []kv.Cell) ([]index.Entry, error) {
	at := slices.IndexFunc(cells, func(c kv.Cell) bool { return string(c.Qualifier) == Marker && c.Value != nil })
	if at < 0 {
		return to, nil
	}
	values := e.values(row, cells)
	if values == nil {
		return to, nil // a row with an invalid key does not exist
	}
	made := index.Entry{Timestamp: cells[at].Timestamp}
	var err error
	if made.Row, made.Unique, err = e.key.Append(make([]byte, 0, len(row)+entryRoom), row, values); err != nil {
		return to, err
	}
	if made.Unique {
		made.Qualifier = append([]byte{}, row...)
	}
	made.Value = e.key.appendKept(values)
	return append(to, made), nil
}

// entryRoom is the number of bytes that the columns of most entries need.
const entryRoom = 32

// values are the values of the row's columns, those not in the index as NULL; nil if the table does not have
// the row.
func (e *indexEntries) values(row []byte, cells []kv.Cell) []value.Value {
	contents, has := make([][]byte, len(e.face.Columns)), make([]bool, len(e.face.Columns))
	for i := range cells {
		if at := e.face.OfCell(0, cells[i].Qualifier); at >= 0 {
			contents[at], has[at] = cells[i].Value, true
		}
	}
	e.face.FillAbsent(contents, has)
	values, err := e.face.Stored(row, contents)
	if err != nil {
		return nil
	}
	e.face.compute(e.virtual, values)
	return values
}

// BaseRow implements index.Entries.
func (e *indexEntries) BaseRow(row, qualifier []byte) ([]byte, error) {
	return e.key.baseRow(row, qualifier)
}
