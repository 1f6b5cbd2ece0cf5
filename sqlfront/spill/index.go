package spill

import (
	"bytes"
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Index keeps rows to be found by a key. Add comes first, then Seal, then Seek
// and Next.
type Index struct {
	space   *Space
	account Account
	keys    KeyTable
	byKey   []keyRows // by the numbers of keys
	rows    [][]value.Value
	after   []int32 // of each row, the next one that has its key
	kept    Arena
	found   Found // rows to be given

	// Where there are too many rows for the memory, they are in a file, sorted
	// by their keys.
	spilled bool
	sorter  *Sorter // until Seal
	row     []value.Value
	file    *file
	run     run
	blocks  []indexBlock
	read    reader
	sought  []byte        // the key sought last
	ahead   []value.Value // the next row of the file, nil where none is read
	ended   bool          // the file is read to its end
}

// keyRows are the rows with a key.
type keyRows struct {
	Found
	last int32
}

// Found are rows in memory that have one key, in the order of their arrival: the number of
// the first, and how many there are. The zero Found has none.
type Found struct{ First, Len int32 }

// indexBlock is a place in the file and the key of the row that stands there.
type indexBlock struct {
	key []byte
	at  int64
}

// blockSize is the distance between two blocks, in bytes, where memory allows.
const blockSize = 4 << 10

// NewIndex makes an empty Index.
func (s *Space) NewIndex() *Index {
	return &Index{space: s, account: s.Account()}
}

// Peak is how many bytes were kept in memory at a time.
func (x *Index) Peak() int64 { return x.account.Peak() }

// Spilled reports whether rows are in temporary files.
func (x *Index) Spilled() bool { return x.spilled }

// indexOverhead is about what a row takes in the tables beside its key.
const indexOverhead = 64

// Add takes a copy of the row and of its key.
func (x *Index) Add(key []byte, row []value.Value) error {
	if x.sorter == nil {
		x.account.Grow(Size(row) + len(key) + indexOverhead)
		if !x.account.Full() {
			at := int32(len(x.rows))
			x.rows, x.after = append(x.rows, x.kept.Clone(row)), append(x.after, 0)
			x.append(key, keyRows{Found{at, 1}, at})
			return nil
		}
		if err := x.spill(); err != nil {
			return err
		}
	}
	return x.addSorted(key, row)
}

// append puts rows with a key, the last ones in memory, behind those that there are.
func (x *Index) append(key []byte, rows keyRows) {
	number, isNew := x.keys.Add(key)
	if isNew {
		x.byKey = append(x.byKey, rows)
		return
	}
	k := &x.byKey[number]
	x.after[k.last] = rows.First
	k.Len, k.last = k.Len+rows.Len, rows.last
}

func (x *Index) addSorted(key []byte, row []value.Value) error {
	x.row = append(append(x.row[:0], value.NewBytes(key)), row...)
	return x.sorter.Add(x.row)
}

// Take moves the rows of another Index behind those that there are, both in memory, and
// closes it.
func (x *Index) Take(other *Index) {
	before := int32(len(x.rows))
	x.rows = append(x.rows, other.rows...)
	for _, i := range other.after {
		x.after = append(x.after, i+before)
	}
	for n, rows := range other.byKey {
		x.append(other.keys.Key(n), keyRows{Found{rows.First + before, rows.Len}, rows.last + before})
	}
	bytes := other.account.own
	other.account.Release()
	x.account.Grow(int(bytes))
	other.forget()
}

// spill gives all rows to a sort, where the further ones go too.
func (x *Index) spill() error {
	x.sorter = x.space.NewSorter(ByBytes)
	for n, rows := range x.byKey {
		for f := rows.Found; f.Len > 0; f = x.After(f) {
			if err := x.addSorted(x.keys.Key(n), x.rows[f.First]); err != nil {
				return err
			}
		}
	}
	x.forget()
	x.spilled = true
	x.account.Release()
	return nil
}

// forget gives up what is in memory.
func (x *Index) forget() {
	x.keys, x.byKey, x.rows, x.after, x.kept, x.found = KeyTable{}, nil, nil, nil, Arena{}, Found{}
}

// Seal ends the adding.
func (x *Index) Seal() error {
	if x.sorter == nil {
		return nil
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

// writeFile writes the sorted rows and notes where they are.
func (x *Index) writeFile() (err error) {
	if x.file, err = x.space.createPart(); err != nil {
		return err
	}
	var w writer
	x.run = w.begin(x.file)
	last, step := int64(-blockSize), int64(blockSize)
	err = Each(x.sorter.Next, func(row []value.Value) error {
		if at := w.at(); at-last >= step {
			last = at
			if x.note(row[0].Raw(), at) {
				step *= 2
			}
		}
		return w.add(row)
	})
	if err == nil {
		err = w.finish(&x.run)
	}
	return err
}

// note adds a block. Where memory is used up every second one is given up,
// which it reports.
func (x *Index) note(key []byte, at int64) bool {
	x.blocks = append(x.blocks, indexBlock{bytes.Clone(key), at})
	x.account.Grow(len(key) + indexOverhead)
	if !x.account.Full() {
		return false
	}
	half := x.blocks[:0]
	for i, b := range x.blocks {
		if i%2 == 0 {
			half = append(half, b)
			continue
		}
		x.account.Grow(-len(b.key) - indexOverhead)
	}
	clear(x.blocks[len(half):])
	x.blocks = half
	return true
}

// Seek goes before the first row with that key; Next gives it and the further
// ones with that key, in the order of their arrival.
func (x *Index) Seek(key []byte) error {
	if !x.Spilled() {
		x.found = x.Find(key)
		return nil
	}
	// From block i on there are only greater keys, or equal ones that have
	// equal ones before them.
	i, _ := slices.BinarySearchFunc(x.blocks, key, func(b indexBlock, key []byte) int { return bytes.Compare(b.key, key) })
	from := x.run.start
	if i > 0 {
		from = x.blocks[i-1].at
	}
	if !x.standsBefore(key, from) {
		x.read.open(run{file: x.file, start: from, end: x.run.end}, blockSize)
		x.ahead, x.ended = nil, false
	}
	x.sought = append(x.sought[:0], key...)
	return x.skip()
}

// standsBefore reports whether reading on from here finds the key, and sooner
// than from the place given.
func (x *Index) standsBefore(key []byte, from int64) bool {
	return x.read.file != nil && bytes.Compare(x.sought, key) < 0 &&
		(x.ended || x.read.place() >= from || x.ahead != nil && bytes.Compare(key, x.ahead[0].Raw()) <= 0)
}

// skip reads to the first row that has not a lesser key than the one sought.
func (x *Index) skip() (err error) {
	for !x.ended && (x.ahead == nil || bytes.Compare(x.ahead[0].Raw(), x.sought) < 0) {
		if x.ahead, err = x.read.read(); err != nil {
			return err
		}
		x.ended = x.ahead == nil
	}
	return nil
}

// Next is the next row with the key sought, nil behind the last.
func (x *Index) Next() ([]value.Value, error) {
	if !x.Spilled() {
		return x.nextFound(), nil
	}
	if err := x.skip(); err != nil {
		return nil, err
	}
	if x.ended || !bytes.Equal(x.ahead[0].Raw(), x.sought) {
		return nil, nil
	}
	row := x.ahead[1:]
	x.ahead = nil
	return row, nil
}

// Len is how many rows there are in memory, of an Index that has not spilled.
func (x *Index) Len() int { return len(x.rows) }

// Row is one of them, by its number in the order of arrival.
func (x *Index) Row(i int) []value.Value { return x.rows[i] }

// Find are those with a key. After Seal several goroutines may ask at the same time.
func (x *Index) Find(key []byte) Found {
	if number := x.keys.Find(key); number != NoKey {
		return x.byKey[number].Found
	}
	return Found{}
}

// FindAll is Find of many keys, which follow each other in a text and end in it at ends.
func (x *Index) FindAll(dst []Found, text []byte, ends []int32) []Found {
	start := int32(0)
	for _, end := range ends {
		dst = append(dst, x.Find(text[start:end]))
		start = end
	}
	return dst
}

// After are the found rows behind the first.
func (x *Index) After(f Found) Found { return Found{x.after[f.First], f.Len - 1} }

func (x *Index) nextFound() []value.Value {
	if x.found.Len == 0 {
		return nil
	}
	row := x.rows[x.found.First]
	x.found = x.After(x.found)
	return row
}

// Close gives up the rows. It may be called again.
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
