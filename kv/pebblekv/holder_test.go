package pebblekv

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/dirlock"
)

// TestHolder requires that a process that finds a store held learns by which process, since when
// and where it is served, and that nothing false is reported of a process that has ended.
func TestHolder(t *testing.T) {
	const dirVariable = "HBASEKV_TEST_HELD"
	if dir := os.Getenv(dirVariable); dir != "" {
		_, err := Open(Options{Dir: dir})
		var held *kv.HeldError
		if !errors.As(err, &held) || !errors.Is(err, kv.ErrLocked) {
			fmt.Println("opened:", err)
			os.Exit(1)
		}
		text, _ := json.Marshal(held.Holder)
		fmt.Println(string(text))
		fmt.Println(err)
		os.Exit(0)
	}
	dir := t.TempDir()
	other := func() (h kv.Holder, text string) {
		cmd := exec.Command(os.Args[0], "-test.run", "^TestHolder$")
		cmd.Env = append(os.Environ(), dirVariable+"="+dir)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.NoError(t, json.Unmarshal(out[:indexByte(out, '\n')], &h), "%s", out)
		return h, string(out)
	}
	s, err := OpenReopener(Options{Dir: dir})
	require.NoError(t, err)
	defer s.Close()
	h, text := other()
	require.Equal(t, os.Getpid(), h.PID)
	require.Equal(t, filepath.Base(os.Args[0]), h.Program)
	require.False(t, h.Since.IsZero())
	require.Empty(t, h.Addresses)
	require.Contains(t, text, fmt.Sprintf("process %d (%s), since %d-", os.Getpid(), h.Program, h.Since.Year()))

	tcp, unix := kv.Address{Network: "tcp", Address: "127.0.0.1:3306"}, kv.Address{Network: "unix", Address: "/run/x.sock"}
	withdraw := s.Announce(tcp)
	defer s.Announce(unix)()
	h, text = other()
	require.Equal(t, []kv.Address{tcp, unix}, h.Addresses)
	require.Contains(t, text, "which serves it on tcp 127.0.0.1:3306, and unix /run/x.sock")
	withdraw()
	withdraw() // once is enough
	h, _ = other()
	require.Equal(t, []kv.Address{unix}, h.Addresses)

	// A file left by another process, a damaged file and a missing one: only the number is known.
	for _, left := range []string{`{"pid": 1, "program": "gone", "addresses": [{"network": "tcp", "address": "a"}]}`, `{"pid"`, ""} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, dirlock.HolderFile), []byte(left), 0o600))
		h, _ = other()
		require.Equal(t, kv.Holder{PID: os.Getpid()}, h)
	}
	require.NoError(t, s.Close())
	require.NoFileExists(t, filepath.Join(dir, dirlock.HolderFile))
}

func indexByte(b []byte, c byte) int {
	for i := range b {
		if b[i] == c {
			return i
		}
	}
	return len(b)
}
