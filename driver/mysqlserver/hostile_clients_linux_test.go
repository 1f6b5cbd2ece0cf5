package mysqlserver

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/driver/mysqlserver/internal/packet"
	"github.com/hbasekv/hbasekv/driver/mysqlserver/internal/wire"
)

var (
	hostileTime    = flag.Duration("hostile.time", time.Second, "how long TestHostileClients lasts")
	hostileClients = flag.Int("hostile.clients", 200, "how many of its clients are hostile")
)

const (
	honestClients = 8
	// honestPause is the time between two statements of an honest client: they must be
	// answered soon, and must not saturate the machine.
	honestPause = 5 * time.Millisecond
	// hostileMost is how many bytes the server may still keep when hostile clients have
	// gone, and hostilePeak while they are connected.
	hostileMost = 64 << 20
	hostilePeak = 512 << 20
	// hostileRatio limits the honest clients' latencies beside hostile ones,
	// relative to those without, on an otherwise idle machine.
	hostileRatio = 2
)

// hostile is one life of a hostile client.
type hostile struct {
	*packet.Stream
	r    *rand.Rand
	done <-chan struct{} // when all must end
}

// acts are what hostile clients do.
var acts = []struct {
	name string
	do   func(h *hostile) error
}{
	{"reads nothing", func(h *hostile) error {
		return h.all(h.login, h.lock, h.tells(endlessRead), h.waits(10*time.Second))
	}},
	{"sends no file", func(h *hostile) error {
		return h.all(h.login, h.lock, h.tells(emptyLoad), h.waits(10*time.Second))
	}},
	{"sends a file in drops", func(h *hostile) error {
		return h.all(h.login, h.lock, h.tells(emptyLoad), h.drips(10*time.Second, 'x', ',', 'y', ',', '1', ',', 'z', '\n'))
	}},
	{"sends a command in drops", func(h *hostile) error {
		return h.all(h.login, h.lock, h.raw(0xff, 0xff, 0, 0, comQuery), h.drips(5*time.Second))
	}},
	{"dies", func(h *hostile) error {
		return h.all(h.login, h.lock, h.tells(endlessRead), h.waits(50*time.Millisecond))
	}},
	{"kills", (*hostile).kills},
	{"locks what it may only read", func(h *hostile) error {
		clauses := []string{"FOR UPDATE", "LOCK IN SHARE MODE"}
		return h.all(h.login, h.says("BEGIN"), h.says("SELECT K FROM honest "+clauses[h.r.IntN(2)]), h.waits(time.Second))
	}},
	{"logs in by half", func(h *hostile) error {
		return h.all(h.greeting, h.raw(60, 0, 0, 1, 0, 0x82), h.waits(5*time.Second))
	}},
	{"sends garbage", func(h *hostile) error {
		garbage := make([]byte, h.r.IntN(4<<10))
		for i := range garbage {
			garbage[i] = byte(h.r.Uint32())
		}
		if h.r.IntN(2) == 0 {
			return h.all(h.greeting, h.raw(garbage...), h.waits(100*time.Millisecond))
		}
		return h.all(h.login, h.raw(garbage...), h.waits(100*time.Millisecond))
	}},
}

const (
	endlessRead = "SELECT a.*, b.V FROM honest a JOIN honest b JOIN honest c"
	emptyLoad   = "LOAD DATA LOCAL INFILE 'x' IGNORE INTO TABLE hostile FIELDS TERMINATED BY ','"
)

var errDone = errors.New("all are to end")

