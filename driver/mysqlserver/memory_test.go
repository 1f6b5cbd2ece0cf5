package mysqlserver

import (
	"bytes"
	"database/sql"
	"encoding/binary"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/driver/mysqlserver/internal/packet"
)

// The memory that each session may keep, and that of all, when they take all they can get.
const (
	oneSession  = 4 << 20
	allSessions = 24 << 20
)

// way is a way to make the server keep memory: step takes more of it, and returns the error's
// number or 0; less returns some of it, so that step succeeds again.
type way struct {
	step func(w *wild, i int) uint16
	less func(w *wild)
}

// told is the number of the error with which a text is answered, or 0.
func (w *wild) told(text string) uint16 {
	w.t.Helper()
	first := w.say(comQuery, text)
	switch first[0] {
	case errHeader:
		return number(w.t, first)
	case okHeader:
		return 0
	}
	for range first[0] {
		w.get()
	}
	for {
		switch p := w.get(); {
		case p[0] == errHeader:
			return number(w.t, p)
		case p[0] == eofHeader && len(p) < packet.MaxPayload:
			return 0
		}
	}
}

func says(format string) func(w *wild, i int) uint16 {
	return func(w *wild, i int) uint16 { return w.told(fmt.Sprintf(format, i)) }
}

func less(text string) func(w *wild) {
	return func(w *wild) { require.Zero(w.t, w.told(text)) }
}

// made is the number of a prepared statement, or the error's.
func (w *wild) made(text string) (id []byte, err uint16) {
	p := w.say(comStmtPrepare, text)
	if p[0] == errHeader {
		return nil, number(w.t, p)
	}
	for range binary.LittleEndian.Uint16(p[5:]) + binary.LittleEndian.Uint16(p[7:]) {
		w.get()
	}
	return p[1:5:5], 0
}

// unanswered sends a command that has no answer.
func (w *wild) unanswered(kind byte, body ...[]byte) {
	w.Sequence = 0
	w.put(append(append(w.Begin(), kind), bytes.Join(body, nil)...))
}

func reset(w *wild) { require.EqualValues(w.t, okHeader, w.command(comResetConnection)[0]) }

func closeFirst(w *wild) { w.unanswered(comStmtClose, []byte{1, 0, 0, 0}) }

var long = strings.Repeat("x", 50_000)

var ways = map[string]way{
	"prepared": {func(w *wild, i int) uint16 {
		_, err := w.made(fmt.Sprintf("SELECT '%d%s'", i, long))
		return err
	}, closeFirst},
	"prepared in another character set": {func(w *wild, i int) uint16 {
		w.told("SET NAMES latin1")
		_, err := w.made(fmt.Sprintf("SELECT '\xe4%d%s'", i, long))
		return err
	}, closeFirst},
	"prepared, of many tokens": {func(w *wild, i int) uint16 {
		_, err := w.made(fmt.Sprintf("DO %d%s", unique(), strings.Repeat(",1", 3000)))
		return err
	}, reset},
	"prepared, of many columns": {func(w *wild, i int) uint16 {
		id, err := w.made(fmt.Sprintf("SELECT COUNT(*) FROM (SELECT * FROM (SELECT %d%s) a LIMIT 1) b", unique(), manyNames))
		if err != 0 {
			return err
		}
		return execute(w, id)
	}, closeFirst},
	"prepared as a text": {func(w *wild, i int) uint16 {
		return w.told(fmt.Sprintf("PREPARE s%d FROM 'SELECT ''%s'''", i, long))
	}, less("DEALLOCATE PREPARE s0")},
	"prepared from a variable": {func(w *wild, i int) uint16 {
		w.told(`SET @text = CONCAT("DO '", REPEAT('x', 200000), "'")`)
		return w.told(fmt.Sprintf("PREPARE s%d FROM @text", i))
	}, less("DEALLOCATE PREPARE s0")},
	"variables":              {says("SET @a%d = REPEAT('x', 200000)"), less("SET @a0 = NULL")},
	"small variables":        {func(w *wild, i int) uint16 { return w.told(manySets(i)) }, reset},
	"assigned variables":     {says("SELECT @a%d := REPEAT('x', 200000)"), less("SELECT @a0 := NULL")},
	"variables of INTO":      {says("SELECT REPEAT('x', 200000) INTO @a%d"), less("SET @a0 = NULL, @a1 = ''")},
	"names of variables":     {func(w *wild, i int) uint16 { return w.told(fmt.Sprintf("SET @`%d%s` = 1", i, long)) }, reset},
	"JSON in variables":      {says(`SET @a%d = JSON_ARRAY(REPEAT('x', 200000))`), less("SET @a0 = NULL")},
	"variables of a query":   {says("SELECT @a%d := @b := REPEAT('x', 200000) FROM (SELECT 1 UNION SELECT 2) t"), less("SET @a0 = NULL")},
	"named locks":            {says("WITH RECURSIVE n AS (SELECT 1 i UNION ALL SELECT i+1 FROM n WHERE i < 999) SELECT GET_LOCK(CONCAT(CONNECTION_ID(), '-%d-', i), 0) FROM n"), less("DO RELEASE_ALL_LOCKS()")},
	"savepoints":             {func(w *wild, i int) uint16 { w.told("SET autocommit = 0"); return w.many(i, "SAVEPOINT s%d_%d") }, less("ROLLBACK")},
	"long data":              {sendLongData, func(w *wild) { require.EqualValues(w.t, okHeader, w.command(comStmtReset, 1, 0, 0, 0)[0]) }},
	"long data of many":      {longDataOfMany, closeFirst},
	"cursors":                {openCursors, closeFirst},
	"arguments of cursors":   {cursorArguments, closeFirst},
	"rows of cursors":        {rowsOfCursors, closeFirst},
	"texts of system values": {systemTexts, less("SET optimizer_switch = DEFAULT, init_connect = DEFAULT, event_scheduler = DEFAULT")},
}

