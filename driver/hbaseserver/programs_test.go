package hbaseserver_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

var (
	programsFlag = flag.Int("programs", 300, "how many calls TestPrograms does in each of its rounds")
	roundsFlag   = flag.Int("rounds", 2, "the rounds of TestPrograms; between two of them it kills the servers")
)

// TestPrograms makes random calls of HBase's own client on the HBase whose quorum is in HBASEKV_TEST_ZK and
// on hbasekv, which must answer alike. Between two rounds, hbasekv is killed, and also HBase if
// HBASEKV_TEST_DIR is the folder in which hbase-local keeps it.
func TestPrograms(t *testing.T) {
	quorum := os.Getenv("HBASEKV_TEST_ZK")
	if !*javaFlag || quorum == "" {
		t.Skip("-java is not given, or no quorum in HBASEKV_TEST_ZK")
	}
	seed := testseed.Of(t) >> 2 // longs of Java, for all rounds
	work := t.TempDir()
	command, jars := filepath.Join(work, "hbasekv"), javaPrograms(t, work, "Programs.java", "Draw.java")
	run(t, ".", "go", "build", "-ldflags=-w", "-o", command, "../cmd/hbasekv")
	for round := range *roundsFlag {
		zookeeper, kill := serveChild(t, command, filepath.Join(work, "data"))
		goOn := fmt.Sprint(min(round, 1))
		out := run(t, ".", "java", "-Xmx256m", "-cp", jars, "Programs", quorum, zookeeper,
			fmt.Sprint(seed+uint64(round)*1_000_000), fmt.Sprint(*programsFlag), "250", goOn)
		lines := strings.Split(strings.TrimSpace(out), "\n")
		require.Equal(t, fmt.Sprintf("%d calls, 0 differences", *programsFlag), lines[len(lines)-1], "%s", out)
		kill()
		if dir := os.Getenv("HBASEKV_TEST_DIR"); dir != "" {
			run(t, ".", "../../kv/hbase/hbase-local", "kill", dir)
			run(t, ".", "../../kv/hbase/hbase-local", "start", dir)
		}
	}
}

// javaPrograms compiles files of testdata into a folder, and returns the class path to run them.
func javaPrograms(t *testing.T, work string, files ...string) string {
	t.Helper()
	jars := strings.TrimSpace(run(t, ".", "../../kv/hbase/hbase-local", "classpath"))
	run(t, "testdata", "javac", append([]string{"-nowarn", "-d", work, "-cp", jars}, files...)...)
	return work + string(os.PathListSeparator) + jars
}

// run runs a command, and returns its output.
func run(t *testing.T, dir, name string, arguments ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, arguments...)
	var errors bytes.Buffer
	cmd.Dir, cmd.Stderr = dir, &errors
	out, err := cmd.Output()
	require.NoError(t, err, "%s %s", out, errors.String())
	return string(out)
}

// serveChild serves a store with a separate process, until it is killed.
func serveChild(t *testing.T, command, data string) (zookeeper string, kill func()) {
	t.Helper()
	zookeeper = freeAddress(t)
	cmd := exec.Command(command, "serve", data, "--listen", freeAddress(t), "--hbase", freeAddress(t),
		"--zookeeper", zookeeper)
	var errors bytes.Buffer
	cmd.Stderr = &errors
	require.NoError(t, os.MkdirAll(data, 0o700))
	require.NoError(t, cmd.Start())
	over := false
	kill = func() {
		if !over {
			over = true
			_ = cmd.Process.Kill()
			_ = cmd.Wait() // it reports that it was killed
		}
	}
	t.Cleanup(kill)
	require.Eventually(t, func() bool {
		conn, err := net.Dial("tcp", zookeeper)
		if err == nil {
			conn.Close()
		}
		return err == nil
	}, time.Minute, 20*time.Millisecond, "%s", &errors)
	return zookeeper, kill
}

// freeAddress is an address on which no process listens.
func freeAddress(t *testing.T) string {
	l := listen(t)
	defer l.Close()
	return l.Addr().String()
}
