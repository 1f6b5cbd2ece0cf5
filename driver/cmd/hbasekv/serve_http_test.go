package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"
)

// serving is the command serve.
type serving struct {
	cmd        *exec.Cmd
	sql, httpd string // addresses
}

var (
	servingOn = regexp.MustCompile(`serving .* on (127\.\S+)`)
	metricsOn = regexp.MustCompile(`metrics on http://(\S+)/metrics`)
)

func startServe(t *testing.T, args ...string) *serving {
	t.Helper()
	s := &serving{cmd: command(t.TempDir(), append([]string{"serve", ":memory:", "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0"}, args...)...)}
	stderr, err := s.cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, s.cmd.Start())
	t.Cleanup(func() { s.cmd.Process.Kill(); s.cmd.Wait() })
	for lines := bufio.NewScanner(stderr); (s.sql == "" || s.httpd == "") && lines.Scan(); {
		if m := servingOn.FindStringSubmatch(lines.Text()); m != nil {
			s.sql = m[1]
		}
		if m := metricsOn.FindStringSubmatch(lines.Text()); m != nil {
			s.httpd = m[1]
		}
	}
	require.NotEmpty(t, s.sql)
	require.NotEmpty(t, s.httpd)
	go io.Copy(io.Discard, stderr)
	return s
}

func (s *serving) get(t *testing.T, path string) (int, string) {
	t.Helper()
	answer, err := http.Get("http://" + s.httpd + path)
	require.NoError(t, err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer.StatusCode, string(body)
}

func TestServeHTTP(t *testing.T) {
	s := startServe(t)
	for path, want := range map[string]int{"/healthz": 200, "/readyz": 200, "/metrics": 200, "/debug/pprof/": 404, "/": 200, "/nothing": 404, "/console/": 200} {
		code, body := s.get(t, path)
		require.Equal(t, want, code, "%s: %s", path, body)
	}
	require.NoError(t, s.cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(t, s.cmd.Wait())

	s = startServe(t, "--pprof")
	code, body := s.get(t, "/debug/pprof/goroutine?debug=1")
	require.Equal(t, 200, code)
	require.Contains(t, body, "goroutine profile")
}

// counting is a connection that counts its bytes.
type counting struct {
	net.Conn
	read, written *atomic.Int64
}

func (c counting) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.read.Add(int64(n))
	return n, err
}

func (c counting) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	c.written.Add(int64(n))
	return n, err
}

// TestPrometheus lets a real Prometheus scrape the server, and compares the figures
// with those of a known workload.
func TestPrometheus(t *testing.T) {
	prometheus, err := exec.LookPath("prometheus")
	if err != nil {
		t.Skip("prometheus is not installed")
	}
	s := startServe(t)
	watched := startPrometheus(t, prometheus, s.httpd)

	var read, written atomic.Int64
	mysql.RegisterDialContext("counting", func(ctx context.Context, address string) (net.Conn, error) {
		c, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
		return counting{c, &read, &written}, err
	})
	db, err := sql.Open("mysql", "root@counting("+s.sql+")/default")
	require.NoError(t, err)
	defer db.Close()
	db.SetMaxOpenConns(1)
	exec := func(text string, args ...any) {
		_, err := db.Exec(text, args...)
		require.NoError(t, err, text)
	}
	exec("CREATE TABLE t (K varbinary(64), Q varbinary(64), T bigint, V varbinary(64), PRIMARY KEY (K, Q, T))")
	for i := range 20 {
		exec("INSERT INTO t VALUES (?, 'q', 1, 'v')", strconv.Itoa(i))
	}
	for range 7 {
		rows := 0
		all, err := db.Query("SELECT K, V FROM t")
		require.NoError(t, err)
		for all.Next() {
			rows++
		}
		require.NoError(t, all.Close())
		require.Equal(t, 20, rows)
	}
	_, err = db.Exec("SELECT 1 FROM nothing")
	require.Error(t, err)
	tx, err := db.Begin()
	require.NoError(t, err)
	_, err = tx.Exec("DELETE FROM t WHERE K IN ('1', '2')")
	require.NoError(t, err)

	watched.after(t, time.Now())
	for query, want := range map[string]float64{
		`up`: 1, `hbasekv_connections`: 1, `hbasekv_connections_accepted_total`: 1, `hbasekv_open_transactions`: 1,
		`hbasekv_statements_total{kind="insert",outcome="ok"}`:                          20,
		`hbasekv_statements_total{kind="select",outcome="ok"}`:                          7,
		`hbasekv_statements_total{kind="select",outcome="error"}`:                       1,
		`hbasekv_statements_total{kind="delete",outcome="ok"}`:                          1,
		`hbasekv_statements_total{kind="ddl",outcome="ok"}`:                             1,
		`hbasekv_statement_duration_seconds_count{kind="select"}`:                       8,
		`hbasekv_statement_duration_seconds_bucket{kind="insert",le="+Inf"}`:            20,
		`hbasekv_rows_given_total{kind="select"}`:                                       140,
		`hbasekv_cells_read_total{kind="select"}`:                                       140,
		`hbasekv_rows_changed_total{kind="insert"}`:                                     20,
		`hbasekv_rows_changed_total{kind="delete"}`:                                     2,
		`hbasekv_store_commits_total`:                                                   20,
		`hbasekv_store_row_locks`:                                                       2,
		`hbasekv_store_tables`:                                                          1,
		`hbasekv_slow_statements_total`:                                                 0,
		`hbasekv_received_bytes_total`:                                                  float64(written.Load()),
		`hbasekv_sent_bytes_total`:                                                      float64(read.Load()),
		`count(hbasekv_store_level_files)`:                                              7,
		`sum(hbasekv_statements_total) - sum(hbasekv_statement_duration_seconds_count)`: 0,
	} {
		require.Equal(t, want, watched.query(t, query), query)
	}
	require.NoError(t, tx.Rollback())
}

