// Package crypt registers MySQL's functions that hash, encrypt and compress
// (https://dev.mysql.com/doc/refman/5.7/en/encryption-functions.html), and those of UUIDs.
package crypt
