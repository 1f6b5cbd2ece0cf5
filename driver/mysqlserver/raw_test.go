package mysqlserver

import (
	"bytes"
	"context"
	"crypto/tls"
	"database/sql"
	"encoding/binary"
	"io"
	"net"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	_ "github.com/hbasekv/hbasekv/driver"
	"github.com/hbasekv/hbasekv/driver/mysqlserver/internal/packet"
	"github.com/hbasekv/hbasekv/driver/mysqlserver/internal/wire"
)

// wild is a client on a socket that sends arbitrary packets.
type wild struct {
	*packet.Stream
	t testing.TB
}

func serveWild(t testing.TB, o Options) (socket string, db *sql.DB) {
	t.Helper()
	return serveStore(t, ":memory:", o)
}

func serveStore(t testing.TB, dsn string, o Options) (socket string, db *sql.DB) {
	t.Helper()
	socket = filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", socket)
	require.NoError(t, err)
	db, err = sql.Open("hbasekv", dsn)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- Serve(ctx, l, db, o) }()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-ended)
		require.NoError(t, db.Close())
	})
	return socket, db
}

func dial(t testing.TB, socket string) *wild {
	t.Helper()
	c, err := net.Dial("unix", socket)
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	require.NoError(t, c.SetDeadline(time.Now().Add(time.Minute)))
	w := &wild{packet.New(c), t}
	w.Limit = 1 << 26
	return w
}

// wildCaps is the client's capabilities.
const wildCaps = protocol41 | secureConnection | pluginAuth | connectWithDB | sessionTrack | deprecateEOF | localFiles

// login logs in as root.
func (w *wild) login(caps capability) {
	w.t.Helper()
	w.loginAs("root", "default", caps)
}

// loginAs logs in without a password.
func (w *wild) loginAs(user, database string, caps capability) {
	w.t.Helper()
	w.greeting()
	if caps.has(ssl) {
		hello := append(packet.AppendUint32(w.Begin(), uint32(caps)), make([]byte, 28)...)
		w.put(hello)
		secured := tls.Client(w.Stream.Conn, &tls.Config{InsecureSkipVerify: true})
		require.NoError(w.t, secured.Handshake())
		w.Attach(secured)
	}
	b := packet.AppendUint32(w.Begin(), uint32(caps))
	b = append(append(b, make([]byte, 4)...), wire.DefaultCollation)
	b = append(b, make([]byte, 23)...)
	b = packet.AppendTerminated(b, user)
	b = append(b, 0)
	b = packet.AppendTerminated(b, database)
	w.put(packet.AppendTerminated(b, "mysql_native_password"))
	require.EqualValues(w.t, okHeader, w.get()[0])
}

func (w *wild) greeting() []byte {
	g := w.get()
	require.EqualValues(w.t, 10, g[0])
	return g
}

func (w *wild) put(b []byte) {
	w.t.Helper()
	require.NoError(w.t, w.End(b))
	require.NoError(w.t, w.Flush())
}

func (w *wild) get() []byte {
	w.t.Helper()
	p, err := w.Read()
	require.NoError(w.t, err)
	return append([]byte(nil), p...)
}

// command sends a command and returns the first packet of its answer.
func (w *wild) command(kind byte, body ...byte) []byte {
	w.t.Helper()
	w.Sequence = 0
	w.put(append(append(w.Begin(), kind), body...))
	return w.get()
}

// say is command with a text.
func (w *wild) say(kind byte, text string) []byte { return w.command(kind, []byte(text)...) }

// number is the error's number in a packet.
func number(t testing.TB, packet []byte) uint16 {
	t.Helper()
	require.EqualValues(t, errHeader, packet[0], "%q", packet)
	return binary.LittleEndian.Uint16(packet[1:])
}

func (w *wild) ended() {
	w.t.Helper()
	_, err := io.Copy(io.Discard, w.In)
	require.NoError(w.t, err)
}

// raw sends bytes unchanged.
func (w *wild) raw(b ...byte) {
	w.t.Helper()
	_, err := w.Conn.Write(b)
	require.NoError(w.t, err)
}

