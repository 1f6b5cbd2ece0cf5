// Package wire turns HBase's messages into the operations of package rowapi, and their results into
// messages. The messages are gohbase's, which are HBase 1.3's: what HBase 2 adds to them is read and
// written as unknown fields (fields.go).
package wire
