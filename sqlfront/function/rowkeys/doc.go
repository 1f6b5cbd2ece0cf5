// Package rowkeys registers functions of row keys and of the bytes that HBase's clients write: numbers as
// Bytes.toBytes has them, salts, hashes and times that sort.
package rowkeys
