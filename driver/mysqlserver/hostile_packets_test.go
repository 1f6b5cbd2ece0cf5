package mysqlserver

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/driver/mysqlserver/internal/packet"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
)

func zlibbed(plain []byte) []byte {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	w.Write(plain)
	w.Close()
	return b.Bytes()
}

func zstdded(plain []byte) []byte { return packet.ZstdEncoder().EncodeAll(plain, nil) }

// streamed is zstd data that does not contain its uncompressed length.
func streamed(plain []byte) []byte {
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b, zstd.WithWindowSize(1<<20))
	if err != nil {
		panic(err)
	}
	for len(plain) > 0 {
		n := min(len(plain), 1<<16)
		w.Write(plain[:n])
		w.Flush()
		plain = plain[n:]
	}
	w.Close()
	return b.Bytes()
}

// squeezed is a compressed packet with arbitrary lengths.
func squeezed(packed, plain int, body []byte) []byte {
	b := append(packet.AppendUint24(nil, packed), 0)
	return append(packet.AppendUint24(b, plain), body...)
}

// allocated is the total of all allocations so far.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// TestCompressedPacketsThatLie: wrong lengths and decompression bombs end their own connection,
// using the memory of a packet or two.
func TestCompressedPacketsThatLie(t *testing.T) {
	socket, _ := serveWild(t, Options{})
	zeros := make([]byte, 32<<20)
	ping := []byte{1, 0, 0, 0, comPing}
	for _, each := range []struct {
		name string
		caps capability
		pack func([]byte) []byte
	}{{"zlib", zlibCompression, zlibbed}, {"zstd", zstdCompression, zstdded}, {"streamed zstd", zstdCompression, streamed}} {
		good, bomb := each.pack(ping), each.pack(zeros)
		for name, sent := range map[string][]byte{
			"more than it says":       squeezed(len(bomb), 10, bomb),
			"less than it says":       squeezed(len(good), 1<<24-1, good),
			"as much as can be":       squeezed(len(bomb), 1<<24-1, bomb),
			"many frames":             squeezed(min(1000*len(bomb), 1<<24-1), 1<<24-1, bytes.Repeat(bomb, 1000)[:min(1000*len(bomb), 1<<24-1)]),
			"nothing":                 squeezed(0, 5, nil),
			"nothing of nothing":      bytes.Repeat(squeezed(0, 0, nil), 1000),
			"a part":                  squeezed(len(good)-3, len(ping), good[:len(good)-3]),
			"a longer one":            squeezed(1<<24-1, len(ping), good),
			"none of it":              squeezed(len(ping), len(ping), ping),
			"a header that is longer": squeezed(5, 0, []byte{0xff, 0xff, 0xff, 0, comQuery}),
			"packets out of packets":  squeezed(len(each.pack(good)), len(good), each.pack(good)),
		} {
			t.Run(each.name+" "+name, func(t *testing.T) {
				before := allocated()
				w := dial(t, socket)
				w.login(wildCaps | each.caps)
				go func() {
					w.Conn.Write(sent)
					w.Conn.(interface{ CloseWrite() error }).CloseWrite()
				}()
				io.Copy(io.Discard, w.Conn) // to the end
				require.Less(t, allocated()-before, uint64(160<<20))
			})
		}
		w := dial(t, socket)
		w.login(wildCaps | each.caps)
		w.raw(squeezed(len(good), len(ping), good)...)
		var answer [12]byte
		_, err := io.ReadFull(w.Conn, answer[:])
		require.NoError(t, err)
		require.EqualValues(t, okHeader, answer[11])
	}
}

// TestAnnouncedPackets: a client that announces large packets and does not send them takes no
// memory.
func TestAnnouncedPackets(t *testing.T) {
	socket, _ := serveWild(t, Options{})
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range 100 {
		w := dial(t, socket)
		if i%2 == 0 {
			w.greeting()
			w.raw(0xff, 0xff, 0, 1)
			continue
		}
		w.login(wildCaps)
		w.raw(0xff, 0xff, 0xff, 0, comQuery)
	}
	time.Sleep(50 * time.Millisecond) // to see all of it
	runtime.GC()
	runtime.ReadMemStats(&after)
	require.Less(t, int64(after.HeapAlloc)-int64(before.HeapAlloc), int64(32<<20))
	w := dial(t, socket)
	w.login(wildCaps)
	w.healthy()
}

const gems = "CREATE TABLE t (K varbinary(80), Q varbinary(8), T bigint, V varbinary(80), PRIMARY KEY (K, Q, T))"

