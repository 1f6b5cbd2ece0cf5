package hbase

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Each context ends at its own time, whatever others' are, and one that was given up
// does not.
func TestTimeouts(t *testing.T) {
	var all timeouts
	parent, cancel := context.WithCancel(context.Background())
	long, endLong := all.within(parent, time.Hour)
	defer endLong()
	short, endShort := all.within(parent, 5*time.Millisecond)
	defer endShort()
	gone, endGone := all.within(parent, time.Hour)
	endGone()
	require.ErrorIs(t, gone.Err(), context.Canceled)
	<-short.Done()
	require.Equal(t, errTimeout, context.Cause(short))
	require.ErrorIs(t, ended(short, short.Err()), errTimeout)
	require.NoError(t, long.Err())
	again, endAgain := all.within(long, time.Millisecond)
	defer endAgain()
	<-again.Done()
	require.Equal(t, errTimeout, context.Cause(again))
	cancel()
	<-long.Done()
	require.Equal(t, context.Canceled, ended(long, nil))
	deadline, ok := long.Deadline()
	require.True(t, ok && time.Until(deadline) > time.Minute)
}
