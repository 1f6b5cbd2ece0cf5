// Package packet is the framing of MySQL's protocol: packets with their sequence numbers, compressed
// ones, and the fields within
// (https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_basics.html).
package packet
