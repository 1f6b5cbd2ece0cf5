package kv

import "encoding/binary"

// names are the distinct qualifiers of a batch while they are few; each is copied once. Cells with
// the same qualifier have the same code, so that readers that group them by qualifier need not
// compare bytes.
type names struct {
	all   []name
	codes [numSlots]uint8 // plus 1, by hash; 0 for none
	many  bool            // there are more than fit: further ones are not looked up
}

// name is a qualifier and a number made of it, which distinguishes short ones of equal length.
type name struct {
	word uint64
	text []byte
}

// At most maxNames qualifiers are recognised when they come again. There are more slots, so that
// most have one of their own.
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

// find returns the slot of a qualifier, or the one where it should be added.
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

// add assigns the slot to a qualifier whose text the caller sets, and returns its code plus 1, or
// 0 if there are too many.
func (n *names) add(at uint16) uint8 {
	if n.many = len(n.all) == maxNames; n.many {
		return 0
	}
	n.all = append(n.all, name{})
	n.codes[at] = uint8(len(n.all))
	return n.codes[at]
}

// wordOf returns a number made of a qualifier: different qualifiers of the same length up to
// wordLen have different numbers.
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