func (w *wild) healthy() {
	w.t.Helper()
	require.EqualValues(w.t, okHeader, w.command(comPing)[0])
}

func TestWrongPackets(t *testing.T) {
	hurried, _ := serveWild(t, Options{ConnectTimeout: 300 * time.Millisecond})
	socket, _ := serveWild(t, Options{}) // for those that must log in, also on a slow machine
	t.Run("nothing", func(t *testing.T) {
		w := dial(t, hurried)
		w.greeting()
		w.ended() // by itself
	})
	t.Run("half a hello, slowly", func(t *testing.T) {
		w := dial(t, hurried)
		w.greeting()
		for range 20 {
			if _, err := w.Conn.Write([]byte{60}); err != nil {
				break
			}
			time.Sleep(30 * time.Millisecond)
		}
		w.Conn.(*net.UnixConn).CloseWrite()
		io.Copy(io.Discard, w.In)
	})
	t.Run("a large hello", func(t *testing.T) {
		w := dial(t, socket)
		w.greeting()
		w.raw(0xff, 0xff, 0xff, 1)
		w.Sequence = 2
		require.EqualValues(t, 1043, number(t, w.get()))
		w.ended()
	})
	for name, hello := range map[string]string{"empty": "", "short": "\x00\x82", "old": "\x05\x00\x00\x00\x00root\x00",
		"without its end": "\x00\x82\x08\x00____\x2d_______________________root"} {
		t.Run(name, func(t *testing.T) {
			w := dial(t, socket)
			w.greeting()
			w.put(append(w.Begin(), hello...))
			require.EqualValues(t, 1043, number(t, w.get()))
			w.ended()
		})
	}
	t.Run("out of order", func(t *testing.T) {
		w := dial(t, socket)
		w.login(wildCaps)
		w.raw(1, 0, 0, 7, comPing)
		w.Sequence = 8
		_, err := w.Read()
		require.Error(t, err) // its number is not the expected one
	})
	t.Run("empty", func(t *testing.T) {
		w := dial(t, socket)
		w.login(wildCaps)
		w.raw(0, 0, 0, 0)
		w.Sequence = 1
		require.EqualValues(t, 1156, number(t, w.get()))
	})
	t.Run("too large", func(t *testing.T) {
		w := dial(t, socket)
		w.login(wildCaps)
		w.Limit = 1 << 26
		go func() {
			chunk := make([]byte, 1<<20)
			for i := range 5 {
				if _, err := w.Conn.Write([]byte{0xff, 0xff, 0xff, byte(i)}); err != nil {
					return
				}
				for n := 0; n < packet.MaxPayload; n += len(chunk) {
					if _, err := w.Conn.Write(chunk[:min(len(chunk), packet.MaxPayload-n)]); err != nil {
						return
					}
				}
			}
		}()
		w.Sequence = 5
		require.EqualValues(t, 1153, number(t, w.get()))
	})
}

func TestWrongCommands(t *testing.T) {
	socket, _ := serveWild(t, Options{})
	w := dial(t, socket)
	w.login(wildCaps)
	for kind := 0; kind < 256; kind++ {
		switch kind {
		case comQuit, comQuery, comStmtPrepare, comStmtClose, comStmtLongData, comChangeUser:
			continue // no answer, or a longer one
		}
		p := w.command(byte(kind), 1, 2, 3)
		for w.In.Buffered() > 0 {
			w.get()
		}
		require.NotEmpty(t, p)
	}
	require.EqualValues(t, 1243, number(t, w.command(comStmtExecute, 9, 0, 0, 0, 0, 1, 0, 0, 0)))
	require.EqualValues(t, 1243, number(t, w.command(comStmtFetch, 9, 0, 0, 0, 1, 0, 0, 0)))
	require.EqualValues(t, 1243, number(t, w.command(comStmtReset, 9, 0, 0, 0)))
	require.EqualValues(t, 1047, number(t, w.say(comChangeUser, "root")))
	require.EqualValues(t, 1065, number(t, w.command(comQuery)))
	w.healthy()
}

