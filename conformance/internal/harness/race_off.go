//go:build !race

package harness

// RaceDetector reports whether this is a build with -race, whose allocations differ.
const RaceDetector = false
