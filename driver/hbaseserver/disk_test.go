package hbaseserver_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase"
	"github.com/tsuna/gohbase/hrpc"
)

// smallDisk is a directory on a file system of 24 MiB.
func smallDisk(t *testing.T) string {
	dir := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("no file system can be mounted here: %s", out)
	}
	t.Cleanup(func() { _ = exec.Command("umount", "-l", dir).Run() })
	return dir
}

// TestFullDisk fills a server's disk: clients wait, can still read, and continue when there is room; none
// fails. What was acknowledged is there then, and after the server was killed.
func TestFullDisk(t *testing.T) {
	t.Parallel() // it waits most of the time
	if testing.Short() {
		t.Skip("it builds the command")
	}
	disk := smallDisk(t)
	command := filepath.Join(t.TempDir(), "hbasekv")
	run(t, ".", "go", "run", "-ldflags=-w", "-exec", "cp", "../cmd/hbasekv", command) // unlike go build it finds it linked
	zookeeper, calls, sqls := freeAddress(t), freeAddress(t), freeAddress(t)
	serve := func() *exec.Cmd {
		cmd := exec.Command(command, "serve", filepath.Join(disk, "store"), "--listen", sqls, "--hbase", calls,
			"--zookeeper", zookeeper)
		start(t, cmd, zookeeper)
		return cmd
	}
	server := serve()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	require.NoError(t, gohbase.NewAdminClient(zookeeper, quiet).CreateTable(hrpc.NewCreateTable(ctx, []byte("t"),
		map[string]map[string]string{"f": nil})))
	var over, killed atomic.Bool
	var mu sync.Mutex
	known := map[string]bool{}
	var last atomic.Int64 // when a row was acknowledged
	var busy sync.WaitGroup
	for i := range 3 {
		c := gohbase.NewClient(zookeeper, quiet)
		defer c.Close()
		busy.Go(func() {
			value := make([]byte, 20<<10)
			for n := 0; !over.Load(); n++ {
				for j := range value {
					value[j] = byte(rand.IntN(256))
				}
				row := fmt.Sprintf("%d-%06d", i, n)
				put, err := hrpc.NewPutStr(ctx, "t", row, values("f", "q", string(value)), hrpc.SkipBatch())
				if err == nil {
					_, err = c.Put(put)
				}
				switch {
				case err == nil:
					mu.Lock()
					known[row] = true
					mu.Unlock()
					last.Store(time.Now().UnixNano())
				case !killed.Load():
					t.Errorf("a Put: %v", err)
					return
				}
			}
		})
	}
	defer busy.Wait()
	defer over.Store(true)
	reader := gohbase.NewClient(zookeeper, quiet)
	defer reader.Close()
	require.Eventually(t, func() bool {
		return last.Load() > 0 && time.Since(time.Unix(0, last.Load())) > 3*time.Second
	}, time.Minute, 10*time.Millisecond, "the disk is full")
	get := must[*hrpc.Get](t)(hrpc.NewGetStr(ctx, "t", "0-000000"))
	r, err := reader.Get(get)
	require.NoError(t, err)
	require.Len(t, r.Cells, 1)

	full := time.Now().UnixNano()
	require.NoError(t, exec.Command("mount", "-o", "remount,size=400m", disk).Run())
	require.Eventually(t, func() bool { return last.Load() > full }, time.Minute, 10*time.Millisecond)
	killed.Store(true)
	require.NoError(t, server.Process.Signal(syscall.SIGKILL), "while all are busy")
	over.Store(true)
	require.Eventually(t, func() bool {
		conn, err := net.Dial("tcp", calls)
		if err == nil {
			conn.Close()
		}
		return errors.Is(err, syscall.ECONNREFUSED)
	}, time.Minute, time.Millisecond)
	serve()
	busy.Wait()
	t.Log(len(known), "rows")
	for row := range known {
		r, err := reader.Get(must[*hrpc.Get](t)(hrpc.NewGetStr(ctx, "t", row)))
		require.NoError(t, err)
		require.Len(t, r.Cells, 1, "%s was acknowledged", row)
	}
}
