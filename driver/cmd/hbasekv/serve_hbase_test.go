package main

import (
	"bufio"
	"io"
	"regexp"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestServeHBase serves HBase's clients, on this machine only unless --insecure is set.
func TestServeHBase(t *testing.T) {
	for _, c := range []struct {
		args    []string
		refusal string // empty if it serves
	}{
		{[]string{"--hbase", "127.0.0.1:0", "--zookeeper", "127.0.0.1:0"}, ""},
		{[]string{"--hbase", "127.0.0.1:0", "--listen", ""}, ""},
		{[]string{"--hbase", "0.0.0.0:0", "--insecure"}, ""},
		{[]string{"--hbase", "0.0.0.0:0"}, "can be reached from other machines"},
		{[]string{"--hbase", "127.0.0.1:0", "--zookeeper", "0.0.0.0:0"}, "can be reached from other machines"},
		{[]string{"--zookeeper", "127.0.0.1:0"}, "go with --hbase"},
	} {
		cmd := command(t.TempDir(), append([]string{"serve", ":memory:", "--listen", "127.0.0.1:0"}, c.args...)...)
		stderr, err := cmd.StderrPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		if c.refusal != "" {
			said, err := io.ReadAll(stderr)
			require.NoError(t, err)
			require.Contains(t, string(said), c.refusal)
			require.Error(t, cmd.Wait())
			continue
		}
		on := regexp.MustCompile(`HBase's clients on \S+:\d+`)
		lines := bufio.NewScanner(stderr)
		found := false
		for !found && lines.Scan() {
			found = on.MatchString(lines.Text())
		}
		require.True(t, found, "%v", c.args)
		require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
		_, err = io.Copy(io.Discard, stderr)
		require.NoError(t, err)
		require.NoError(t, cmd.Wait(), "%v", c.args)
	}
}