var manyNames = func() string {
	var b strings.Builder
	for i := range 500 {
		fmt.Fprintf(&b, ", 1 a%d", i)
	}
	return b.String()
}()

var counter int

// unique is a number that is in no other text: the same text prepared twice is kept once.
func unique() int {
	counter++
	return counter
}

func manySets(i int) string {
	var b strings.Builder
	for j := range 1000 {
		fmt.Fprintf(&b, ", @a%d_%d_%0100d = 1", i, j, j)
	}
	return "SET" + b.String()[1:]
}

// many runs statements in one text.
func (w *wild) many(i int, format string) (err uint16) {
	for j := range 200 {
		if err = w.told(fmt.Sprintf(format, i, j)); err != 0 {
			break
		}
	}
	return err
}

func sendLongData(w *wild, i int) uint16 {
	if i == 0 {
		w.made("DO LENGTH(?)")
	}
	id := []byte{1, 0, 0, 0}
	if i == 1_000_000 {
		w.unanswered(comStmtLongData, id, []byte{0, 0}, []byte(long))
	}
	if i == 200 || i == 1_000_000 { // the former is too much
		if p := w.command(comStmtExecute, append(id, 0, 1, 0, 0, 0, 0, 1, 252, 0)...); p[0] == errHeader {
			return number(w.t, p)
		}
		return 0
	}
	w.unanswered(comStmtLongData, id, []byte{0, 0}, []byte(long))
	return 0
}

func longDataOfMany(w *wild, i int) uint16 {
	id, err := w.made(fmt.Sprintf("DO %d", unique()) + strings.Repeat("+?", 2000))
	if err == 0 {
		w.unanswered(comStmtLongData, id, []byte{0, 0})
	}
	return err
}

func execute(w *wild, id []byte, arguments ...byte) uint16 {
	first := w.command(comStmtExecute, append(append(id, cursorReadOnly, 1, 0, 0, 0), arguments...)...)
	if first[0] == errHeader {
		return number(w.t, first)
	}
	for range first[0] + 1 {
		w.get()
	}
	return 0
}

func openCursors(w *wild, i int) uint16 {
	id, err := w.made("SELECT TABLE_NAME FROM information_schema.TABLES")
	if err != 0 {
		return err
	}
	return execute(w, id)
}

func cursorArguments(w *wild, i int) uint16 {
	id, err := w.made("SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_NAME > ?")
	if err != 0 {
		return err
	}
	return execute(w, id, append([]byte{0, 1, 253, 0, 0xfd, 0, 0, 4}, make([]byte, 4<<16)...)...)
}

