package harness

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// The oracle for SQL is MariaDB. Its answers to generated statements are recorded in
// conformance/testdata/mariadb and compared in every run; with these flags, tests compare
// with a live server instead.
var (
	MariaDB = flag.String("mariadb", os.Getenv("HBASEKV_MARIADB"),
		"compare with a live MariaDB, whose database oracle is dropped and created: a go-sql-driver DSN, or 'start' for a private server")
	Record  = flag.Bool("record", false, "with -mariadb: rewrite the recorded answers")
	OracleN = flag.Int("oracle.n", 2000, "number of statements of the live comparison")
)

// server is the private MariaDB of this process: it is started once, because that
// takes seconds, and stopped by Main.
var server struct {
	sync.Mutex
	dir     string
	command *exec.Cmd
}

// StartMariaDB returns the DSN of a private server with its own socket and data directory,
// which all tests of a package share. Its root needs no password.
func StartMariaDB(t *testing.T) string {
	t.Helper()
	server.Lock()
	defer server.Unlock()
	if server.command == nil {
		require.NoError(t, startMariaDB())
	}
	return "root@unix(" + server.dir + "/s.sock)/"
}

func startMariaDB() error {
	dir, err := os.MkdirTemp("", "mariadb")
	if err != nil {
		return err
	}
	server.dir = dir
	user := "--user=" + os.Getenv("USER")
	if os.Getuid() == 0 {
		user = "--user=root"
	}
	// A server that starts, even to install, deletes the temporary tables of others with the
	// same temporary directory.
	tmp := "--tmpdir=" + dir
	out, err := exec.Command("mariadb-install-db", "--no-defaults", user, "--datadir="+dir+"/data", tmp,
		"--auth-root-authentication-method=normal").CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	server.command = exec.Command("mariadbd", "--no-defaults", user, "--loose-skip-name-resolve", "--skip-networking",
		"--debug-no-sync", "--datadir="+dir+"/data", tmp, "--socket="+dir+"/s.sock")
	return server.command.Start()
}

func stopMariaDB() {
	if server.command != nil && server.command.Process != nil {
		_ = server.command.Process.Kill()
		_ = server.command.Wait()
	}
	_ = os.RemoveAll(server.dir)
}
