package wire

import (
	"strconv"

	"github.com/hbasekv/hbasekv/driver/mysqlserver/internal/packet"
	"github.com/hbasekv/hbasekv/sqlfront/answers"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// AppendText appends a row in the text protocol.
func AppendText(b []byte, columns []Column, row []value.Value) []byte {
	for i := range row {
		switch v := &row[i]; {
		case v.IsNull():
			b = append(b, packet.NullValue)
		case v.IsString() || v.Kind() == value.JSON:
			b = packet.AppendString(b, columns[i].convert(v.Raw()))
		default:
			b = columns[i].appendShort(b, v)
		}
	}
	return b
}

// appendShort appends a value that is neither a string nor a document: its text, which is short, or
// a BIT's bytes.
func (w *Column) appendShort(b []byte, v *value.Value) []byte {
	at := len(b)
	b = append(b, 0)
	if w.Type == typeBit {
		b = value.AppendBits(b, int(w.Length), v.AsUint())
	} else {
		b = v.AppendText(b)
	}
	b[at] = byte(len(b) - at - 1)
	return b
}

// AppendTextCell is AppendText for a row that is a cell.
func AppendTextCell(b []byte, places []answers.Place, cell *answers.Cell) []byte {
	for _, place := range places {
		switch {
		case place == answers.InRow:
			b = packet.AppendString(b, cell.Row)
		case place == answers.InQualifier:
			b = packet.AppendString(b, cell.Qualifier)
		case place == answers.InTimestamp:
			at := len(b)
			b = strconv.AppendInt(append(b, 0), cell.Timestamp, 10)
			b[at] = byte(len(b) - at - 1)
		case cell.Value == nil:
			b = append(b, packet.NullValue)
		default:
			b = packet.AppendString(b, cell.Value)
		}
	}
	return b
}
