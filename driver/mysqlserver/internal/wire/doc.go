// Package wire writes and reads values as they are in MySQL's protocol
// (https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_command_phase.html).
//
// The types that matter: [Column], how a column's values are sent, and [Type], its number;
// [Encoding], a character set that texts are sent in. [AppendText] and [AppendBinary] write rows of
// the two protocols, [ReadArguments] reads what a client executes a statement with.
//
// Errors of what a client has sent are MySQL's: 1835 for a malformed packet, 1153 for an
// argument that is too long. What is read shares the packet's memory.
package wire
