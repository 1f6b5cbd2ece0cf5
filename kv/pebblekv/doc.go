// Package pebblekv keeps tables in one Pebble store.
package pebblekv
