package main

import (
	"bufio"
	"crypto/x509/pkix"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/driver/mysqlserver/mysqlservertest"
)

// operated is a directory with what docs/operations.md has an operator put on a machine.
type operated struct {
	dir  string
	here *strings.Replacer // of the page's paths and addresses
	page string
}

var execStart = regexp.MustCompile(`(?s)\nExecStart=(.*?[^\\])\n`)

func newOperated(t *testing.T) *operated {
	page, err := os.ReadFile("../../../docs/operations.md")
	require.NoError(t, err)
	dir := t.TempDir()
	for _, name := range []string{"bin", "etc", "lib", "run"} {
		require.NoError(t, os.Mkdir(filepath.Join(dir, name), 0o700))
	}
	o := &operated{dir, strings.NewReplacer("/usr/local/bin", bin, "/etc/hbasekv", dir+"/etc", "/var/lib/hbasekv", dir+"/lib",
		"/run/hbasekv", dir+"/run", "0.0.0.0:3306", "127.0.0.1:0", "127.0.0.1:9104", "127.0.0.1:0"), string(page)}
	o.write(t, "etc/accounts.sql", o.block(t, "CREATE USER"))
	o.write(t, "etc/backup.cnf", "[client]\npassword=\"another password\"\n")
	mysqlservertest.NewAuthority(t, pkix.Name{CommonName: "authority"}).Issue(t, pkix.Name{CommonName: "server"},
		filepath.Join(dir, "etc/server.pem"), filepath.Join(dir, "etc/server.key"))
	return o
}

// block is the page's block that begins with these words, for the directory.
func (o *operated) block(t *testing.T, start string) string {
	t.Helper()
	_, text, found := strings.Cut(o.page, "```text\n"+start)
	require.True(t, found, start)
	text, _, _ = strings.Cut(text, "```\n")
	return o.here.Replace(start + text)
}

func (o *operated) write(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(o.dir, name)
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

// serve runs the command line of the unit until the test ends.
func (o *operated) serve(t *testing.T) {
	line := execStart.FindStringSubmatch(o.block(t, "[Unit]"))
	require.NotNil(t, line)
	cmd := exec.Command("sh", "-c", "exec "+line[1])
	stderr, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	said := ""
	for lines := bufio.NewScanner(stderr); !servingOn.MatchString(said) && lines.Scan(); {
		said += lines.Text() + "\n"
	}
	require.Regexp(t, servingOn, said)
	go io.Copy(io.Discard, stderr)
}

// shell runs a script with the command and the directory's programs in the path.
func (o *operated) shell(t *testing.T, script string) string {
	t.Helper()
	cmd := exec.Command("sh", "-c", script)
	cmd.Dir = o.dir
	cmd.Env = append(os.Environ(), "PATH="+o.dir+"/bin:"+bin+":"+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return string(out)
}

// TestOperationsPage serves as the page's unit does, with its accounts, has its script for cron back the store up,
// and reads what that has sent away.
func TestOperationsPage(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"mariadb", "zstd", "tar"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed", program)
		}
	}
	o := newOperated(t)
	o.serve(t)
	o.shell(t, "mariadb --no-defaults --socket run/hbasekv.sock -u admin '-pa long password' -e \""+
		"CREATE TABLE \\`default\\`.people (id bigint PRIMARY KEY, name varchar(100)); INSERT INTO \\`default\\`.people VALUES (1, 'Ada')\"")

	upload := o.write(t, "bin/aws", "#!/bin/sh\n[ \"$1 $2 $3\" = 's3 cp -' ] && cat >sent\n")
	require.NoError(t, os.Chmod(upload, 0o700))
	o.shell(t, o.block(t, "#!/bin/sh\n"))
	left, err := filepath.Glob(filepath.Join(o.dir, "lib", "backup*"))
	require.NoError(t, err)
	require.Empty(t, left)
	require.Contains(t, o.shell(t, "zstd -qdc sent | tar -xf - && hbasekv check backup-* && "+
		"hbasekv sql backup-* -e 'SELECT name FROM people WHERE id = 1'"), "Ada")
}

// TestUnit: systemd understands the page's unit.
func TestUnit(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Skip("systemd-analyze is not installed")
	}
	o := newOperated(t)
	unit := o.write(t, "hbasekv.service", o.block(t, "[Unit]"))
	// It exits with 1 for other units of this machine, too.
	out, _ := exec.Command("systemd-analyze", "verify", "--man=no", unit).CombinedOutput()
	require.NotContains(t, string(out), "hbasekv.service")
}
