package mysqlserver

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/driver/mysqlserver/internal/packet"
	"github.com/hbasekv/hbasekv/driver/mysqlserver/internal/wire"
)

func TestLenenc(t *testing.T) {
	for _, n := range []uint64{0, 250, 251, 252, 1<<16 - 1, 1 << 16, 1<<24 - 1, 1 << 24, 1<<64 - 1} {
		f := packet.Fields{Rest: packet.AppendLenenc(nil, n)}
		require.Equal(t, n, f.Lenenc())
		require.False(t, f.Bad)
		require.Empty(t, f.Rest)
	}
}

// No hello of a client causes a panic, or a read outside of its packet.
func FuzzHello(f *testing.F) {
	caps := packet.AppendUint32(nil, uint32(offered))
	hello := append(append(caps, make([]byte, 28)...), "root\x00\x00default\x00mysql_native_password\x00\x00"...)
	hello[8] = wire.DefaultCollation
	f.Add(hello)
	for i := range hello {
		f.Add(hello[:i])
	}
	f.Add(packet.AppendUint32(nil, uint32(protocol41|ssl)))
	f.Fuzz(func(t *testing.T, packet []byte) {
		h, ok := parseHello(packet)
		if ok && len(h.user)+len(h.answer)+len(h.database) > len(packet) {
			t.Fatal("more than was sent")
		}
		parseChangeUser(packet, offered)
	})
}

// Arguments of arbitrary bytes are values or an error.
func FuzzArguments(f *testing.F) {
	f.Add([]byte{0, 1, 8, 0, 253, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 'a'})
	f.Add([]byte{1, 1, 6, 0, 12, 0, 11, 0xe4, 7, 2, 29, 1, 2, 3, 4, 5, 6, 0})
	f.Add([]byte{0, 1, 11, 0, 11, 0, 12, 1, 1, 0, 0, 0, 1, 2, 3, 4, 5, 6, 0, 0})
	f.Add([]byte{0, 1, 246, 0, 5, 0, 3, '1', '.', '5', 0, 0, 0, 0, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, body []byte) {
		in := packet.Fields{Rest: body}
		var types []wire.ArgumentType
		args, err := wire.ReadArguments(&in, 2, &types, nil)
		if err == nil && len(args) != 2 {
			t.Fatal("not two")
		}
		for _, a := range args {
			a.AppendText(nil)
		}
	})
}

// Packets of arbitrary bytes are read or refused, in memory proportional to what
// was sent.
func FuzzPackets(f *testing.F) {
	const plain, withZlib, withZstd = 0, 1, 2
	ping := []byte{1, 0, 0, 0, 0x0e}
	f.Add(ping, byte(plain))
	f.Add([]byte{0xff, 0xff, 0xff, 0, 1, 2, 3}, byte(plain))
	f.Add([]byte{5, 0, 0, 1, 0, 0, 0}, byte(plain))
	f.Add(squeezed(len(ping), 0, ping), byte(withZlib))
	f.Add(squeezed(len(ping), 0, ping), byte(withZstd))
	for compression, pack := range map[byte]func([]byte) []byte{withZlib: zlibbed, withZstd: zstdded} {
		packed := pack(ping)
		f.Add(squeezed(len(packed), len(ping), packed), compression)
		f.Add(squeezed(len(packed), 10*len(ping), packed), compression)
		f.Add(squeezed(len(packed)-1, len(ping), packed), compression)
	}
	f.Fuzz(func(t *testing.T, sent []byte, compression byte) {
		p := packet.New(&scripted{Reader: bytes.NewReader(sent)})
		compressed := compression%3 != plain
		if compressed {
			p.Compress(compression%3 == withZstd)
		}
		for {
			payload, err := p.Read()
			if err != nil {
				break
			}
			if !compressed && len(payload) > len(sent) {
				t.Fatal("more than was sent")
			}
			p.Sequence = 0
		}
		if !compressed && cap(p.Payload) > 2*len(sent)+2*packet.FirstStep {
			t.Fatalf("%d bytes of memory for %d", cap(p.Payload), len(sent))
		}
	})
}
