// Package jsondoc registers MySQL's functions of JSON
// (https://dev.mysql.com/doc/refman/8.0/en/json-functions.html) and reads, changes and writes their
// documents: a [Document] is one.
package jsondoc
