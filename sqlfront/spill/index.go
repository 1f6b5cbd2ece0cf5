package spill

import (
	"github.com/hbasekv/hbasekv/sqlfront/spill/rowmem"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Index finds rows by a key. Call Add first, then Seal, then Find, Has and Matches.
type Index struct {
	space   *Space
	account Account
	keptRows
	table rowTable
	row   []value.Value // the last one added

	// Rows that do not fit into memory are in a file, sorted by their keys.
	spilled bool
	sorter  *Sorter // until Seal
	file    *file
	run     run
	blocks  []indexBlock
	read    reader
	sought  []byte        // the key sought last
	ahead   []value.Value // the next row of the file, nil unless it has been read
	ended   bool          // the file has been read to its end
}

// Found are the rows in memory with one key, in the order of arrival: the number of the first, and
// their number. The zero Found has no rows.
type Found struct{ First, Len int32 }

// NewIndex makes an empty Index.
func (s *Space) NewIndex() *Index {
	return &Index{space: s, account: s.Account()}
}

// Peak is the most memory used at any time, in bytes.
func (x *Index) Peak() int64 { return x.account.Peak() }

// Spilled reports whether rows are in temporary files.
func (x *Index) Spilled() bool { return x.spilled }

// Add adds a copy of the row and of its key. Its errors are those of [Space].
func (x *Index) Add(key []byte, row []value.Value) error {
	x.row = append(append(x.row[:0], value.NewBytes(key)), row...)
	if x.sorter == nil {
		x.account.Grow(x.add(x.row))
		if !x.account.Full() && !x.full() {
			return nil
		}
		return x.spill()
	}
	return x.sorter.Add(x.row)
}

// Take moves the rows of another Index to this one, and closes the other. Neither may have spilled.
func (x *Index) Take(other *Index) {
	x.keptRows.take(&other.keptRows)
	bytes := other.account.own
	other.account.Release()
	x.account.Grow(int(bytes))
	other.forget()
}

// spill moves all rows to a sorter; later ones are added there, too.
func (x *Index) spill() error {
	x.sorter = x.space.NewSorter(rowmem.ByFirst)
	for i := range int32(x.Len()) {
		x.row = append(append(x.row[:0], value.NewBytes(x.key(i))), x.AppendRow(nil, i)...)
		if err := x.sorter.Add(x.row); err != nil {
			return err
		}
	}
	x.forget()
	x.spilled = true
	x.account.Release()
	return nil
}

// forget drops the rows in memory.
func (x *Index) forget() { x.keptRows, x.table = keptRows{}, rowTable{} }

// Seal ends the adding. Its errors are those of [Space].
func (x *Index) Seal() error { return x.SealBy(1) }

// SealBy is Seal on several goroutines. Its errors are those of [Space].
func (x *Index) SealBy(workers int) error {
	if x.sorter == nil {
		return x.table.build(x.space.ctx, &x.keptRows, workers)
	}
	if err := x.sorter.Sort(); err != nil {
		return err
	}
	if err := x.writeFile(); err != nil {
		return err
	}
	err := x.sorter.Close()
	x.sorter = nil
	return err
}

// Find returns the rows with a key, which are in memory. After Seal it is safe for concurrent use.
func (x *Index) Find(key []byte) Found {
	if x.table.rows < x.Len() {
		_ = x.table.grow(&x.keptRows, nil) // returns no error without a context
	}
	return x.table.find(&x.keptRows, key)
}

// FindAll is Find for many keys, which are concatenated in text and end at ends.
func (x *Index) FindAll(dst []Found, text []byte, ends []int32) []Found {
	start := int32(0)
	for _, end := range ends {
		dst = append(dst, x.Find(text[start:end]))
		start = end
	}
	return dst
}

// After returns the found rows without the first.
func (x *Index) After(f Found) Found { return Found{x.table.links[f.First].after, f.Len - 1} }

// Matches iterates over the rows of an Index with one key, in the order of arrival. If the rows are in
// memory, several goroutines may each have one; if they are in files, only the last one sought is
// valid. The zero Matches has no rows.
type Matches struct {
	of    *Index
	found Found // in memory
	row   []value.Value
}

// Seek positions m before the first row with that key. Its errors are those of [Space].
func (m *Matches) Seek(x *Index, key []byte) error {
	m.of = x
	if x.spilled {
		return x.seekInFile(key)
	}
	m.found = x.Find(key)
	return nil
}

// Clear removes the rows.
func (m *Matches) Clear() { m.of, m.found = nil, Found{} }

// Len is the number of remaining rows, if they are in memory.
func (m *Matches) Len() int32 { return m.found.Len }

// Next returns the next row, valid until the following call, or nil after the last. Its errors are
// those of [Space].
func (m *Matches) Next() ([]value.Value, error) {
	switch {
	case m.of == nil:
		return nil, nil
	case m.of.spilled:
		return m.of.nextInFile()
	case m.found.Len == 0:
		return nil, nil
	case m.row == nil:
		m.row = []value.Value{} // not nil, even without columns
	}
	m.row = m.of.AppendRow(m.row[:0], m.found.First)
	m.found = m.of.After(m.found)
	return m.row, nil
}

// Has reports whether there is a row with a key. Its errors are those of [Space].
func (x *Index) Has(key []byte) (bool, error) {
	if !x.spilled {
		return x.Find(key).Len > 0, nil
	}
	if err := x.seekInFile(key); err != nil {
		return false, err
	}
	row, err := x.nextInFile()
	return row != nil, err
}

// All iterates over all rows, each valid until the next. After Seal, several goroutines may iterate
// concurrently over rows in memory.
func (x *Index) All() (next func() ([]value.Value, error)) {
	if x.spilled {
		return x.allOfFile()
	}
	at, row := int32(0), []value.Value{}
	return func() ([]value.Value, error) {
		if int(at) >= x.Len() {
			return nil, nil
		}
		row = x.AppendRow(row[:0], at)
		at++
		return row, nil
	}
}

// Close releases memory and temporary files. It may be called again. Its errors are those of [Space].
func (x *Index) Close() error {
	x.account.Release()
	x.forget()
	x.blocks = nil
	var err error
	if x.sorter != nil {
		err = x.sorter.Close()
		x.sorter = nil
	}
	if closeErr := x.file.close(); err == nil {
		err = closeErr
	}
	x.file = nil
	return err
}
