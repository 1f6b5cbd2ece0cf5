package hbaseserver_test

import (
	"context"
	"database/sql"
	"log/slog"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase"
	"github.com/tsuna/gohbase/hrpc"

	_ "github.com/hbasekv/hbasekv/driver"
	"github.com/hbasekv/hbasekv/driver/hbaseserver"
)

// served is a store that is served with both protocols.
type served struct {
	t         testing.TB
	db        *sql.DB
	calls     string // the address of the remote procedure calls
	zookeeper string
	ctx       context.Context
}

// serve opens a store and serves it until the test ends.
func serve(t testing.TB, dsn string, o hbaseserver.Options) *served {
	t.Helper()
	s := &served{t: t, db: openDB(t, dsn)}
	s.start(o)
	return s
}

// openDB opens a store until the test ends.
func openDB(t testing.TB, dsn string) *sql.DB {
	t.Helper()
	db, err := sql.Open("hbasekv", dsn)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

// start serves the store of s until the test ends.
func (s *served) start(o hbaseserver.Options) (stop func()) {
	s.t.Helper()
	calls, zookeeper := listen(s.t), listen(s.t)
	s.calls, s.zookeeper = calls.Addr().String(), zookeeper.Addr().String()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- hbaseserver.Serve(ctx, calls, zookeeper, s.db, o) }()
	stopped := false
	stop = func() {
		if !stopped {
			stopped = true
			cancel()
			require.NoError(s.t, <-ended)
		}
	}
	s.t.Cleanup(stop)
	var done context.CancelFunc
	s.ctx, done = context.WithTimeout(context.Background(), time.Minute)
	s.t.Cleanup(done)
	return stop
}

func listen(t testing.TB) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	return l
}

var quiet = gohbase.Logger(slog.New(slog.DiscardHandler))

// client is a client of gohbase, until the test ends.
func (s *served) client(options ...gohbase.Option) gohbase.Client {
	c := gohbase.NewClient(s.zookeeper, append(options, quiet)...)
	s.t.Cleanup(c.Close)
	return c
}

func (s *served) admin() gohbase.AdminClient { return gohbase.NewAdminClient(s.zookeeper, quiet) }

// create creates a table with gohbase.
func (s *served) create(table string, families ...string) {
	s.t.Helper()
	of := map[string]map[string]string{}
	for _, f := range families {
		of[f] = nil
	}
	require.NoError(s.t, s.admin().CreateTable(hrpc.NewCreateTable(s.ctx, []byte(table), of)))
}

// exec runs statements as root.
func (s *served) exec(statements ...string) {
	s.t.Helper()
	for _, each := range statements {
		_, err := s.db.ExecContext(s.ctx, each)
		require.NoError(s.t, err, each)
	}
}

// texts returns the rows of a query, with their columns joined.
func (s *served) texts(query string) (out []string) {
	s.t.Helper()
	rows, err := s.db.QueryContext(s.ctx, query)
	require.NoError(s.t, err)
	defer rows.Close()
	for rows.Next() {
		var text string
		require.NoError(s.t, rows.Scan(&text))
		out = append(out, text)
	}
	require.NoError(s.t, rows.Err())
	return out
}

func values(family, qualifier, value string) map[string]map[string][]byte {
	return map[string]map[string][]byte{family: {qualifier: []byte(value)}}
}

func must[T any](t testing.TB) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		require.NoError(t, err)
		return v
	}
}