func (h *hostile) all(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (h *hostile) greeting() error {
	_, err := h.Read()
	return err
}

func (h *hostile) login() error {
	if err := h.greeting(); err != nil {
		return err
	}
	b := packet.AppendUint32(h.Begin(), uint32(wildCaps))
	b = append(append(b, make([]byte, 4)...), wire.DefaultCollation)
	b = append(b, make([]byte, 23)...)
	b = append(packet.AppendTerminated(b, "eve"), 0)
	b = packet.AppendTerminated(packet.AppendTerminated(b, "default"), "mysql_native_password")
	if err := h.put(b); err != nil {
		return err
	}
	if _, err := h.Read(); err != nil {
		return err
	}
	return h.all(h.says("SET net_write_timeout = 31536000"), h.says("SET wait_timeout = 31536000"))
}

func (h *hostile) put(b []byte) error {
	if err := h.End(b); err != nil {
		return err
	}
	return h.Flush()
}

func (h *hostile) tells(text string) func() error {
	return func() error {
		h.Sequence = 0
		return h.put(append(append(h.Begin(), comQuery), text...))
	}
}

// says runs tell with a statement without a result set.
func (h *hostile) says(text string) func() error {
	return func() error {
		if err := h.tells(text)(); err != nil {
			return err
		}
		_, err := h.Read()
		return err
	}
}

// lock locks a row that other hostile clients want, too.
func (h *hostile) lock() error {
	return h.all(h.says("SET innodb_lock_wait_timeout = 1"), h.says("BEGIN"),
		h.says(fmt.Sprintf("UPDATE hostile SET V = 'x' WHERE K = 'key%02d'", h.r.IntN(50))))
}

func (h *hostile) raw(b ...byte) func() error {
	return func() error {
		_, err := h.Conn.Write(b)
		return err
	}
}

// waits does nothing, for at most that long.
func (h *hostile) waits(most time.Duration) func() error {
	return func() error { return h.pause(time.Duration(h.r.Int64N(int64(most)))) }
}

func (h *hostile) pause(d time.Duration) error {
	select {
	case <-h.done:
		return errDone
	case <-time.After(d):
		return nil
	}
}

// drips sends what it has in packets of one byte, or repeats a byte if it has nothing.
func (h *hostile) drips(most time.Duration, what ...byte) func() error {
	return func() error {
		end := time.Now().Add(most)
		for i := 0; time.Now().Before(end); i++ {
			drop := []byte{' '}
			if len(what) > 0 {
				drop = []byte{1, 0, 0, byte(i + 2), what[i%len(what)]}
			}
			if err := h.all(h.raw(drop...), func() error { return h.pause(100 * time.Millisecond) }); err != nil {
				return err
			}
		}
		return nil
	}
}

// kills ends other connections of its account.
func (h *hostile) kills() error {
	if err := h.login(); err != nil {
		return err
	}
	for range 10 {
		if err := h.tells("SELECT ID FROM information_schema.PROCESSLIST ORDER BY RAND() LIMIT 1")(); err != nil {
			return err
		}
		id := ""
		for i := 0; ; i++ {
			p, err := h.Read()
			if err != nil {
				return err
			}
			if p[0] == errHeader || i >= 2 && p[0] == eofHeader {
				break
			}
			if i == 2 {
				id = string(p[1:])
			}
		}
		how := []string{"KILL ", "KILL QUERY "}[h.r.IntN(2)]
		if err := h.all(h.says(how+id), func() error { return h.pause(200 * time.Millisecond) }); err != nil {
			return err
		}
	}
	return nil
}

// torment lets clients with one act live one life after another.
func torment(socket string, act func(*hostile) error, r *rand.Rand, done <-chan struct{}) {
	for {
		if c, err := net.Dial("unix", socket); err == nil {
			c.SetDeadline(time.Now().Add(time.Minute))
			h := &hostile{Stream: packet.New(c), r: r, done: done}
			h.Limit = 1 << 26
			act(h) // its error only ends this life
			c.Close()
		}
		select {
		case <-done:
			return
		case <-time.After(time.Duration(200+r.IntN(1000)) * time.Millisecond):
		}
	}
}

// tormentWith is the variable with the number of hostile clients for their own process: in
// the process of the honest ones they would slow these down.
const tormentWith = "HBASEKV_TEST_HOSTILE"

// tormentAlone lets hostile clients torment a server until the standard input ends.
func tormentAlone(socket string, clients int) {
	done := make(chan struct{})
	var tormenting sync.WaitGroup
	for i := range clients {
		act, r := acts[i%len(acts)].do, rand.New(rand.NewPCG(2, uint64(i)))
		tormenting.Go(func() { torment(socket, act, r, done) })
	}
	os.Stdin.Read(make([]byte, 1))
	close(done)
	tormenting.Wait()
}

// startHostile starts the process of hostile clients, and returns a function to end it.
func startHostile(t *testing.T, socket string, clients int) (end func()) {
	process := exec.Command(os.Args[0])
	process.Env = append(os.Environ(), serveSocket+"="+socket, fmt.Sprint(tormentWith, "=", clients))
	process.Stderr = os.Stderr
	stop, err := process.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, process.Start())
	return sync.OnceFunc(func() {
		stop.Close()
		require.NoError(t, process.Wait())
	})
}

// honest works until the context ends, and returns the latencies of its statements.
func honest(ctx context.Context, c *plainClient, number int) (took []time.Duration) {
	r := rand.New(rand.NewPCG(1, uint64(number)))
	row, replace := c.prepare("SELECT Q, T, V FROM honest WHERE K = ?"), c.prepare("REPLACE INTO honest VALUES (?, 'b', 1, ?)")
	for ctx.Err() == nil {
		began := time.Now()
		switch key := fmt.Sprintf("key%02d", r.IntN(10)*honestClients+number); r.IntN(4) {
		case 0:
			c.execute(replace, key, strconv.Itoa(r.Int()))
		case 1:
			if n := c.query("SELECT K, V FROM honest WHERE K >= '" + key + "' ORDER BY K LIMIT 20"); n == 0 {
				c.fail("no row")
			}
		default:
			if n := c.execute(row, key); n != 2 {
				c.fail("%d cells in place of 2", n)
			}
		}
		took = append(took, time.Since(began))
		time.Sleep(honestPause)
	}
	return took
}

