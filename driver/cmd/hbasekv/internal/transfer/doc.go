// Package transfer is the command that copies tables from store to store and compares them.
package transfer
