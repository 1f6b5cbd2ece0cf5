// Package fileformat names the formats of files that are loaded and exported, and finds the format
// of a file by its name or its first bytes.
package fileformat
