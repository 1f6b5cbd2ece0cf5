package testseed

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// told keeps what a test logs, and the error that ends it.
type told struct {
	testing.TB
	log []string
}

func (t *told) Logf(format string, args ...any)   { t.log = append(t.log, fmt.Sprintf(format, args...)) }
func (t *told) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

// TestSeed: a seed is new unless it is set, and what is logged sets the same one again.
func TestSeed(t *testing.T) {
	t.Setenv(Variable, "")
	logged := &told{TB: t}
	first, second := Of(logged), Of(logged)
	require.NotEqual(t, first, second)
	require.Equal(t, []string{fmt.Sprintf("HBASEKV_SEED=%d", first), fmt.Sprintf("HBASEKV_SEED=%d", second)}, logged.log)
	t.Setenv(Variable, fmt.Sprint(first))
	require.Equal(t, first, Of(logged))
	t.Setenv(Variable, "7 ")
	require.PanicsWithValue(t, `HBASEKV_SEED: strconv.ParseUint: parsing "7 ": invalid syntax`, func() { Of(logged) })
}