// prepare prepares a statement and returns its number.
func (w *wild) prepare(text string) []byte {
	w.t.Helper()
	p := w.say(comStmtPrepare, text)
	require.EqualValues(w.t, okHeader, p[0], "%q", p)
	columns, params := binary.LittleEndian.Uint16(p[5:]), binary.LittleEndian.Uint16(p[7:])
	for range columns + params {
		w.get()
	}
	return p[1:5:5]
}

func TestTruncatedArguments(t *testing.T) {
	socket, _ := serveWild(t, Options{})
	w := dial(t, socket)
	w.login(wildCaps)
	id := w.prepare("SELECT ?, ?")
	whole := append(append([]byte{}, id...), 0, 1, 0, 0, 0, 0, 1, 8, 0, 253, 0, 7, 0, 0, 0, 0, 0, 0, 0, 2, 'a', 'b')
	for n := len(id); n < len(whole); n++ {
		require.EqualValues(t, 1835, number(t, w.command(comStmtExecute, whole[:n]...)))
	}
	rows := w.rows(w.command(comStmtExecute, whole...))
	require.Len(t, rows, 1)
	// The types of the last execution apply.
	again := append(append([]byte{}, id...), 0, 1, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 1, 'c')
	require.Equal(t, "\x00\x00\x09\x00\x00\x00\x00\x00\x00\x00\x01c", string(w.rows(w.command(comStmtExecute, again...))[0]))
}

// rows are the rows after the first packet of a result.
func (w *wild) rows(first []byte) (out [][]byte) {
	w.t.Helper()
	require.NotEqualValues(w.t, errHeader, first[0], "%q", first)
	for range first[0] {
		w.get()
	}
	for {
		p := w.get()
		if p[0] == eofHeader && len(p) < packet.MaxPayload {
			return out
		}
		require.NotEqualValues(w.t, errHeader, p[0], "%q", p)
		out = append(out, p)
	}
}

func TestCursors(t *testing.T) {
	socket, db := serveWild(t, Options{})
	_, err := db.Exec("CREATE TABLE t (K varbinary(8), Q varbinary(8), T bigint, V varbinary(8), PRIMARY KEY (K, Q, T))")
	require.NoError(t, err)
	_, err = db.Exec("INSERT INTO t VALUES ('a','q',1,'x'), ('b','q',1,'x'), ('c','q',1,'x'), ('d','q',1,'x'), ('e','q',1,'x')")
	require.NoError(t, err)
	w := dial(t, socket)
	w.login(wildCaps)
	id := w.prepare("SELECT K FROM t")
	first := w.command(comStmtExecute, append(append([]byte{}, id...), cursorReadOnly, 1, 0, 0, 0)...)
	require.EqualValues(t, 1, first[0])
	w.get()
	require.EqualValues(t, eofHeader, w.get()[0])
	fetch := func() (rows int, flags status) {
		p := w.command(comStmtFetch, append(append([]byte{}, id...), 2, 0, 0, 0)...)
		for p[0] == 0 {
			rows++
			p = w.get()
		}
		require.EqualValues(t, eofHeader, p[0])
		return rows, status(binary.LittleEndian.Uint16(p[3:]))
	}
	for _, want := range []int{2, 2} {
		n, flags := fetch()
		require.Equal(t, want, n)
		require.Zero(t, flags&lastRowSent)
		w.healthy()
		require.Len(t, w.rows(w.say(comQuery, "SELECT COUNT(*) FROM t")), 1)
	}
	n, flags := fetch()
	require.Equal(t, 1, n)
	require.NotZero(t, flags&lastRowSent)
	require.EqualValues(t, 1421, number(t, w.command(comStmtFetch, append(append([]byte{}, id...), 2, 0, 0, 0)...)))
	w.Sequence = 0
	w.put(append(append(w.Begin(), comStmtClose), id...))
	require.EqualValues(t, 1243, number(t, w.command(comStmtReset, id...)))
}

