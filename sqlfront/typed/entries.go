package typed

import (
	"fmt"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/index"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// EntriesOf is an index.Maker: it reads what the attributes of the family say of the index, which is of the typed table
// whose rows the family has, or of its cells. bind
// gives virtual columns their values.
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

// indexEntries are those of one index of a typed table.
type indexEntries struct {
	face       *Table
	key        *IndexKey
	virtual    []BoundColumn // that the index is of, and those that these read
	qualifiers [][]byte
}

// Qualifiers implements index.Entries.
func (e *indexEntries) Qualifiers() [][]byte { return e.qualifiers }

// Append implements index.Entries: a row has one entry, which expires with its marker.
func (e *indexEntries) Append(to []index.Entry, row []byte, cells []kv.Cell) ([]index.Entry, error) {
	values, marked := e.values(row, cells)
	if marked == nil {
		return to, nil
	}
	made := index.Entry{Timestamp: marked.Timestamp}
	var err error
	if made.Row, made.Unique, err = e.key.Append(nil, row, values); err != nil {
		return to, err
	}
	if made.Unique {
		made.Qualifier = append([]byte{}, row...)
	}
	return append(to, made), nil
}

// values are those of the row's columns, of which the ones that are not the index's are NULL; marked is the cell that says
// that the row is there, nil where it is not.
func (e *indexEntries) values(row []byte, cells []kv.Cell) (values []value.Value, marked *kv.Cell) {
	contents, has := make([][]byte, len(e.face.Columns)), make([]bool, len(e.face.Columns))
	for i := range cells {
		c := &cells[i]
		if string(c.Qualifier) == Marker {
			if c.Value != nil {
				marked = c
			}
		} else if at := e.face.OfCell(0, c.Qualifier); at >= 0 {
			contents[at], has[at] = c.Value, true
		}
	}
	if marked == nil {
		return nil, nil
	}
	e.face.FillAbsent(contents, has)
	values, err := e.face.Stored(row, contents)
	if err != nil {
		return nil, nil // a key that is none of the table's is no row
	}
	e.face.compute(e.virtual, values)
	return values, marked
}

// BaseRow implements index.Entries.
func (e *indexEntries) BaseRow(row, qualifier []byte) ([]byte, error) {
	return e.key.baseRow(row, qualifier)
}
