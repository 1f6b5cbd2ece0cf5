package console_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/driver"
	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/console"
)

// served is a console of a store.
type served struct {
	*httptest.Server
	db *sql.DB
}

const cells = " (K varbinary(64), Q varbinary(64), T bigint, V varbinary(255), PRIMARY KEY (K, Q, T))"

func serve(t testing.TB, o console.Options) *served {
	t.Helper()
	return serveStore(t, ":memory:", o)
}

// serveStore is a console of the store that a data source name names.
func serveStore(t testing.TB, dsn string, o console.Options) *served {
	t.Helper()
	db, err := sql.Open(driver.Name, dsn)
	require.NoError(t, err)
	t.Cleanup(func() { db.Close() })
	registry := prometheus.NewRegistry()
	registry.MustRegister(driver.Collector(db))
	o.Loopback, o.Figures = true, registry
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	pages, err := console.New(ctx, db, o)
	require.NoError(t, err)
	go pages.Run(ctx)
	s := &served{httptest.NewServer(pages), db}
	t.Cleanup(s.Close)
	return s
}

func (s *served) exec(t testing.TB, statements ...string) {
	t.Helper()
	for _, text := range statements {
		_, err := s.db.Exec(text)
		require.NoError(t, err, text)
	}
}

// page is what has logged in, or has not.
type visitor struct {
	at            *served
	cookie        *http.Cookie
	token, origin string
}

func (s *served) page() *visitor { return &visitor{at: s, origin: s.URL} }

func (p *visitor) do(t testing.TB, method, path, body string, headers ...string) (int, string, *http.Response) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, p.at.URL+console.Prefix+path, strings.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/json")
	if p.origin != "" {
		r.Header.Set("Origin", p.origin)
	}
	if p.token != "" {
		r.Header.Set("X-CSRF-Token", p.token)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	if p.cookie != nil {
		r.AddCookie(p.cookie)
	}
	answer, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer.StatusCode, string(text), answer
}

func (p *visitor) login(t testing.TB, user, password string) *visitor {
	t.Helper()
	body, err := json.Marshal(map[string]string{"user": user, "password": password})
	require.NoError(t, err)
	code, text, answer := p.do(t, "POST", "api/login", string(body))
	require.Equal(t, 200, code, text)
	p.cookie = answer.Cookies()[0]
	var session struct{ Token string }
	require.NoError(t, json.Unmarshal([]byte(text), &session))
	p.token = session.Token
	return p
}

// query gives the lines of an answer.
func (p *visitor) query(t testing.TB, statement string) string {
	t.Helper()
	body, err := json.Marshal(map[string]string{"sql": statement, "database": "default"})
	require.NoError(t, err)
	_, text, _ := p.do(t, "POST", "api/query", string(body))
	return text
}

// requests are all that need a login, each with a body that would do.
var requests = map[string]string{
	"POST api/query": `{"sql":"SELECT 1"}`, "POST api/download": `{"sql":"SELECT 1","format":"csv"}`, "POST api/keys": `{"from":0,"to":0}`,
	"POST api/partitions": `{"database":"default","table":"t","count":10}`, "POST api/now": `{}`, "POST api/advise": `{"database":"default","table":"t"}`,
	"POST api/logout": `{}`, "GET api/session": "", "GET api/download/x": "",
}