func TestLongData(t *testing.T) {
	socket, _ := serveWild(t, Options{})
	w := dial(t, socket)
	w.login(wildCaps)
	id := w.prepare("SELECT CONCAT(?, ?)")
	for _, piece := range []string{"ab", "", "cd"} {
		w.Sequence = 0
		w.put(append(append(append(append(w.Begin(), comStmtLongData), id...), 0, 0), piece...))
	}
	execute := append(append([]byte{}, id...), 0, 1, 0, 0, 0, 0, 1, 252, 0, 253, 0, 1, 'e')
	require.Equal(t, "\x00\x00\x05abcde", string(w.rows(w.command(comStmtExecute, execute...))[0]))
	// It is dropped after the execution.
	require.EqualValues(t, 1835, number(t, w.command(comStmtExecute, execute...)))
}

// TestLongDataIsBounded: a client that sends ever more data of arguments gets an error, and no
// more memory.
func TestLongDataIsBounded(t *testing.T) {
	socket, db := serveWild(t, Options{})
	_, err := db.Exec("SET GLOBAL max_allowed_packet = 65536")
	require.NoError(t, err)
	w := dial(t, socket)
	w.login(wildCaps)
	piece := make([]byte, 60_000)
	send := func(id []byte, parameter int) {
		w.Sequence = 0
		w.put(append(append(append(append(w.Begin(), comStmtLongData), id...), byte(parameter), 0), piece...))
	}
	execute := func(id []byte) []byte {
		body := append(append(bytes.Clone(id), 0, 1, 0, 0, 0, 0, 0, 1), bytes.Repeat([]byte{252, 0}, 9)...)
		return w.command(comStmtExecute, body...)
	}
	statements := [][]byte{w.prepare("SELECT LENGTH(CONCAT(?,?,?,?,?,?,?,?,?))"), w.prepare("SELECT ?,?,?,?,?,?,?,?,?")}
	for i := range 9 {
		send(statements[0], i)
	}
	require.EqualValues(t, 1153, number(t, execute(statements[0])))
	// What was held is free again: after an execution, and when the statement is closed.
	for range 3 {
		for i := range 4 {
			send(statements[1], i)
		}
		send(statements[0], 0)
		require.EqualValues(t, 1153, number(t, execute(statements[0])))
		require.EqualValues(t, okHeader, w.command(comStmtReset, statements[1]...)[0])
		send(statements[0], 0)
		for i := 1; i < 9; i++ {
			w.Sequence = 0
			w.put(append(append(append(w.Begin(), comStmtLongData), statements[0]...), byte(i), 0))
		}
		rows := w.rows(execute(statements[0]))
		require.EqualValues(t, 60_000, binary.LittleEndian.Uint32(rows[0][2:]))
	}
}

func TestSessionIsTracked(t *testing.T) {
	socket, db := serveWild(t, Options{})
	_, err := db.Exec("CREATE DATABASE shop")
	require.NoError(t, err)
	w := dial(t, socket)
	w.login(wildCaps)
	ok := w.say(comInitDB, "shop")
	require.Contains(t, string(ok), "\x01\x05\x04shop")
	ok = w.say(comQuery, "SET autocommit = 0")
	require.Contains(t, string(ok), "\x0aautocommit\x03OFF")
	require.Len(t, w.command(comPing), 7, "nothing has changed")
	require.EqualValues(t, 1049, number(t, w.say(comInitDB, "a`b")))
}

func TestFieldList(t *testing.T) {
	socket, db := serveWild(t, Options{})
	_, err := db.Exec("CREATE TABLE t (K varbinary(8), Q varbinary(8), T bigint, V varbinary(8), PRIMARY KEY (K, Q, T))")
	require.NoError(t, err)
	w := dial(t, socket)
	w.login(wildCaps)
	p, n := w.say(comFieldList, "t\x00"), 0
	for ; p[0] != eofHeader; n++ {
		p = w.get()
	}
	require.Equal(t, 4, n)
	require.EqualValues(t, 1146, number(t, w.say(comFieldList, "missing\x00")))
}

