package zookeeper

import (
	"encoding/binary"
	"errors"
	"slices"
)

// The request types, as in ZooKeeper's OpCode.
const (
	opExists       = 3
	opGetData      = 4
	opGetACL       = 6
	opGetChildren  = 8
	opSync         = 9
	opPing         = 11
	opGetChildren2 = 12
	opAuth         = 100
	opSetWatches   = 101
	opSetWatches2  = 105
	opAddWatch     = 106
	opWhoAmI       = 107
	opCloseSession = -11
)

// writes are the types that change something, and Multi, which may.
var writes = []int32{1, 2, 5, 7, 13, 14, 15, 16, 19, 20, 21}

// Error codes.
const (
	codeOK            = 0
	codeUnimplemented = -6
	codeNoNode        = -101
	codeNoAuth        = -102
)

var errShort = errors.New("the packet ends before its time")

// decoder reads a packet. After the end it reads zeros, and short is true.
type decoder struct {
	rest  []byte
	short bool
}

func (d *decoder) take(n int) []byte {
	if n > len(d.rest) {
		d.short, d.rest = true, nil
		return make([]byte, min(n, 8))
	}
	out := d.rest[:n]
	d.rest = d.rest[n:]
	return out
}

func (d *decoder) int32() int32 { return int32(binary.BigEndian.Uint32(d.take(4))) }

func (d *decoder) int64() int64 { return int64(binary.BigEndian.Uint64(d.take(8))) }

// bytes returns a buffer or a text; one of length -1 is empty.
func (d *decoder) bytes() []byte {
	n := int64(d.int32())
	if n <= 0 {
		return nil
	}
	if n > int64(len(d.rest)) {
		d.short, d.rest = true, nil
		return nil
	}
	return d.take(int(n))
}

// encoder builds a packet.
type encoder []byte

func (e encoder) int32(v int32) encoder { return binary.BigEndian.AppendUint32(e, uint32(v)) }

func (e encoder) int64(v int64) encoder { return binary.BigEndian.AppendUint64(e, uint64(v)) }

func (e encoder) bytes(v []byte) encoder { return append(e.int32(int32(len(v))), v...) }

// header appends the header of a reply.
func (e encoder) header(xid, code int32) encoder { return e.int32(xid).int64(zxid).int32(code) }

// zxid is the transaction that has made everything: the first.
const zxid = 1

// stat appends a node's Stat.
func (e encoder) stat(n *node) encoder {
	e = e.int64(zxid).int64(zxid).int64(0).int64(0) // czxid, mzxid, ctime, mtime
	e = e.int32(0).int32(0).int32(0).int64(0)       // version, cversion, aversion, ephemeralOwner
	return e.int32(int32(len(n.data))).int32(int32(len(n.children))).int64(zxid)
}

func (e encoder) children(n *node) encoder {
	e = e.int32(int32(len(n.children)))
	for _, name := range n.children {
		e = e.bytes([]byte(name))
	}
	return e
}

// reply answers a request; answer is nil if none is due. last is true if the request ends the session.
func (t *Tree) reply(packet []byte) (answer []byte, last bool, err error) {
	d := &decoder{rest: packet}
	xid, op := d.int32(), d.int32()
	if d.short {
		return nil, true, errShort
	}
	out := encoder{}
	switch op {
	case opPing, opAuth, opSetWatches, opSetWatches2, opAddWatch:
		return out.header(xid, codeOK), false, nil
	case opCloseSession:
		return out.header(xid, codeOK), true, nil
	case opWhoAmI:
		return out.header(xid, codeOK).int32(0), false, nil
	case opExists, opGetData, opGetACL, opGetChildren, opGetChildren2, opSync:
		path := string(d.bytes())
		if d.short {
			return nil, true, errShort
		}
		return t.look(out, xid, op, path), false, nil
	}
	if slices.Contains(writes, op) {
		return out.header(xid, codeNoAuth), false, nil
	}
	return out.header(xid, codeUnimplemented), false, nil
}

// look answers a request that reads a node.
func (t *Tree) look(out encoder, xid, op int32, path string) encoder {
	n := t.nodes[path]
	switch {
	case op == opSync:
		return out.header(xid, codeOK).bytes([]byte(path))
	case n == nil:
		return out.header(xid, codeNoNode)
	}
	out = out.header(xid, codeOK)
	switch op {
	case opExists:
		return out.stat(n)
	case opGetData:
		return out.bytes(n.data).stat(n)
	case opGetACL: // one entry: anyone may read
		return out.int32(1).int32(1).bytes([]byte("world")).bytes([]byte("anyone")).stat(n)
	case opGetChildren2:
		return out.children(n).stat(n)
	}
	return out.children(n)
}