func TestEveryRequestNeedsALogin(t *testing.T) {
	s := serve(t, console.Options{})
	s.exec(t, "CREATE TABLE t"+cells, "INSERT INTO t VALUES ('secret', 'q', 1, 'v')")
	good := s.page().login(t, "root", "")
	for request, body := range requests {
		method, path, _ := strings.Cut(request, " ")
		try := func(want int, change func(p *visitor), headers ...string) {
			t.Helper()
			p := *good
			change(&p)
			code, text, _ := p.do(t, method, path, body, headers...)
			require.Equal(t, want, code, "%s: %s", request, text)
			require.NotContains(t, text, "secret")
		}
		try(401, func(p *visitor) { p.cookie = nil })
		try(401, func(p *visitor) { p.cookie = &http.Cookie{Name: p.cookie.Name, Value: "guessed"} })
		if method == "POST" {
			try(403, func(p *visitor) { p.token = "" })
			try(403, func(p *visitor) { p.token = good.token[1:] + "x" })
			try(403, func(p *visitor) { p.origin = "" })
			try(403, func(p *visitor) { p.origin = "http://evil.example" })
			try(403, func(p *visitor) { p.origin = "null" })
			try(403, func(*visitor) {}, "Sec-Fetch-Site", "cross-site")
		}
	}
	for request, body := range requests {
		if method, path, _ := strings.Cut(request, " "); path != "api/logout" {
			code, text, _ := good.do(t, method, path, body)
			require.NotContains(t, []int{401, 403}, code, "%s: %s", request, text)
		}
	}
	code, _, _ := good.do(t, "POST", "api/logout", "{}")
	require.Equal(t, 200, code)
	code, _, _ = good.do(t, "GET", "api/session", "")
	require.Equal(t, 401, code)
}

func TestLogin(t *testing.T) {
	t.Parallel() // it waits most of the time
	s := serve(t, console.Options{})
	s.exec(t, "CREATE USER ann@localhost IDENTIFIED BY 'a secret'", "CREATE USER old@localhost IDENTIFIED WITH mysql_native_password BY 'older'",
		"CREATE USER shut@localhost IDENTIFIED BY 'x' ACCOUNT LOCK", "CREATE USER sure@localhost IDENTIFIED BY 'x' REQUIRE SSL")
	ann := s.page().login(t, "ann", "a secret")
	s.page().login(t, "old", "older")
	require.True(t, ann.cookie.HttpOnly)
	require.Equal(t, http.SameSiteStrictMode, ann.cookie.SameSite)
	t.Run("wrong", func(t *testing.T) { // at once, since each answer is delayed
		for _, wrong := range [][2]string{{"ann", ""}, {"ann", "a secre"}, {"old", "x"}, {"nobody", "x"}, {"", ""}, {"shut", "x"}, {"sure", "x"}, {strings.Repeat("n", 500), "x"}} {
			t.Run(wrong[0][:min(9, len(wrong[0]))], func(t *testing.T) {
				t.Parallel()
				body, err := json.Marshal(map[string]string{"user": wrong[0], "password": wrong[1]})
				require.NoError(t, err)
				code, text, answer := s.page().do(t, "POST", "api/login", string(body))
				require.Equal(t, 401, code, "%v: %s", wrong, text)
				require.Empty(t, answer.Cookies())
			})
		}
	})
	forged := s.page()
	forged.origin = "http://evil.example"
	code, _, _ := forged.do(t, "POST", "api/login", `{"user":"root","password":""}`)
	require.Equal(t, 403, code)

	// A new password, and the end of the account, end its logins.
	s.exec(t, "ALTER USER ann@localhost IDENTIFIED BY 'another'")
	code, _, _ = ann.do(t, "GET", "api/session", "")
	require.Equal(t, 401, code)
	ann = s.page().login(t, "ann", "another")
	s.exec(t, "DROP USER ann@localhost")
	code, _, _ = ann.do(t, "GET", "api/session", "")
	require.Equal(t, 401, code)
}

// TestForeignHost: a name of somebody else's that leads to this machine is an origin of theirs.
func TestForeignHost(t *testing.T) {
	s := serve(t, console.Options{})
	for host, want := range map[string]int{"evil.example": 421, "localhost:80": 200, "127.0.0.1": 200, "[::1]:99": 200, "127.0.0.1.evil.example": 421, "": 421} {
		r := httptest.NewRequest("GET", console.Prefix, nil)
		r.Host = host
		w := httptest.NewRecorder()
		s.Config.Handler.ServeHTTP(w, r)
		require.Equal(t, want, w.Code, host)
	}
}

