//go:build !race

package mysqlserver

const raceDetector = false
