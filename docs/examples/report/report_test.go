// Package report holds a program in Python; this test runs it against a server of its own.
package report

import (
	"context"
	"net"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/driver/hbasekvtest"
	"github.com/hbasekv/hbasekv/driver/mysqlserver"
)

const want = `month,shop,amount,so_far
2026-01,Oslo,120.00,120.00
2026-01,Rome,80.50,80.50
2026-02,Oslo,110.00,230.00
2026-02,Rome,200.00,280.50
2026-03,Rome,50.00,330.50
`

func TestReport(t *testing.T) {
	python := os.Getenv("HBASEKV_TEST_PYTHON")
	if python == "" {
		python = "python3"
	}
	if exec.Command(python, "-c", "import pymysql").Run() != nil {
		t.Skip("there is no python3 with PyMySQL; HBASEKV_TEST_PYTHON names one")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	db := hbasekvtest.Open(t)
	go func() { ended <- mysqlserver.Serve(ctx, listener, db, mysqlserver.Options{}) }()
	defer func() {
		cancel()
		require.NoError(t, <-ended)
	}()
	host, port, err := net.SplitHostPort(listener.Addr().String())
	require.NoError(t, err)
	out, err := exec.Command(python, "report.py", host, port).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Equal(t, want, string(out))
}
