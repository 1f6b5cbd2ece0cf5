package client

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestThrottle(t *testing.T) {
	th := Throttle{First: FirstDelay}
	now := time.Unix(1e9, 0)
	require.Equal(t, FirstDelay, th.Failed("a", now))
	require.Equal(t, 2*FirstDelay, th.Failed("a", now))
	require.Equal(t, FirstDelay, th.Failed("b", now))
	for range 100 {
		require.LessOrEqual(t, th.Failed("a", now), lastDelay)
	}
	require.Equal(t, FirstDelay, th.Failed("a", now.Add(forgiven+time.Second)))
	th.Succeeded("a")
	require.Equal(t, FirstDelay, th.Failed("a", now))
	for i := range 2 * maxThrottled {
		th.Failed(string(rune(i)), now)
	}
	require.LessOrEqual(t, len(th.hosts), maxThrottled)
}
