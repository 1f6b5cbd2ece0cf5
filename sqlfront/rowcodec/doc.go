// Package rowcodec is how the rows of typed tables are cells and keys: bytes of which programs of HBase make
// the same values, and keys that sort as their columns do.
//
// The main types: [Encoding], which of HBase's encodings values have; [Cell], which converts a
// column's values to bytes and back; [Key], which does the same for the columns of a key, and finds the
// [Span] of the rows with certain values.
//
// The encodings are formats of stored data and never change.
//
// # Cells
//
//	                  Plain                  Text      Bytes (#b)            Ordered (#o)
//	TINYINT           1 byte                 digits    1 byte                int8
//	TINYINT(1), BOOL  1 byte                 digits    boolean, FF and 00    int8
//	SMALLINT          short                  digits    short                 int16
//	MEDIUMINT, INT    int                    digits    int                   int32
//	BIGINT            long                   digits    long                  int64
//	UNSIGNED          the same bytes         digits    the same bytes        the next width, BIGINT numeric
//	YEAR              short                  digits    short                 int16
//	BIT(n)            (n+7)/8 bytes          digits    long                  numeric
//	FLOAT, DOUBLE     float, double          digits    float, double         float32, float64
//	DECIMAL           text                   text      BigDecimal            numeric
//	DATE, DATETIME    text                   text      long of milliseconds  int64 of milliseconds
//	TIMESTAMP         text, in UTC           in UTC    long of milliseconds  int64 of milliseconds
//	TIME              text                   text      long of milliseconds  int64 of milliseconds
//	ENUM, SET         the members' text      text      text                  string
//	JSON, text        text                   text      text                  string
//	BINARY, BLOB      bytes                  bytes     bytes                 blob
//
// Milliseconds count from 1970 in UTC, whatever the session's time zone. Dates and times of plain tables are
// text, which is read as fast as milliseconds, has zero dates and microseconds, and is readable in the
// table's cells; so is DECIMAL, whose text is read faster than a BigDecimal.
//
// # Keys
//
// In plain keys integers have their sign bit flipped, floats are as in OrderedBytes, DECIMAL is OrderedBytes'
// numeric, a DATE has 3 bytes and a DATETIME and a TIMESTAMP 8 of the packed fields, a TIME 8 of
// microseconds, ENUM 2 bytes of the member's number and SET 8 of bits. BINARY has its length. Texts and
// VARBINARY are their bytes; if they are not last, zero bytes are escaped (00 FF) and 00 00 is the end. Texts
// of collations in which different texts are equal are weights.
//
// A weight has two bytes; those of a collation without padding have a zero weight after each level. In
// utf8mb4_general_ci a weight is the UTF-8 of the character with that number, or FF and the byte if that is
// invalid. In utf8mb4_bin, which pads texts in indexes, it is the byte.
//
// In collations that pad texts with spaces, a text ends after the last character that is not a space, and the
// bytes of a run of spaces depend on what follows it. If weights have two bytes, those greater than the weight
// of a space are moved up, which leaves first bytes for these runs:
//
//	                                      general_ci, bin    unicode_ci, unicode_520_ci
//	a weight less than a space            itself             itself
//	 1C to 1F                             1C and itself
//	n spaces, then less than a space      1D and n           03 and n
//	the end                               1E                 04
//	n spaces, then more, n > 1            1F and inverted n  05 and inverted n
//	a space, then more                    20                 06
//	a weight greater than a space         itself             itself plus 0500, from 8000 on itself
//
// n is a varuint as in OrderedBytes. So words with a space between them are their letters and the space.
//
// Keys of stores of earlier formats (without [Part].UTF8) have longer weights of these collations: three bytes
// in utf8mb4_general_ci, and a run of spaces is one of them and what follows it: 02 for the end of the text; 01
// and the number of spaces if the next weight is less than a space; 03 and the number with inverted bits if it
// is more. The number has four bytes.
//
// In mapped keys all parts except the last that have no fixed length and are not OrderedBytes end with the
// separator. A key is only read if its bytes are those that its values are written as: 007 is not a row of an
// INT in Text, since it would not be found by 7.
package rowcodec
