package kv

// Health is the state of a store's files.
type Health struct {
	// Err is the reason why writes are refused now, or nil.
	Err error
	// Failures counts the faults after which the store had to be reopened, Reopened how
	// often that has succeeded.
	Failures, Reopened uint64
}

// HealthReader is a Store that reports whether it accepts writes. It does not block.
type HealthReader interface {
	Health() Health
}
