// Package wire writes and reads values as they are in MySQL's protocol
// (https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_command_phase.html).
//
// The main types: [Column] says how a column's values are sent, [Type] is its number, and
// [Encoding] is a character set in which texts are sent. [AppendText] and [AppendBinary] write rows
// in the two protocols, and [ReadArguments] reads the arguments of a statement.
//
// Errors in what a client has sent are MySQL's: 1835 for a malformed packet, 1153 for an argument
// that is too long. What is read shares the packet's memory.
package wire