func TestHeaders(t *testing.T) {
	s := serve(t, console.Options{})
	for _, path := range []string{"", "app.js", "api/session", "nothing"} {
		_, text, answer := s.page().do(t, "GET", path, "")
		policy := answer.Header.Get("Content-Security-Policy")
		for _, want := range []string{"default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"} {
			require.Contains(t, policy, want, path)
		}
		require.NotContains(t, policy, "unsafe")
		require.Equal(t, "nosniff", answer.Header.Get("X-Content-Type-Options"), path)
		require.NotContains(t, text, "onclick=")
		require.NotContains(t, text, "style=")
	}
}

// TestRights: an account sees here what it sees in SQL.
func TestRights(t *testing.T) {
	t.Parallel() // it waits most of the time
	s := serve(t, console.Options{})
	s.exec(t, "CREATE TABLE open"+cells, "CREATE TABLE shut"+cells+" PARTITION BY RANGE COLUMNS(K) (PARTITION a VALUES LESS THAN ('hidden'), PARTITION b VALUES LESS THAN (MAXVALUE))",
		"INSERT INTO open VALUES ('shown', 'q', 1, 'v')", "INSERT INTO shut VALUES ('hidden', 'q', 1, 'v')",
		"CREATE USER ann@localhost IDENTIFIED BY 'x'", "GRANT SELECT ON `default`.open TO ann@localhost")
	ann, root := s.page().login(t, "ann", "x"), s.page().login(t, "root", "")
	require.Contains(t, ann.query(t, "SELECT * FROM `default`.open"), "shown")
	require.Contains(t, ann.query(t, "SELECT * FROM `default`.shut"), `"number":1142`)
	for path, body := range map[string]string{"api/partitions": `{"database":"default","table":"shut","count":9}`, "api/advise": `{"database":"default","table":"shut"}`} {
		code, text, _ := ann.do(t, "POST", path, body)
		require.Equal(t, 422, code, text)
		require.NotContains(t, text, "hidden")
	}
	maps := func(p *visitor) string {
		_, text, _ := p.do(t, "POST", "api/keys", `{"from":0,"to":0}`)
		return text
	}
	require.Eventually(t, func() bool {
		s.exec(t, "INSERT INTO open (K, Q, V) VALUES ('shown', 'q', 'v')", "INSERT INTO shut (K, Q, V) VALUES ('hidden', 'q', 'v')")
		all := maps(root)
		return strings.Contains(all, `"table":"open"`) && strings.Contains(all, `"table":"shut"`)
	}, 30*time.Second, 200*time.Millisecond)
	require.Contains(t, maps(ann), `"table":"open"`)
	require.NotContains(t, maps(ann), `"table":"shut"`)

	code, text, _ := root.do(t, "POST", "api/advise", `{"database":"default","table":"open"}`)
	require.Equal(t, 200, code, text)
	require.Contains(t, text, "Verdict")

	// Others' statements are for PROCESS.
	_, text, _ = ann.do(t, "POST", "api/now", `{}`)
	require.Contains(t, text, `"slow":null`)
	require.NotContains(t, ann.query(t, "SELECT USER FROM information_schema.PROCESSLIST"), "root")
}

