package kernel

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// TestLoadLeavesNothing checks that a frame keeps nothing of the previous row, whose memory may be
// reused.
func TestLoadLeavesNothing(t *testing.T) {
	b := benchBatch(2)
	read := Columns{}
	for _, f := range b.Schema()[1:] {
		read = read.Add(f.Index)
	}
	b.LeaveOutUnread(read)
	frame := make([]value.Value, 4)
	for i := range frame {
		frame[i] = value.NewBytes([]byte("before"))
	}
	b.Load(1, frame)
	for at, f := range b.Schema() {
		want := value.Value{}
		if at > 0 {
			want = b.Column(at).At(1)
		}
		require.Equal(t, want, frame[f.Index], at)
	}
}