// rowsOfCursors opens cursors that have sorted before they return their first row.
func rowsOfCursors(w *wild, i int) uint16 {
	id, err := w.made("WITH RECURSIVE n AS (SELECT 1 i UNION ALL SELECT i+1 FROM n WHERE i < 900) " +
		"SELECT REPEAT('x', 1000+i) x FROM n ORDER BY x")
	if err == 0 {
		err = execute(w, id)
	}
	if err != 0 {
		return err
	}
	if p := w.command(comStmtFetch, append(id, 1, 0, 0, 0)...); p[0] == errHeader {
		return number(w.t, p)
	}
	w.get()
	return 0
}

func systemTexts(w *wild, i int) uint16 {
	for _, name := range []string{"init_connect", "optimizer_switch", "event_scheduler", "lc_messages", "updatable_views_with_limit"} {
		if err := w.told(fmt.Sprintf("SET %s = REPEAT('x', %d)", name, (i%1_000_000+1)*500_000)); err != 0 {
			return err
		}
	}
	return 0
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// mortals is a server for users that have only USAGE, with memory for what one text takes.
func mortals(t *testing.T) (socket string, db *sql.DB) { return mortalsWithin(t, 8<<20, 48<<20) }

func mortalsWithin(t *testing.T, one, all int) (socket string, db *sql.DB) {
	list, err := NewAccounts("CREATE USER root; GRANT ALL ON *.* TO root; CREATE USER eve; CREATE USER ann; CREATE USER ''")
	require.NoError(t, err)
	return serveStore(t, fmt.Sprintf(":memory:?sessionMemory=%d&allSessionsMemory=%d", one, all), Options{Accounts: list})
}

func keptBySessions(t *testing.T, db *sql.DB) (n int64) {
	var name string
	require.NoError(t, db.QueryRow("SHOW GLOBAL STATUS LIKE 'Global_connection_memory'").Scan(&name, &n))
	return n
}

// TestNobodyTakesTheMemory: users without rights take memory of the server in every possible
// way, with several clients, until each is refused. The server's memory is bounded, others
// continue, memory that is freed can be used again, and nothing is left behind.
func TestNobodyTakesTheMemory(t *testing.T) {
	socket, db := mortalsWithin(t, oneSession, allSessions)
	for name, each := range ways {
		t.Run(name, func(t *testing.T) {
			honest := dial(t, socket)
			honest.loginAs("ann", "", wildCaps)
			before, clients := heap(), make([]*wild, 10)
			for i := range clients {
				clients[i] = dial(t, socket)
				clients[i].loginAs("eve", "", wildCaps)
				require.EqualValues(t, 1041, each.exhaust(clients[i]))
			}
			require.Less(t, int64(heap())-int64(before), int64(3*allSessions))
			if name != "long data" { // it is dropped with its error
				require.Greater(t, keptBySessions(t, db), int64(allSessions)*3/4)
			}
			require.Zero(t, honest.told("SELECT 1, @mine := REPEAT('y', 100000)"))
			honest.unanswered(comStmtClose, honest.prepare("SELECT REPEAT(?, 1000), '"+long+"'"))
			require.Zero(t, honest.told("SET @mine = NULL"))
			end := func(clients []*wild, most int64) {
				for _, w := range clients {
					w.Conn.Close()
				}
				require.Eventually(t, func() bool { return keptBySessions(t, db) <= most }, time.Minute, 10*time.Millisecond)
			}
			end(clients[1:], oneSession)
			each.less(clients[0])
			require.Zero(t, each.step(clients[0], 1_000_000))
			end(clients[:1], 0)
		})
	}
}

// exhaust continues until it is refused.
func (y way) exhaust(w *wild) uint16 {
	w.t.Helper()
	for i := range 20_000 {
		if err := y.step(w, i); err != 0 {
			return err
		}
	}
	return 0
}

// TestOneTextIsBounded: a text that takes much memory to parse is refused, and so are
// values, and packets that do not end.
func TestOneTextIsBounded(t *testing.T) {
	socket, _ := mortals(t)
	w := dial(t, socket)
	w.loginAs("eve", "", wildCaps|multiStatements)
	for _, text := range []string{
		"DO 1" + strings.Repeat(",1", 100_000),
		"SELECT 1 IN (1" + strings.Repeat(",1", 100_000) + ")",
		"SELECT LENGTH(REPEAT('x', 20000000))",
		"SELECT LENGTH(CONCAT(REPEAT('x', 3000000), REPEAT('y', 3000000), REPEAT('z', 3000000)))",
		"SELECT REPEAT('x', 3000000), REPEAT('x', 3000000), REPEAT('x', 3000000)",
		"SELECT JSON_ARRAY(REPEAT('x', 9000000))",
		"SELECT GROUP_CONCAT(REPEAT('x', 3000000)) FROM (SELECT 1 UNION SELECT 2 UNION SELECT 3 UNION SELECT 4) t",
	} {
		require.Zero(t, w.told("SET group_concat_max_len = 100000000"))
		require.EqualValues(t, 1041, w.told(text), text)
		w.healthy()
	}
	require.Zero(t, w.told("DO 0"+strings.Repeat(";DO 0", 100_000)), "each of them is short")
	for range 100_000 {
		require.EqualValues(t, okHeader, w.get()[0])
	}
	big := dial(t, socket)
	big.loginAs("eve", "", wildCaps)
	require.EqualValues(t, 1041, number(t, big.say(comQuery, "DO '"+strings.Repeat(long, 200)+"'")))
	big.ended()
	w.healthy()
}

// TestCeilings: users without the right to do so cannot raise limits on memory above what the
// server allows.
func TestCeilings(t *testing.T) {
	socket, _ := mortals(t)
	eve, root := dial(t, socket), dial(t, socket)
	eve.loginAs("eve", "", wildCaps)
	root.loginAs("root", "", wildCaps)
	for _, name := range []string{"tmp_table_size", "max_heap_table_size", "group_concat_max_len", "hbasekv_parallelism"} {
		set := "SET " + name + " = 9223372036854775807"
		require.Zero(t, root.told(set))
		require.Zero(t, eve.told(set))
		shown := string(eve.rows(eve.say(comQuery, "SHOW WARNINGS"))[0])
		require.Contains(t, shown, "1292")
		require.Contains(t, shown, "Truncated incorrect "+name+" value")
		most := string(eve.rows(eve.say(comQuery, "SELECT @@"+name))[0])
		require.Less(t, len(most), 12, most)
		require.Zero(t, eve.told("SET "+name+" = "+most[1:]))
		require.Empty(t, eve.rows(eve.say(comQuery, "SHOW WARNINGS")))
	}
}

// TestWarningsAreBounded: at most max_error_count are kept, within the session's memory.
func TestWarningsAreBounded(t *testing.T) {
	socket, _ := mortals(t)
	w := dial(t, socket)
	w.loginAs("eve", "", wildCaps)
	require.Zero(t, w.told("SET max_error_count = 65535, cte_max_recursion_depth = 100000"))
	const many = "WITH RECURSIVE n AS (SELECT 1 i UNION ALL SELECT i+1 FROM n WHERE i < 60000) SELECT MAX(CONCAT(i, %s) + 0) FROM n"
	require.Zero(t, w.told(fmt.Sprintf(many, "'x'")))
	require.Greater(t, len(w.rows(w.say(comQuery, "SHOW WARNINGS"))), 50_000)
	require.Zero(t, w.told(fmt.Sprintf(many, "REPEAT('x', 5000)")))
	require.Less(t, len(w.rows(w.say(comQuery, "SHOW WARNINGS"))), 60_000)
	require.Equal(t, "\x0560000", string(w.rows(w.say(comQuery, "SHOW COUNT(*) WARNINGS"))[0]))
}

// TestNamesOfAnonymousUsers: a client cannot store data in the name that it gives.
func TestNamesOfAnonymousUsers(t *testing.T) {
	socket, _ := mortals(t)
	w := dial(t, socket)
	w.loginAs("whoever", "", wildCaps)
	change := func(user string) []byte {
		return w.say(comChangeUser, user+"\x00\x00\x00\x2d\x00mysql_native_password\x00")
	}
	require.EqualValues(t, okHeader, change("someone else")[0])
	require.EqualValues(t, 1045, number(t, change(strings.Repeat("x", 1<<20))))
	w.ended()
}

// TestPacketsBeforeTheLogin: they must be short.
func TestPacketsBeforeTheLogin(t *testing.T) {
	socket, _ := mortals(t)
	w := dial(t, socket)
	w.greeting()
	w.raw(append(packet.AppendUint24(nil, packet.HelloLimit+1), 1)...)
	w.Sequence = 2
	require.EqualValues(t, 1043, number(t, w.get()))
	w.ended()
}
