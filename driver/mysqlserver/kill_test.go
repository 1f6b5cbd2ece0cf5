package mysqlserver

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"
	"net"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/driver/mysqlserver/internal/packet"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
)

// obstinate is a client that holds a row lock and makes the server wait for it.
type obstinate struct {
	name string
	do   func(w *wild)
	// statement says that a statement is running, which KILL QUERY can end.
	statement bool
	caps      capability
}

const endless = "SELECT a.*, b.V FROM t a JOIN t b JOIN t c JOIN t d"

var obstinates = []obstinate{
	{"reads nothing", func(w *wild) { w.tell(comQuery, endless) }, true, 0},
	{"reads nothing that is compressed", func(w *wild) { w.tell(comQuery, endless) }, true, zlibCompression},
	{"reads nothing within TLS", func(w *wild) { w.tell(comQuery, endless) }, true, ssl},
	{"fetches and reads nothing", func(w *wild) {
		id := w.cursor()
		w.tell(comStmtFetch, string(id)+"\xff\xff\xff\x7f")
	}, true, 0},
	{"leaves a cursor open", func(w *wild) { w.cursor() }, false, 0},
	{"sends no file", func(w *wild) { w.load() }, true, 0},
	{"sends a file in drops", func(w *wild) {
		w.load()
		w.meanwhile(20*time.Millisecond, []byte{1, 0, 0, 0, 'x'})
	}, true, 0},
	{"sends an endless file", func(w *wild) {
		w.load()
		w.meanwhile(0, append([]byte{0, 4, 0, 0}, bytes.Repeat([]byte("x,y,1,z\n"), 128)...))
	}, true, 0},
	{"sends a command in drops", func(w *wild) {
		w.raw(0xff, 0xff, 0, 0, comQuery)
		w.meanwhile(20*time.Millisecond, []byte{' '})
	}, false, 0},
	{"does not say who it is now", func(w *wild) {
		w.Sequence = 0
		w.say(comChangeUser, "root\x00\x00\x00\x2d\x00"+rights.CachingSHA2+"\x00")
	}, false, 0},
}

// tell sends a command and does not wait for its answer.
func (w *wild) tell(kind byte, text string) {
	w.t.Helper()
	w.Sequence = 0
	w.put(append(append(w.Begin(), kind), text...))
}

// load begins a LOAD DATA LOCAL.
func (w *wild) load() {
	w.t.Helper()
	require.EqualValues(w.t, packet.NullValue, w.say(comQuery, "LOAD DATA LOCAL INFILE 'x' IGNORE INTO TABLE u FIELDS TERMINATED BY ','")[0])
}

// cursor opens a cursor.
func (w *wild) cursor() (id []byte) {
	w.t.Helper()
	id = w.prepare(endless)
	first := w.command(comStmtExecute, append(bytes.Clone(id), cursorReadOnly, 1, 0, 0, 0)...)
	for range int(first[0]) + 1 {
		w.get()
	}
	return id
}

// meanwhile sends packets, in order if they have a number, until the connection ends.
func (w *wild) meanwhile(every time.Duration, packet []byte) {
	numbered, sequence := len(packet) > 1, byte(2)
	go func() {
		for {
			if numbered {
				packet[3] = sequence
				sequence++
			}
			if _, err := w.Conn.Write(packet); err != nil {
				return
			}
			time.Sleep(every)
		}
	}()
}