// TestLocalFilesAreThoseThatAreNamed: the server requests only the file that the statement
// names, whatever its name, and never reads one of its own.
func TestLocalFilesAreThoseThatAreNamed(t *testing.T) {
	socket, db := serveWild(t, Options{})
	_, err := db.Exec(gems)
	require.NoError(t, err)
	w := dial(t, socket)
	w.login(wildCaps)
	for literal, name := range map[string]string{
		"/etc/passwd": "/etc/passwd", "../../../etc/passwd": "../../../etc/passwd", "x\\0/etc/passwd": "x\x00/etc/passwd",
		"": "", "file:///etc/passwd": "file:///etc/passwd", "C:\\\\boot.ini": `C:\boot.ini`, "it''s": "it's", "\\n": "\n",
		"/dev/zero": "/dev/zero", strings.Repeat("a/", 5000): strings.Repeat("a/", 5000), "\xff\xfe": "\xff\xfe",
		"/proc/self/environ": "/proc/self/environ", "a' INTO TABLE x": "", "; SELECT 1": "; SELECT 1",
	} {
		answer := w.say(comQuery, "LOAD DATA LOCAL INFILE '"+literal+"' INTO TABLE t")
		if answer[0] == errHeader {
			w.healthy()
			continue
		}
		require.Equal(t, string([]byte{packet.NullValue})+name, string(answer))
		w.put(w.Begin()) // empty
		require.EqualValues(t, okHeader, w.get()[0])
		require.Equal(t, "\x010", string(w.rows(w.say(comQuery, "SELECT COUNT(*) FROM t"))[0]))
	}
	for _, literal := range []string{"/etc/passwd", "../../../etc/passwd", "passwd"} {
		require.EqualValues(t, 1290, number(t, w.say(comQuery, "LOAD DATA INFILE '"+literal+"' INTO TABLE t")))
		require.EqualValues(t, 1290, number(t, w.say(comQuery, "SELECT 1 INTO OUTFILE '"+literal+"'")))
		require.Equal(t, "\xfb", string(w.rows(w.say(comQuery, "SELECT LOAD_FILE('"+literal+"')"))[0]))
	}
	for _, statement := range []string{"LOAD DATA LOCAL INFILE 'x' INTO TABLE missing", "LOAD DATA LOCAL INFILE @name INTO TABLE t",
		"LOAD DATA LOCAL INFILE CONCAT('/etc', '/passwd') INTO TABLE t", "LOAD DATA LOCAL INFILE 'x' INTO TABLE t (nothing)"} {
		require.EqualValues(t, errHeader, w.say(comQuery, statement)[0], statement)
	}
	w = dial(t, socket)
	w.login(wildCaps &^ localFiles)
	require.EqualValues(t, 1148, number(t, w.say(comQuery, "LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE t")))
	w.healthy()
}

// TestFilesAreNoCommands: if a file that is being sent is not read to its end, the rest of it
// is not interpreted as commands.
func TestFilesAreNoCommands(t *testing.T) {
	socket, db := serveWild(t, Options{})
	for _, statement := range []string{gems, "SET GLOBAL max_allowed_packet = 65536"} {
		_, err := db.Exec(statement)
		require.NoError(t, err)
	}
	insert := "INSERT INTO t VALUES ('smuggled', 'q', 1, 'x')"
	command := append(append(packet.AppendUint24(nil, len(insert)+1), 0, comQuery), insert...)
	for name, sent := range map[string][]byte{
		"too large":    append([]byte{0, 0, 2, 2}, bytes.Repeat(command, 2000)...),
		"out of order": append([]byte{3, 0, 0, 9, 'a', 'b', 'c'}, command...),
		"half":         {0, 1, 0, 2, 'a'},

		"between two packets": {8, 0, 0, 2, 'a', '\t', 'q', '\t', '1', '\t', 'v', '\n'},
	} {
		t.Run(name, func(t *testing.T) {
			w := dial(t, socket)
			w.login(wildCaps)
			require.EqualValues(t, packet.NullValue, w.say(comQuery, "LOAD DATA LOCAL INFILE 'x' INTO TABLE t")[0])
			go func() {
				w.Conn.Write(sent)
				w.Conn.(interface{ CloseWrite() error }).CloseWrite()
			}()
			answer, err := io.ReadAll(w.Conn)
			require.NoError(t, err)
			switch name {
			case "too large":
				require.EqualValues(t, 1153, binary.LittleEndian.Uint16(answer[5:]))
			case "out of order":
				require.EqualValues(t, 1156, binary.LittleEndian.Uint16(answer[5:]))
			case "half", "between two packets":
				require.EqualValues(t, 1158, binary.LittleEndian.Uint16(answer[5:]))
				require.Contains(t, string(answer), "the file 'x' of LOAD DATA LOCAL is cut off")
			}
			var n int
			require.NoError(t, db.QueryRow("SELECT COUNT(*) FROM t").Scan(&n))
			require.Zero(t, n)
		})
	}
}

// steps are the payloads of a fuzzed client, each preceded by its length.
func steps(in []byte) (out [][]byte) {
	for len(in) >= 2 {
		n := min(int(binary.LittleEndian.Uint16(in)), len(in)-2)
		out = append(out, in[2:2+n])
		in = in[2+n:]
	}
	return out
}

