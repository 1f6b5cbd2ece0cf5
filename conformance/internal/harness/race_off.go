//go:build !race

package harness

// RaceDetector tells whether this is a build with -race, in which allocations are others.
const RaceDetector = false
