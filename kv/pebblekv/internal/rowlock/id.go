package rowlock

import (
	"hash/maphash"

	"github.com/hbasekv/hbasekv/kv"
)

// ID stands for a row of a group or table: 128 bits of keyed hash, so that
// two rows never share one in practice.
type ID [2]uint64

// Hasher makes the IDs of rows.
type Hasher struct{ seeds [2]maphash.Seed }

// NewHasher makes a hasher whose IDs no other hasher knows.
func NewHasher() Hasher { return Hasher{[2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}} }

// Namespace stands for what a row lock is within: the group, or the table
// that is in none.
func (h *Hasher) Namespace(t *kv.Table) ID {
	return ID{h.namespaceHalf(t, 0), h.namespaceHalf(t, 1)}
}

func (h *Hasher) namespaceHalf(t *kv.Table, half int) uint64 {
	var m maphash.Hash
	m.SetSeed(h.seeds[half])
	if t.Group == "" {
		maphash.WriteComparable(&m, t.ID)
	} else {
		maphash.WriteComparable(&m, [2]string{t.Database, t.Group})
	}
	return m.Sum64()
}

// Row is the ID of a row of the namespace.
func (h *Hasher) Row(namespace ID, row []byte) ID {
	return ID{h.rowHalf(namespace[0], row, 0), h.rowHalf(namespace[1], row, 1)}
}

func (h *Hasher) rowHalf(namespace uint64, row []byte, half int) uint64 {
	return maphash.Bytes(h.seeds[half], row)*3 + namespace
}

// FirstHalf is the first half of a row's ID.
func (h *Hasher) FirstHalf(t *kv.Table, row []byte) uint64 {
	return h.rowHalf(h.namespaceHalf(t, 0), row, 0)
}

// Beginning is a hash of the beginning of keys.
func (h *Hasher) Beginning(key []byte) uint64 { return maphash.Bytes(h.seeds[0], key) }

// Key is one hash of a key for all that count or find keys.
func (h *Hasher) Key(key []byte) uint32 { return uint32(maphash.Bytes(h.seeds[0], key)) }