// TestDashboard runs each query of docs/grafana.json, and of the alerts in docs/operations.md, on a
// Prometheus that scrapes a server after some statements. Queries of the dashboard must return data.
func TestDashboard(t *testing.T) {
	prometheus, err := exec.LookPath("prometheus")
	if err != nil {
		t.Skip("prometheus is not installed")
	}
	s := startServe(t)
	watched := startPrometheus(t, prometheus, s.httpd)
	db, err := sql.Open("mysql", "root@tcp("+s.sql+")/default")
	require.NoError(t, err)
	defer db.Close()
	for _, text := range []string{"CREATE TABLE t (id int PRIMARY KEY)", "INSERT INTO t VALUES (1)", "SELECT * FROM t"} {
		_, err := db.Exec(text)
		require.NoError(t, err)
	}
	_, err = db.Exec("SELECT 1 FROM nothing")
	require.Error(t, err)
	watched.after(t, time.Now().Add(2*time.Second)) // rates need two scrapes

	text, err := os.ReadFile("../../../docs/grafana.json")
	require.NoError(t, err)
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	require.NoError(t, json.Unmarshal(text, &dashboard))
	require.NotEmpty(t, dashboard.Panels)
	for _, p := range dashboard.Panels {
		for _, target := range p.Targets {
			query := strings.NewReplacer("$__rate_interval", "1m", "$instance", ".*").Replace(target.Expr)
			values, err := watched.results(query)
			require.NoError(t, err, "%s: %s", p.Title, query)
			require.NotEmpty(t, values, "%s: %s", p.Title, query)
		}
	}
	page, err := os.ReadFile("../../../docs/operations.md")
	require.NoError(t, err)
	alerts := regexp.MustCompile(`(?m)^ +expr: (.+)$`).FindAllSubmatch(page, -1)
	require.NotEmpty(t, alerts)
	for _, alert := range alerts {
		_, err := watched.results(string(alert[1]))
		require.NoError(t, err)
		for _, name := range regexp.MustCompile(`hbasekv_\w+`).FindAllString(string(alert[1]), -1) {
			values, err := watched.results(name)
			require.NoError(t, err)
			require.NotEmpty(t, values, "%s has no %s", alert[1], name)
		}
	}
}

// watcher is a running Prometheus.
type watcher struct{ address string }

func startPrometheus(t *testing.T, path, target string) *watcher {
	t.Helper()
	dir := t.TempDir()
	config := filepath.Join(dir, "prometheus.yml")
	require.NoError(t, os.WriteFile(config, fmt.Appendf(nil, "global: {scrape_interval: 1s, scrape_timeout: 1s}\n"+
		"scrape_configs: [{job_name: hbasekv, static_configs: [{targets: ['%s']}]}]\n", target), 0o600))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	w := &watcher{l.Addr().String()}
	require.NoError(t, l.Close())
	cmd := exec.Command(path, "--config.file="+config, "--storage.tsdb.path="+filepath.Join(dir, "data"),
		"--web.listen-address="+w.address, "--log.level=error")
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { cmd.Process.Signal(syscall.SIGTERM); cmd.Wait() })
	w.after(t, time.Now())
	return w
}

// after waits for a scrape that began after that time and did not take too long.
func (w *watcher) after(t *testing.T, moment time.Time) {
	t.Helper()
	require.Eventually(t, func() bool {
		at, err := w.ask(`timestamp(up) and up == 1`)
		return err == nil && at > float64(moment.UnixMilli())/1000
	}, time.Minute, 100*time.Millisecond)
}

func (w *watcher) query(t *testing.T, query string) float64 {
	t.Helper()
	n, err := w.ask(query)
	require.NoError(t, err, query)
	return n
}

