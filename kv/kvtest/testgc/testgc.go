// Package testgc has the tests of a package collect garbage seldom.
package testgc

import "runtime/debug"

// Seldom is for TestMain. Most of what tests allocate is garbage at once: those of kv/index take 14 s of processor time
// in place of 22, and those of sqlfront 9 in place of 15 (-test.short, 2026-11-29). The limit is for tests that keep
// much.
func Seldom() {
	debug.SetGCPercent(400)
	debug.SetMemoryLimit(1 << 30)
}