// latencies returns the median and the 99th percentile of the honest clients' statements.
func latencies(clients []*plainClient, d time.Duration) (p50, p99 time.Duration, n int) {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	var mu sync.Mutex
	var working sync.WaitGroup
	var all []time.Duration
	for i, c := range clients {
		working.Go(func() {
			took := honest(ctx, c, i)
			mu.Lock()
			defer mu.Unlock()
			all = append(all, took...)
		})
	}
	working.Wait()
	slices.Sort(all)
	if len(all) == 0 {
		return 0, 0, 0
	}
	return all[len(all)/2], all[len(all)*99/100], len(all)
}

// goroutines is the server's number of goroutines.
func (c *plainClient) goroutines(socket string) int {
	c.resident()
	text, err := os.ReadFile(socket + goroutinesFile)
	require.NoError(c.t, err)
	n, err := strconv.Atoi(string(text))
	require.NoError(c.t, err)
	return n
}

// TestHostileClients: honest clients work beside many that read nothing, send single bytes,
// die, kill each other, do not complete logins and send garbage. The honest ones see no
// error, and nothing is left of the others: no lock, no goroutine and no memory. The
// latencies of honest statements are logged, and in the long test limited.
func TestHostileClients(t *testing.T) {
	t.Parallel()
	socket := startAlone(t, "file:"+t.TempDir()+"?sync=false&cache=16MiB")
	first := dialPlain(t, socket, "default")
	for _, name := range []string{"honest", "hostile"} {
		first.query("CREATE TABLE " + name + " (K varbinary(64), Q varbinary(64), T bigint, V varbinary(200), PRIMARY KEY (K, Q, T))")
		for i := range 10 * honestClients {
			first.query(fmt.Sprintf("INSERT INTO %s VALUES ('key%02d', 'a', 1, '0'), ('key%02d', 'b', 1, 'some value')", name, i, i))
		}
	}
	first.query("CREATE USER eve@localhost")
	first.query("GRANT SELECT ON `default`.* TO eve@localhost")
	first.query("GRANT SELECT, INSERT, UPDATE ON `default`.hostile TO eve@localhost")
	clients := make([]*plainClient, honestClients)
	for i := range clients {
		clients[i] = dialPlain(t, socket, "default")
	}
	latencies(clients, *hostileTime/20) // to warm up
	p50, p99, _ := latencies(clients, min(max(*hostileTime/5, time.Second), time.Minute))
	goroutines, before := first.goroutines(socket), first.resident()

	end := startHostile(t, socket, *hostileClients)
	defer end()
	done := make(chan struct{})
	peak := make(chan int, 1)
	go func() {
		most := 0
		for {
			select {
			case <-done:
				peak <- most
				return
			case <-time.After(*hostileTime / 10):
				most = max(most, first.resident())
			}
		}
	}()
	beside50, beside99, n := latencies(clients, *hostileTime)
	close(done)
	end()
	most := <-peak
	require.False(t, t.Failed(), "an honest client has seen an error")
	t.Logf("%d statements of honest clients: median %v and %v without hostile ones, 99th percentile %v and %v", n, beside50, p50, beside99, p99)

	require.Eventually(t, func() bool {
		return first.query("SHOW PROCESSLIST") == len(clients)+2 // the first client, and the server's own session
	}, 30*time.Second, 50*time.Millisecond, "all hostile clients have gone")
	require.Zero(t, first.query("SELECT * FROM information_schema.INNODB_TRX"))
	first.query("SET innodb_lock_wait_timeout = 1")
	first.query("UPDATE hostile SET V = 'free'")
	first.query("UPDATE honest SET V = 'free'")
	require.Eventually(t, func() bool { return first.goroutines(socket) <= goroutines+8 }, 30*time.Second, 100*time.Millisecond)
	after := first.resident()
	t.Logf("%d MiB before, at most %d, %d afterwards", before>>20, most>>20, after>>20)
	require.True(t, raceDetector || after < before+hostileMost)
	require.True(t, raceDetector || most < before+hostilePeak)
	if *hostileTime >= time.Minute {
		require.Less(t, beside50, hostileRatio*p50)
		require.Less(t, beside99, hostileRatio*p99)
	}
}