// TestReadOnly: without Writes no statement changes anything, whoever asks.
func TestReadOnly(t *testing.T) {
	s := serve(t, console.Options{})
	s.exec(t, "CREATE TABLE t"+cells, "INSERT INTO t VALUES ('k', 'q', 1, 'v')")
	root := s.page().login(t, "root", "")
	for _, text := range []string{"INSERT INTO t VALUES ('n', 'q', 1, 'v')", "REPLACE INTO t VALUES ('n', 'q', 1, 'v')", "UPDATE t SET V = 'n'", "DELETE FROM t", "TRUNCATE TABLE t",
		"DROP TABLE t", "CREATE TABLE n" + cells, "ALTER TABLE t COMMENT 'n'", "SPLIT TABLE t BY ('m')", "CREATE USER n", "GRANT ALL ON *.* TO root@localhost", "SET GLOBAL long_query_time = 1",
		"OPTIMIZE TABLE t", "FLUSH TABLES WITH READ LOCK", "BACKUP TO '/tmp/n'", "SELECT * FROM t INTO OUTFILE '/tmp/n'", "LOAD DATA INFILE '/etc/passwd' INTO TABLE t",
		"PREPARE p FROM 'DROP TABLE t'", "EXECUTE p", "START TRANSACTION READ WRITE", "LOCK TABLES t WRITE", "CREATE VIEW n AS SELECT 1"} {
		require.Contains(t, root.query(t, text), `"number":1290`, text)
	}
	require.Contains(t, root.query(t, "SELECT 1; DROP TABLE t"), `"number":1064`)
	require.Contains(t, root.query(t, "SELECT COUNT(*) FROM t"), `[["1"]]`)
	require.Contains(t, root.query(t, "EXPLAIN DELETE FROM t"), `"end":true`)
	require.Contains(t, root.query(t, "SELECT COUNT(*) FROM t"), `[["1"]]`)

	w := serve(t, console.Options{Writes: true})
	w.exec(t, "CREATE USER ann@localhost IDENTIFIED BY 'x'", "GRANT SELECT, INSERT ON *.* TO ann@localhost")
	root, ann := w.page().login(t, "root", ""), w.page().login(t, "ann", "x")
	require.Contains(t, root.query(t, "CREATE TABLE t"+cells), `"end":true`)
	require.Contains(t, ann.query(t, "INSERT INTO t VALUES ('k', 'q', 1, 'v')"), `"affected":1`)
	require.Contains(t, ann.query(t, "DELETE FROM t"), `"number":1142`)
}

// TestMarkup: what is in the store is a value of JSON, whatever it is.
func TestMarkup(t *testing.T) {
	s := serve(t, console.Options{})
	const evil = `</script><script>alert(1)</script><img src=x onerror=alert(1)>`
	s.exec(t, "CREATE TABLE `<b>t`"+cells)
	_, err := s.db.Exec("INSERT INTO `<b>t` VALUES (?, ?, 1, ?)", evil[:60], evil[:60], evil)
	require.NoError(t, err)
	_, err = s.db.Exec("INSERT INTO `<b>t` VALUES (?, '', 1, ?)", []byte{0, 255, 'a'}, []byte("\xff<"))
	require.NoError(t, err)
	root := s.page().login(t, "root", "")
	for _, text := range []string{root.query(t, "SELECT * FROM `<b>t`"), root.query(t, "SELECT "+evil), root.query(t, "SELECT * FROM `"+evil+"`")} {
		require.NotContains(t, text, "<", "it is escaped")
		for line := range strings.Lines(text) {
			require.True(t, json.Valid([]byte(line)), line)
		}
	}
	code, text, answer := root.do(t, "POST", "api/partitions", `{"database":"default","table":"<b>t","count":5}`)
	require.Equal(t, 200, code, text)
	require.Equal(t, "application/json", answer.Header.Get("Content-Type"))
	require.NotContains(t, text, "<")
}

func TestBadRequests(t *testing.T) {
	s := serve(t, console.Options{})
	root := s.page().login(t, "root", "")
	for _, path := range []string{"api/query", "api/download", "api/keys", "api/partitions", "api/now", "api/advise", "api/login"} {
		for _, body := range []string{"", "[]", "{", `{"nobody":1}`, `{"sql":1}`, "{}{}", "null x", strings.Repeat("[", 10_000)} {
			code, text, _ := root.do(t, "POST", path, body)
			require.GreaterOrEqual(t, code, 400, "%s %s: %s", path, body[:min(len(body), 20)], text)
			require.Less(t, code, 500)
		}
		code, _, _ := root.do(t, "POST", path, `{"sql":"`+strings.Repeat("a", 2<<20)+`"}`)
		require.Equal(t, 413, code, path)
		code, _, _ = root.do(t, "POST", path, "{}", "Content-Type", "text/plain")
		require.Equal(t, 415, code, path)
	}
	code, _, _ := root.do(t, "GET", "api/download/none", "")
	require.Equal(t, 404, code)
	code, _, _ = root.do(t, "GET", "api/query", "")
	require.Equal(t, 404, code)
	require.Contains(t, root.query(t, ""), `"error"`)
}