// A session that is reset is in its initial state, without its statements.
func TestResetAndChangeUser(t *testing.T) {
	socket, db := serveWild(t, Options{})
	w := dial(t, socket)
	w.login(wildCaps)
	id := w.prepare("SELECT 1")
	require.EqualValues(t, okHeader, w.say(comQuery, "SET @a = 1, time_zone = '+03:00'")[0])
	require.EqualValues(t, okHeader, w.command(comResetConnection)[0])
	require.EqualValues(t, 1243, number(t, w.command(comStmtReset, id...)))
	require.Equal(t, "\xfb\x06SYSTEM", string(w.rows(w.say(comQuery, "SELECT @a, @@time_zone"))[0]))
	require.EqualValues(t, okHeader, w.say(comChangeUser, "root\x00\x00\x00\x2d\x00mysql_native_password\x00")[0])
	require.Equal(t, "\xfb", string(w.rows(w.say(comQuery, "SELECT DATABASE()"))[0]))
	var sessions int
	require.NoError(t, db.QueryRow("SELECT COUNT(*) FROM information_schema.PROCESSLIST").Scan(&sessions))
	require.Equal(t, 2, sessions)
	require.EqualValues(t, 1045, number(t, w.say(comChangeUser, "eve\x00\x00\x00\x2d\x00mysql_native_password\x00")))
	w.ended()
}

// A cursor of a transaction that has ended returns rows or an error, and the
// connection stays usable.
func TestCursorOfAnEndedTransaction(t *testing.T) {
	socket, db := serveWild(t, Options{})
	_, err := db.Exec("CREATE TABLE t (K varbinary(8), Q varbinary(8), T bigint, V varbinary(8), PRIMARY KEY (K, Q, T))")
	require.NoError(t, err)
	_, err = db.Exec("INSERT INTO t VALUES ('a','q',1,'x'), ('b','q',1,'x'), ('c','q',1,'x'), ('d','q',1,'x')")
	require.NoError(t, err)
	for _, end := range []string{"COMMIT", "ROLLBACK", "DROP TABLE IF EXISTS other", "INSERT INTO t VALUES ('e','q',1,'x')"} {
		w := dial(t, socket)
		w.login(wildCaps)
		require.EqualValues(t, okHeader, w.say(comQuery, "BEGIN")[0])
		id := w.prepare("SELECT K FROM t")
		w.command(comStmtExecute, append(append([]byte{}, id...), cursorReadOnly, 1, 0, 0, 0)...)
		w.get()
		w.get()
		fetch := append(append([]byte{}, id...), 1, 0, 0, 0)
		require.EqualValues(t, 0, w.command(comStmtFetch, fetch...)[0])
		w.get()
		require.EqualValues(t, okHeader, w.say(comQuery, end)[0])
		for p := w.command(comStmtFetch, fetch...); p[0] == 0; {
			p = w.get()
		}
		w.healthy()
		require.EqualValues(t, okHeader, w.command(comStmtReset, id...)[0])
		require.EqualValues(t, okHeader, w.say(comQuery, "ROLLBACK")[0])
		w.healthy()
	}
}

// TestWarningCounts: a result ends with the number of its statement's warnings. SHOW WARNINGS,
// which has none, does not clear those that it shows.
func TestWarningCounts(t *testing.T) {
	socket, _ := serveWild(t, Options{})
	w := dial(t, socket)
	w.login(wildCaps)
	for _, c := range []struct {
		statement string
		rows      int
		warnings  uint16
	}{
		{"SELECT '1x' + 0, 'y' + 0", 1, 2},
		{"SHOW WARNINGS", 2, 0},
		{"SHOW COUNT(*) WARNINGS", 1, 0},
		{"SHOW ERRORS", 0, 0},
		{"SHOW WARNINGS LIMIT 1", 1, 0},
		{"SELECT @@warning_count", 1, 0},
		{"SELECT 1 + '2z'", 1, 1},
		{"SELECT 1", 1, 0},
		{"SHOW WARNINGS", 0, 0},
	} {
		first := w.say(comQuery, c.statement)
		for range first[0] {
			w.get()
		}
		rows, last := 0, w.get()
		for ; last[0] != eofHeader; rows++ {
			last = w.get()
		}
		require.Equal(t, c.rows, rows, c.statement)
		require.Equal(t, c.warnings, binary.LittleEndian.Uint16(last[5:]), c.statement)
	}
}