// obstinateServer has rows to read and to lock. It sets no time limits.
func obstinateServer(t testing.TB, o Options) (socket string, db *sql.DB, cancel func(), ended chan error) {
	certificates, err := SelfSigned()
	require.NoError(t, err)
	o.TLS = certificates.Config()
	socket = filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", socket)
	require.NoError(t, err)
	db, err = sql.Open("hbasekv", ":memory:")
	require.NoError(t, err)
	for _, name := range []string{"t", "u"} {
		_, err = db.Exec("CREATE TABLE " + name +
			" (K varbinary(80), Q varbinary(8), T bigint, V varbinary(80), PRIMARY KEY (K, Q, T))")
		require.NoError(t, err)
	}
	for i := range 60 {
		_, err = db.Exec("INSERT INTO t VALUES (?, 'q', 1, 'a value that takes some room')", fmt.Sprintf("row%03d", i))
		require.NoError(t, err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended = make(chan error, 1)
	go func() { ended <- Serve(ctx, l, db, o) }()
	t.Cleanup(func() {
		stop()
		require.NoError(t, db.Close())
	})
	return socket, db, stop, ended
}

// holdUp logs a client in that does what o does while it holds a lock, and returns its number.
func holdUp(t testing.TB, socket string, o obstinate, row string, settings ...string) (w *wild, id string) {
	t.Helper()
	w = dial(t, socket)
	w.login(wildCaps | o.caps)
	if o.caps.has(zlibCompression) {
		w.Compress(false)
	}
	id = string(w.rows(w.say(comQuery, "SELECT CONNECTION_ID()"))[0][1:])
	for _, statement := range append(settings, "SET net_write_timeout = 3600", "SET net_read_timeout = 3600", "BEGIN",
		"UPDATE t SET V = 'locked' WHERE K = '"+row+"'") {
		require.EqualValues(t, okHeader, w.say(comQuery, statement)[0], statement)
	}
	o.do(w)
	return w, id
}

func count(t testing.TB, db *sql.DB, of string) (n int) {
	t.Helper()
	require.NoError(t, db.QueryRow("SELECT COUNT(*) FROM information_schema."+of).Scan(&n))
	return n
}

// free waits until no client and no lock is left.
func free(t testing.TB, db *sql.DB) {
	t.Helper()
	require.Eventually(t, func() bool { return count(t, db, "INNODB_TRX") == 0 && count(t, db, "PROCESSLIST") == 1 },
		20*time.Second, 10*time.Millisecond, "who is killed holds nothing")
	_, err := db.Exec("UPDATE t SET V = 'free' WHERE K = 'row007'")
	require.NoError(t, err)
}

// busy waits until the server waits for the client.
func busy(t testing.TB, db *sql.DB, o obstinate) {
	t.Helper()
	if o.statement {
		require.Eventually(t, func() bool { return count(t, db, "PROCESSLIST WHERE COMMAND = 'Query' AND ID <> CONNECTION_ID()") == 1 },
			time.Minute, time.Millisecond)
	}
	require.Equal(t, 1, count(t, db, "INNODB_TRX"))
	// The socket is full when nothing more is sent for a while; compressed rows take long.
	sent := func() (n int) {
		require.NoError(t, db.QueryRow("SHOW GLOBAL STATUS LIKE 'Bytes_sent'").Scan(new(string), &n))
		return n
	}
	for last, same := sent(), 0; same < 6; same++ {
		time.Sleep(50 * time.Millisecond)
		if n := sent(); n != last {
			last, same = n, -1
		}
	}
}

// TestKillEndsWhoDoesNotListen: whatever a session waits for, KILL ends it and frees its locks.
func TestKillEndsWhoDoesNotListen(t *testing.T) {
	for _, o := range obstinates {
		for _, kill := range []string{"KILL", "KILL QUERY"} {
			if kill == "KILL QUERY" && !o.statement {
				continue // there is nothing to end
			}
			t.Run(o.name+", "+kill, func(t *testing.T) {
				t.Parallel()
				socket, db, _, _ := obstinateServer(t, Options{})
				_, id := holdUp(t, socket, o, "row007")
				busy(t, db, o)
				_, err := db.Exec(kill + " " + id)
				require.NoError(t, err)
				free(t, db)
			})
		}
	}
}

// TestLostClientsHoldNothing: a client's disconnection does so, too.
func TestLostClientsHoldNothing(t *testing.T) {
	for _, o := range obstinates {
		t.Run(o.name, func(t *testing.T) {
			t.Parallel()
			socket, db, _, _ := obstinateServer(t, Options{})
			client, _ := holdUp(t, socket, o, "row007")
			busy(t, db, o)
			client.Conn.Close()
			free(t, db)
		})
	}
}

// TestTimeLimitOfWhoDoesNotRead: max_execution_time ends a SELECT that waits for its client.
func TestTimeLimitOfWhoDoesNotRead(t *testing.T) {
	for _, o := range obstinates[:4] {
		t.Run(o.name, func(t *testing.T) {
			t.Parallel()
			socket, db, _, _ := obstinateServer(t, Options{})
			holdUp(t, socket, o, "row007", "SET max_execution_time = 300")
			free(t, db)
		})
	}
}

// TestEndOfServerDoesNotWait: a server that ends waits for no client beyond its grace.
func TestEndOfServerDoesNotWait(t *testing.T) {
	t.Parallel()
	socket, db, stop, ended := obstinateServer(t, Options{Grace: 100 * time.Millisecond})
	for i, o := range obstinates {
		holdUp(t, socket, o, fmt.Sprintf("row%03d", i))
	}
	require.Equal(t, len(obstinates), count(t, db, "INNODB_TRX"))
	stop()
	select {
	case err := <-ended:
		require.NoError(t, err)
	case <-time.After(20 * time.Second):
		t.Fatal("it has not ended")
	}
	require.Zero(t, count(t, db, "INNODB_TRX"))
}

// TestKilledQueryOfReader: a client that reads gets the error of KILL QUERY, and keeps its
// connection and its transaction.
func TestKilledQueryOfReader(t *testing.T) {
	t.Parallel()
	socket, db, _, _ := obstinateServer(t, Options{})
	w := dial(t, socket)
	w.login(wildCaps)
	id := w.rows(w.say(comQuery, "SELECT CONNECTION_ID()"))[0][1:]
	require.EqualValues(t, okHeader, w.say(comQuery, "BEGIN")[0])
	require.EqualValues(t, okHeader, w.say(comQuery, "UPDATE t SET V = 'mine' WHERE K = 'row007'")[0])
	w.say(comQuery, endless)
	_, err := db.Exec("KILL QUERY " + string(id))
	require.NoError(t, err)
	for {
		if p := w.get(); p[0] == errHeader {
			require.EqualValues(t, 1317, binary.LittleEndian.Uint16(p[1:]))
			break
		}
	}
	time.Sleep(2 * lastWords) // so that the last statement is no longer watched
	require.Equal(t, "\x04mine", string(w.rows(w.say(comQuery, "SELECT V FROM t WHERE K = 'row007'"))[0]))
	require.EqualValues(t, okHeader, w.say(comQuery, "COMMIT")[0])
}
