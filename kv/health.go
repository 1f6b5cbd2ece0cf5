package kv

// Health is how a store's files fare.
type Health struct {
	// Err is why writes are refused at present, nil where they are not.
	Err error
	// Failures counts the faults after which the store had to be opened again, Reopened
	// how often that has been done.
	Failures, Reopened uint64
}

// HealthReader is a Store that can tell whether it takes writes. It answers at once.
type HealthReader interface {
	Health() Health
}
