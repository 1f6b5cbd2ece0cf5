package timeouts_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv/hbase/internal/timeouts"
)

// Each context ends at its own time, whatever the others' are, and a cancelled one
// does not time out.
func TestTimeouts(t *testing.T) {
	var all timeouts.All
	parent, cancel := context.WithCancel(context.Background())
	long, endLong := all.Within(parent, time.Hour)
	defer endLong()
	short, endShort := all.Within(parent, 5*time.Millisecond)
	defer endShort()
	gone, endGone := all.Within(parent, time.Hour)
	endGone()
	require.ErrorIs(t, gone.Err(), context.Canceled)
	<-short.Done()
	require.Equal(t, timeouts.Err, context.Cause(short))
	require.NoError(t, long.Err())
	again, endAgain := all.Within(long, time.Millisecond)
	defer endAgain()
	<-again.Done()
	require.Equal(t, timeouts.Err, context.Cause(again))
	cancel()
	<-long.Done()
	require.Equal(t, context.Canceled, long.Err())
	deadline, ok := long.Deadline()
	require.True(t, ok && time.Until(deadline) > time.Minute)
}
