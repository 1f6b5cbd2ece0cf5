package driver

import (
	"reflect"
	"strings"
	"time"
)

// Clock is a store's clock. Many goroutines call Now at once.
type Clock interface{ Now() time.Time }

// FixedClock is a clock that stands still.
type FixedClock struct{ At time.Time }

// Now always returns At.
func (c FixedClock) Now() time.Time { return c.At }

// OffsetClock is the machine's clock, moved by a duration.
type OffsetClock struct{ By time.Duration }

// Now is the machine's time plus the offset.
func (c OffsetClock) Now() time.Time { return time.Now().Add(c.By) }

const clockWanted = "a moment as in 2024-05-06T07:08:09Z is needed, or an offset as in +1h or -24h"

// setClock reads a fixed time or, if the value has a sign, an offset.
func setClock(cfg *Config, value string) error {
	if strings.HasPrefix(value, "+") || strings.HasPrefix(value, "-") {
		by, err := time.ParseDuration(value)
		if err != nil {
			return badValue("clock", value, clockWanted)
		}
		cfg.Clock = OffsetClock{by}
		return nil
	}
	at, err := time.Parse(time.RFC3339Nano, value)
	if err != nil {
		return badValue("clock", value, clockWanted)
	}
	cfg.Clock = FixedClock{at.UTC()}
	return nil
}

// formatClock is empty for a clock that only Go code can make.
func formatClock(cfg *Config) string {
	switch c := cfg.Clock.(type) {
	case FixedClock:
		return c.At.UTC().Format(time.RFC3339Nano)
	case OffsetClock:
		if c.By < 0 {
			return c.By.String()
		}
		return "+" + c.By.String()
	}
	return ""
}

func clockFunc(c Clock) func() time.Time {
	if c == nil {
		return nil
	}
	return c.Now
}

// same is false for values that cannot be compared.
func same(a, b any) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return reflect.ValueOf(a).Comparable() && a == b
}
