package lex

import "strings"

// Kind is the kind of a token.
type Kind uint8

const (
	EOF        Kind = iota
	Word            // an unquoted name or keyword
	Quoted          // a `quoted` name, or the DEFAULT of default.t
	String          // 'text' or "text"
	Introduced      // a charset introducer with its string: N'..', _utf8'..', _binary X'..'
	Hex             // X'00' or 0x00
	Bit             // b'01' or 0b01
	Int             // digits
	Float           // 1.5, .5, 1e3
	Param           // ?
	UserVar         // @name, @`name`, @'name'
	Op              // punctuation
	HintBegin       // /*+ after SELECT, INSERT, UPDATE, DELETE or REPLACE
	HintEnd         // the */ of hints
	Bad             // what MySQL's lexer refuses
)

// Token is a piece of the text, [start, end) in bytes. It holds no pointers: texts have many tokens, and
// writing pointers costs more.
type Token struct {
	Kind Kind
	// Slot is the number of a literal token among those of the text.
	Slot       int32
	Start, End int
	// N is the placeholder's number, the index of the closing parenthesis for an opening one (-1 for none),
	// the start of the string after an introducer, or for a Bad token the index of what was expected.
	N int
}

// reserved holds MySQL 5.7's reserved words, in lower case: an unquoted name can be one of them only after a
// dot
// (https://dev.mysql.com/doc/refman/5.7/en/keywords.html).
var reserved = func() map[string]bool {
	words := strings.Fields(`
accessible add all alter analyze and as asc asensitive before between bigint
binary blob both by call cascade case change char character check collate
column condition constraint continue convert create cross current_date
current_time current_timestamp current_user cursor database databases day_hour
day_microsecond day_minute day_second dec decimal declare default delayed
delete desc describe deterministic distinct distinctrow div double drop dual
each else elseif enclosed escaped exists exit explain false fetch float float4
float8 for force foreign from fulltext generated get grant group having
high_priority hour_microsecond hour_minute hour_second if ignore in index
infile inner inout insensitive insert int int1 int2 int3 int4 int8 integer
interval into io_after_gtids io_before_gtids is iterate join key keys kill
leading leave left like limit linear lines load localtime localtimestamp lock
long longblob longtext loop low_priority master_bind
master_ssl_verify_server_cert match maxvalue mediumblob mediumint mediumtext
middleint minute_microsecond minute_second mod modifies natural not
no_write_to_binlog null numeric on optimize optimizer_costs option optionally
or order out outer outfile partition precision primary procedure purge range
read reads read_write real references regexp release rename repeat replace
require resignal restrict return revoke right rlike schema schemas
second_microsecond select sensitive separator set show signal smallint spatial
specific sql sqlexception sqlstate sqlwarning sql_big_result
sql_calc_found_rows sql_small_result ssl starting stored straight_join table
terminated then tinyblob tinyint tinytext to trailing trigger true undo union
unique unlock unsigned update usage use using utc_date utc_time utc_timestamp
values varbinary varchar varcharacter varying virtual when where while with
write xor year_month zerofill`)
	set := make(map[string]bool, len(words))
	for _, w := range words {
		set[w] = true
	}
	return set
}()

const longestReserved = len("master_ssl_verify_server_cert")

// IsReserved reports whether a word is reserved, ignoring case. It allocates nothing.
func IsReserved(word string) bool {
	if len(word) > longestReserved {
		return false
	}
	var lower [longestReserved]byte
	for i := range len(word) {
		lower[i] = LowerASCII(word[i])
	}
	return reserved[string(lower[:len(word)])]
}

// LowerASCII turns the letters A to Z into lower case, and returns any other byte as it is.
func LowerASCII(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// wordIs compares an unquoted word with a keyword, given in upper case.
func wordIs(word, keyword string) bool {
	if len(word) != len(keyword) {
		return false
	}
	for i := range len(word) {
		c := word[i]
		if 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
		}
		if c != keyword[i] {
			return false
		}
	}
	return true
}
