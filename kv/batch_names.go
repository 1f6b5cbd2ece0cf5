package kv

import "encoding/binary"

// names are the different qualifiers of a batch, as long as they are few, each of which is copied
// once. Cells that have the same one have the same code, so that readers that divide them by their
// qualifiers need not compare bytes.
type names struct {
	all   []name
	codes [numSlots]uint8 // plus 1, by hashes: 0 is none
	many  bool            // more than there is room for: those that come are not looked for
}

// name is a qualifier and a number made of it, which tells short ones of one length apart.
type name struct {
	word uint64
	text []byte
}

// Of maxNames qualifiers at most is known that they come again. There are more slots, so
// that most have one of their own.
const (
	maxNames = 1<<8 - 1
	slotBits = 10
	numSlots = 1 << slotBits
	wordLen  = 8
)

func (n *names) reset() {
	if len(n.all) > 0 {
		clear(n.codes[:])
		n.all, n.many = n.all[:0], false
	}
}

// find is the slot of a qualifier, or that where it is to be.
func (n *names) find(word uint64, q []byte) uint16 {
	const golden = 0x9e3779b97f4a7c15 // 2^64, divided by the golden ratio
	for at := uint16((word ^ uint64(len(q))) * golden >> (64 - slotBits)); ; at = (at + 1) % numSlots {
		code := n.codes[at]
		if code == 0 || n.all[code-1].is(word, q) {
			return at
		}
	}
}

func (n *name) is(word uint64, q []byte) bool {
	return n.word == word && len(n.text) == len(q) && (len(q) <= wordLen || string(n.text) == string(q))
}

// add gives the slot to a qualifier whose text is to be set, and gives its code plus 1, or
// 0 where there are many.
func (n *names) add(at uint16) uint8 {
	if n.many = len(n.all) == maxNames; n.many {
		return 0
	}
	n.all = append(n.all, name{})
	n.codes[at] = uint8(len(n.all))
	return n.codes[at]
}

// wordOf is a number of a qualifier: different ones of one length up to wordLen have
// different ones.
func wordOf(q []byte) uint64 {
	switch n := len(q); {
	case n >= wordLen:
		return binary.LittleEndian.Uint64(q) + 2*binary.LittleEndian.Uint64(q[n-wordLen:])
	case n >= wordLen/2:
		return uint64(binary.LittleEndian.Uint32(q)) | uint64(binary.LittleEndian.Uint32(q[n-wordLen/2:]))<<32
	case n > 0:
		return uint64(q[0]) | uint64(q[n/2])<<8 | uint64(q[n-1])<<16
	}
	return 0
}
