package mysqlserver_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/driver/mysqlserver"
)

var runSuites = flag.Bool("clients.suites", false, "run the test suites of drivers against the server")

// suite is a driver's own test suite. Its failing tests are listed in testdata/suites, with
// the reason.
type suite struct {
	name      string
	databases []string
	command   func(t *testing.T, s *clientServer) *exec.Cmd
	failed    *regexp.Regexp
}

var driverSuites = []suite{
	{"go-sql-driver", []string{"gotest"}, goSuite, regexp.MustCompile(`(?m)^--- FAIL: (\S+)`)},
	{"PyMySQL", []string{"test1", "test2"}, pythonSuite, regexp.MustCompile(`(?m)^FAILED pymysql/tests/(\S+)`)},
}

// goSuite omits one test, which looks at the machine's network and not at the server.
func goSuite(_ *testing.T, s *clientServer) *exec.Cmd {
	cmd := exec.Command("go", "test", "-count=1", "-v", "-skip", "TestConnectorReturnsTimeout", "github.com/go-sql-driver/mysql")
	cmd.Env = append(os.Environ(), fmt.Sprintf("MYSQL_TEST_ADDR=127.0.0.1:%d", s.port))
	return cmd
}

// pythonSuite is the suite of PyMySQL.
func pythonSuite(t *testing.T, s *clientServer) *exec.Cmd {
	p := pythonClient("PyMySQL's tests", "pymysql, pytest", "")
	p.needs += " && test -d $CLIENTS/pymysql"
	p.require(t)
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(p.expand("$CLIENTS/pymysql"))))
	one := func(database string) string {
		return fmt.Sprintf(`{"host": "localhost", "unix_socket": %q, "user": "root", "password": "", "database": %q, `+
			`"use_unicode": true, "local_infile": true}`, s.socket, database)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "pymysql", "tests", "databases.json"),
		[]byte("["+one("test1")+","+one("test2")+"]"), 0o600))
	cmd := exec.Command(p.expand("$CLIENTS/python/bin/python"), "-m", "pytest", "-q", "-rA", "-p", "no:cacheprovider", "pymysql")
	cmd.Dir = dir
	return cmd
}

// listed are the tests that a file names.
func listed(t *testing.T, file string) (names []string) {
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			names = append(names, line)
		}
	}
	return names
}

// TestSuites runs the suites of drivers: exactly the listed tests fail.
func TestSuites(t *testing.T) {
	if !*runSuites {
		t.Skip("without -clients.suites")
	}
	certificates, err := mysqlserver.SelfSigned()
	require.NoError(t, err)
	for _, each := range driverSuites {
		t.Run(each.name, func(t *testing.T) {
			s := serveClients(t, mysqlserver.Options{TLS: certificates.Config()})
			for _, name := range each.databases {
				execAll(t, s.db, "CREATE DATABASE "+name)
			}
			cmd := each.command(t, s)
			ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
			defer cancel()
			defer context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })()
			out, _ := cmd.CombinedOutput() // some tests make it fail
			var failed []string
			for _, m := range each.failed.FindAllSubmatch(out, -1) {
				failed = append(failed, string(m[1]))
			}
			slices.Sort(failed)
			want := listed(t, filepath.Join("testdata", "suites", each.name+".txt"))
			slices.Sort(want)
			require.Equal(t, want, slices.Compact(failed), "%s", out)
		})
	}
}