func stepsOf(payloads ...[]byte) (out []byte) {
	for _, p := range payloads {
		out = append(packet.AppendUint16(out, uint16(len(p))), p...)
	}
	return out
}

// Whatever a client sends from its first byte on, the server ends with it, reveals nothing that
// the client may not see, and does not panic.
func FuzzConnection(f *testing.F) {
	certificates, err := SelfSigned()
	require.NoError(f, err)
	s := patientServer(f, Options{TLS: certificates.Config()})
	command := func(kind byte, body string) []byte { return append([]byte{kind}, body...) }
	login := func(caps capability) []byte {
		return helloOf(caps, "eve", rights.NativePassword, nil, "information_schema")
	}
	const caps = wildCaps | multiStatements
	life := [][]byte{login(caps), command(comQuery, "SELECT * FROM TABLES; SHOW GRANTS"), command(comStmtPrepare, "SELECT ?"),
		command(comStmtLongData, "\x01\x00\x00\x00\x00\x00abc"), command(comStmtExecute, "\x01\x00\x00\x00\x01\x01\x00\x00\x00\x00\x01\xfd\x00"),
		command(comStmtFetch, "\x01\x00\x00\x00\x09\x00\x00\x00"), command(comStmtReset, "\x01\x00\x00\x00"),
		command(comStmtClose, "\x01\x00\x00\x00"), command(comFieldList, "TABLES\x00%"), command(comInitDB, "vault"),
		command(comSetOption, "\x01\x00"), command(comStatistics, ""), command(comProcessInfo, ""), command(comProcessKill, "\x09\x00\x00\x00"),
		command(comQuery, "LOAD DATA LOCAL INFILE 'x' INTO TABLE vault.gems"), command(comQuery, "SELECT * FROM vault.gems"),
		command(comChangeUser, "eve\x00\x00\x00\x2d\x00mysql_native_password\x00"), command(comResetConnection, ""), command(comPing, ""),
		command(comDebug, ""), command(comQuit, "")}
	f.Add(stepsOf(life...))
	for i := range life {
		f.Add(stepsOf(life[0], life[i]))
		f.Add(stepsOf(life[0], life[2], life[i][:len(life[i])/2]))
	}
	f.Add(stepsOf(login(caps|zlibCompression), command(comPing, "")))
	f.Add(stepsOf(login(caps|zstdCompression), command(comPing, "")))
	f.Add(stepsOf(helloOf(caps|ssl, "", "", nil, "")[:32], []byte{22, 3, 1, 0, 5, 1, 0, 0, 1, 3}))
	f.Add(stepsOf(helloOf(caps, "ann", rights.CachingSHA2, make([]byte, 32), ""), []byte{2}, make([]byte, 256)))
	f.Add(stepsOf(helloOf(caps, "app", rights.CachingSHA2, make([]byte, 32), ""), make([]byte, 20)))
	f.Add(stepsOf(helloOf(caps|lenencAuth|connectAttrs, "' OR 1=1 -- ", rights.NativePassword, nil, "`; DROP TABLE x"), []byte{0xff}))
	f.Fuzz(func(t *testing.T, in []byte) {
		for _, private := range []bool{true, false} {
			client := s.from(t, private)
			client.payloads = steps(in)
			client.conn.serve()
			require.NotContains(t, client.received.String(), "hidden")
			require.Equal(t, context.Canceled, client.conn.ctx.Err(), "it has ended in time")
		}
	})
}

// TestBrokenConnections breaks a valid client's packets at random places.
func TestBrokenConnections(t *testing.T) {
	s := patientServer(t, Options{})
	r := rand.New(rand.NewPCG(testseed.Of(t), 0))
	good := [][]byte{helloOf(wildCaps|multiStatements, "eve", rights.NativePassword, nil, "information_schema"),
		append([]byte{comQuery}, "SELECT * FROM SCHEMATA; SHOW GRANTS; SELECT 1, 'a', NULL"...),
		append([]byte{comStmtPrepare}, "SELECT ?, ?"...),
		append([]byte{comStmtExecute}, "\x01\x00\x00\x00\x00\x01\x00\x00\x00\x00\x01\xfd\x00\x08\x00\x01a\x01\x00\x00\x00\x00\x00\x00\x00"...),
		{comPing}}
	for range 300 {
		client := s.from(t, true)
		for _, p := range good {
			p = bytes.Clone(p)
			switch r.IntN(4) {
			case 0:
				p[r.IntN(len(p))] = byte(r.Uint32())
			case 1:
				p = p[:r.IntN(len(p)+1)]
			case 2:
				p = append(p, make([]byte, r.IntN(100))...)
			}
			client.payloads = append(client.payloads, p)
		}
		client.conn.serve()
		require.NotContains(t, client.received.String(), "hidden")
	}
}
