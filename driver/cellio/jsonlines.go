package cellio

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"
)

// A line of JSONLines is an object such as
//
//	{"row":"u1","family":"info","qualifier":"name","timestamp":1,"value":"Ann"}
//
// The names of SQL (K, F, Q, T, V) are known too. Bytes that are not UTF-8 are {"base64":"/w=="} instead of a
// string. NULL is null; the family may be missing.

type jsonCell struct {
	Row       *jsonBytes `json:"row"`
	Family    string     `json:"family"`
	Qualifier *jsonBytes `json:"qualifier"`
	Timestamp *int64     `json:"timestamp"`
	Value     *jsonBytes `json:"value"`
}

// jsonColumns are the members of a line, under both their names.
type jsonColumns struct {
	jsonCell
	K *jsonBytes
	F string
	Q *jsonBytes
	T *int64
	V *jsonBytes
}

// cell is the line as a cell; the long names take precedence.
func (c *jsonColumns) cell() *jsonCell {
	out := &c.jsonCell
	out.Row, out.Qualifier, out.Value = cmp.Or(out.Row, c.K), cmp.Or(out.Qualifier, c.Q), cmp.Or(out.Value, c.V)
	out.Timestamp, out.Family = cmp.Or(out.Timestamp, c.T), cmp.Or(out.Family, c.F)
	return out
}

type jsonBytes []byte

type jsonBase64 struct {
	Base64 []byte `json:"base64"`
}

// MarshalJSON is not called for nil.
func (b jsonBytes) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	var err error
	if utf8.Valid(b) {
		err = enc.Encode(string(b))
	} else {
		err = enc.Encode(jsonBase64{b})
	}
	return out.Bytes(), err
}

func (b *jsonBytes) UnmarshalJSON(text []byte) error {
	if text[0] != '{' {
		var s string
		err := json.Unmarshal(text, &s)
		*b = append([]byte{}, s...)
		return err
	}
	var coded jsonBase64
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	err := dec.Decode(&coded)
	*b = append([]byte{}, coded.Base64...)
	return err
}

type jsonWriter struct {
	w   *bufio.Writer
	enc *json.Encoder
}

func newJSONWriter(w *bufio.Writer) *jsonWriter {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return &jsonWriter{w, enc}
}

func (w *jsonWriter) Write(c Cell) error {
	row, qualifier := jsonBytes(c.Row), jsonBytes(c.Qualifier)
	out := jsonCell{Row: &row, Family: c.Family, Qualifier: &qualifier, Timestamp: &c.Timestamp}
	if c.Value != nil {
		value := jsonBytes(c.Value)
		out.Value = &value
	}
	return w.enc.Encode(out)
}

func (w *jsonWriter) Close() error { return w.w.Flush() }

type jsonReader struct{ lineSource }

var errJSON = errors.New("a cell has row, qualifier, timestamp and value")

func (r *jsonReader) Read() (Cell, error) {
	for {
		line, err := r.next()
		if err != nil {
			return Cell{}, err
		}
		if strings.TrimSpace(line) == "" {
			continue
		}
		c, err := parseJSON(line)
		if err != nil {
			return Cell{}, r.bad("%v", err)
		}
		return c, nil
	}
}

func parseJSON(line string) (Cell, error) {
	var row jsonColumns
	dec := json.NewDecoder(strings.NewReader(line))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&row); err != nil {
		return Cell{}, err
	}
	in := row.cell()
	if dec.More() || in.Row == nil || in.Qualifier == nil || in.Timestamp == nil {
		return Cell{}, errJSON
	}
	c := Cell{Row: *in.Row, Family: in.Family, Qualifier: *in.Qualifier, Timestamp: *in.Timestamp}
	if in.Value != nil {
		c.Value = *in.Value
	}
	return c, nil
}
