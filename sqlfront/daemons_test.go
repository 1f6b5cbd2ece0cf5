package sqlfront

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest"
)

// collecting is a store that is collecting a table by itself.
type collecting struct {
	kv.Store
	kv.Collector
}

func (collecting) Collections() []kv.Collection {
	return []kv.Collection{{Database: "d", Table: "t", Since: time.Now().Add(-time.Minute), SoFar: kv.Collected{Versions: 7, Ranges: 2}}}
}

// TestDaemons: the store's background work is in the process list, and is not counted as a running statement.
func TestDaemons(t *testing.T) {
	e := server{NewEngine(collecting{Store: kvtest.NewModel()})}
	list := e.Processes()
	require.Len(t, list, 1)
	require.True(t, list[0].System)
	require.Equal(t, "Daemon", list[0].Command)
	require.Equal(t, "collecting d.t, 7 versions and 2 ranges", list[0].Text)
	require.GreaterOrEqual(t, list[0].Seconds, int64(60))
	require.Contains(t, e.Status(nil, true), [2]string{"Threads_running", "0"})
}