// ask returns the one number of a query.
func (w *watcher) ask(query string) (float64, error) {
	values, err := w.results(query)
	if err == nil && len(values) != 1 {
		err = fmt.Errorf("%s has %d results", query, len(values))
	}
	if err != nil {
		return 0, err
	}
	return strconv.ParseFloat(values[0], 64)
}

// results returns the numbers of a query, one for each set of labels.
func (w *watcher) results(query string) (values []string, err error) {
	answer, err := http.Get("http://" + w.address + "/api/v1/query?query=" + url.QueryEscape(query))
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	var out struct {
		Error string
		Data  struct{ Result []struct{ Value [2]any } }
	}
	if err := json.NewDecoder(answer.Body).Decode(&out); err != nil {
		return nil, err
	}
	if out.Error != "" {
		return nil, fmt.Errorf("%s: %s", query, out.Error)
	}
	for _, r := range out.Data.Result {
		values = append(values, r.Value[1].(string))
	}
	return values, nil
}

// TestServeHTTPGuard: an address that other machines can reach needs TLS, and profiles
// need a local address, unless --insecure is set.
func TestServeHTTPGuard(t *testing.T) {
	for name, c := range map[string]struct {
		args    []string
		refusal string // empty if it serves
	}{
		"plain":              {[]string{"--http", "0.0.0.0:0"}, "it needs a certificate for TLS, or --insecure"},
		"every address":      {[]string{"--http", ":0"}, "it needs a certificate for TLS, or --insecure"},
		"profiles":           {[]string{"--http", "0.0.0.0:0", "--pprof"}, "with --pprof, give an address of this machine"},
		"profiles in TLS":    {[]string{"--http", "0.0.0.0:0", "--pprof", "--tls-self-signed"}, "with --pprof, give an address of this machine"},
		"TLS":                {[]string{"--http", "0.0.0.0:0", "--tls-self-signed"}, ""},
		"insecure":           {[]string{"--http", "0.0.0.0:0", "--insecure"}, ""},
		"insecure profiles":  {[]string{"--http", "0.0.0.0:0", "--pprof", "--insecure"}, ""},
		"profiles, loopback": {[]string{"--http", "127.0.0.1:0", "--pprof"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := command(t.TempDir(), append([]string{"serve", ":memory:", "--listen", "127.0.0.1:0"}, c.args...)...)
			stderr, err := cmd.StderrPipe()
			require.NoError(t, err)
			require.NoError(t, cmd.Start())
			defer cmd.Process.Kill()
			all, serving := "", false
			for lines := bufio.NewScanner(stderr); !serving && lines.Scan(); {
				all += lines.Text() + "\n"
				serving = servingOn.MatchString(lines.Text())
			}
			require.Equal(t, c.refusal == "", serving, all)
			require.Contains(t, all, c.refusal)
			if !serving {
				require.Error(t, cmd.Wait())
				return
			}
			at := regexp.MustCompile(`metrics on (https?)://\S+:(\d+)/metrics`).FindStringSubmatch(all)
			require.NotNil(t, at, all)
			client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
			answer, err := client.Get(at[1] + "://127.0.0.1:" + at[2] + "/healthz")
			require.NoError(t, err)
			defer answer.Body.Close()
			require.Equal(t, 200, answer.StatusCode)
			require.Equal(t, name == "TLS", at[1] == "https")
		})
	}
}

// TestServeHTTPLimits: clients that hold connections to --http are cut off, and others
// are answered.
func TestServeHTTPLimits(t *testing.T) {
	s := startServe(t)
	c, err := net.Dial("tcp", s.httpd)
	require.NoError(t, err)
	defer c.Close()
	_, err = fmt.Fprintf(c, "GET /healthz HTTP/1.1\r\nHost: x\r\nA: %s\r\n\r\n", strings.Repeat("a", 64<<10))
	if err == nil {
		answer, err := http.ReadResponse(bufio.NewReader(c), nil)
		require.NoError(t, err)
		require.Equal(t, 431, answer.StatusCode)
	}
	var held []net.Conn
	defer func() {
		for _, c := range held {
			c.Close()
		}
	}()
	for range 2 * httpConnections {
		c, err := net.Dial("tcp", s.httpd)
		require.NoError(t, err)
		held = append(held, c)
	}
	closed := func() (n int) {
		for _, c := range held {
			c.SetReadDeadline(time.Now().Add(time.Millisecond))
			var gone net.Error
			if _, err := c.Read(make([]byte, 1)); err != nil && !(errors.As(err, &gone) && gone.Timeout()) {
				n++
			}
		}
		return n
	}
	require.Eventually(t, func() bool { return closed() >= httpConnections }, time.Minute, 10*time.Millisecond)
	for _, c := range held {
		c.Close()
	}
	require.Eventually(t, func() bool {
		answer, err := http.Get("http://" + s.httpd + "/healthz")
		if err == nil {
			answer.Body.Close()
		}
		return err == nil
	}, time.Minute, 10*time.Millisecond)
}
