//go:build !race

package pebblekv

const raceDetector = false