func TestDownload(t *testing.T) {
	s := serve(t, console.Options{})
	s.exec(t, "CREATE TABLE t"+cells, "INSERT INTO t VALUES ('k', 'q', 1, 'v'), ('l', 'q', 1, NULL), ('m', 'q', 1, '')")
	root := s.page().login(t, "root", "")
	ticket := func(format, statement string) string {
		body, err := json.Marshal(map[string]string{"sql": statement, "format": format, "database": "default"})
		require.NoError(t, err)
		code, text, _ := root.do(t, "POST", "api/download", string(body))
		require.Equal(t, 200, code, text)
		var got struct{ Ticket string }
		require.NoError(t, json.Unmarshal([]byte(text), &got))
		return got.Ticket
	}
	csv := ticket("csv", "SELECT K, V FROM t ORDER BY K")
	other := s.page().login(t, "root", "")
	code, _, _ := other.do(t, "GET", "api/download/"+csv, "")
	require.Equal(t, 404, code, "a ticket is of one login")
	code, text, answer := root.do(t, "GET", "api/download/"+csv, "")
	require.Equal(t, 200, code, text)
	require.Contains(t, text, "k,v\n")
	require.Contains(t, answer.Header.Get("Content-Disposition"), `attachment; filename="result.csv"`)
	code, _, _ = root.do(t, "GET", "api/download/"+csv, "")
	require.Equal(t, 404, code, "a ticket is good once")

	code, text, _ = root.do(t, "GET", "api/download/"+ticket("parquet", "SELECT K, V, T FROM t"), "")
	require.Equal(t, 200, code)
	require.True(t, strings.HasPrefix(text, "PAR1") && strings.HasSuffix(text, "PAR1"))
	code, text, _ = root.do(t, "GET", "api/download/"+ticket("csv", "SELECT * FROM nothing"), "")
	require.Equal(t, 422, code)
	require.Contains(t, text, `"number":1146`)
}

// TestGone: a page that goes away ends its statement.
func TestGone(t *testing.T) {
	s := serve(t, console.Options{})
	root := s.page().login(t, "root", "")
	ctx, cancel := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, "POST", s.URL+console.Prefix+"api/query", bytes.NewBufferString(`{"sql":"SELECT SLEEP(600)"}`))
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Origin", s.URL)
	r.Header.Set("X-CSRF-Token", root.token)
	r.AddCookie(root.cookie)
	answer, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer answer.Body.Close()
	running := func() bool {
		return strings.Contains(root.query(t, "SELECT INFO FROM information_schema.PROCESSLIST"), "SLEEP(600)")
	}
	require.Eventually(t, running, time.Minute, 20*time.Millisecond)
	cancel()
	require.Eventually(t, func() bool { return !running() }, time.Minute, 20*time.Millisecond)
}

// FuzzRequests: whatever a page of the console sends is answered, by JSON.
func FuzzRequests(f *testing.F) {
	s := serve(f, console.Options{})
	s.exec(f, "CREATE TABLE t"+cells)
	root := s.page().login(f, "root", "")
	paths := []string{"query", "download", "keys", "partitions", "now", "advise", "login"}
	for request, body := range requests {
		for i, path := range paths {
			if strings.HasSuffix(request, "api/"+path) {
				f.Add(uint8(i), body)
			}
		}
	}
	f.Add(uint8(2), `{"from":-9223372036854775808,"to":9223372036854775807}`)
	f.Add(uint8(3), `{"database":"default","table":"t","offset":-5,"count":99999999,"by":"bytes"}`)
	f.Fuzz(func(t *testing.T, which uint8, body string) {
		r := httptest.NewRequest("POST", s.URL+console.Prefix+"api/"+paths[int(which)%len(paths)], strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Origin", s.URL)
		r.Header.Set("X-CSRF-Token", root.token)
		r.AddCookie(root.cookie)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		w := httptest.NewRecorder()
		s.Config.Handler.ServeHTTP(w, r.WithContext(ctx))
		require.Less(t, w.Code, 500)
		for line := range strings.Lines(w.Body.String()) {
			require.True(t, json.Valid([]byte(line)), line)
		}
	})
}
