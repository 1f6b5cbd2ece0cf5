package values

import (
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"time"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// maxPointers is the maximum number of pointers and Valuers on the way to an
// argument: one can lead to itself.
const maxPointers = 10

// CheckArg returns an argument as the statement will see it: nil, int64, uint64,
// float64, bool, string, []byte or time.Time, which Binder.Bind accepts. pointers is
// how many pointers and Valuers were followed so far. It fails with a Valuer's error,
// or if the type is not supported.
func CheckArg(v any, pointers int) (any, error) {
	if pointers > maxPointers {
		return nil, fmt.Errorf("more than %d pointers lead to the argument", maxPointers)
	}
	switch v := v.(type) {
	case nil, int64, uint64, float64, bool, string, []byte, time.Time:
		return v, nil
	case json.RawMessage:
		return nullOrBytes(v), nil
	case sql.Null[uint64]: // its own Value refuses the high bit
		if !v.Valid {
			return nil, nil
		}
		return v.V, nil
	case driver.Valuer:
		return checkValuer(v, pointers)
	}
	return checkReflect(reflect.ValueOf(v), pointers)
}

// checkValuer calls a Valuer. A nil pointer whose Value method has a value
// receiver is NULL, as in database/sql.
func checkValuer(v driver.Valuer, pointers int) (any, error) {
	rv := reflect.ValueOf(v)
	if rv.Kind() == reflect.Pointer && rv.IsNil() && rv.Type().Elem().Implements(valuerType) {
		return nil, nil
	}
	inner, err := v.Value()
	if err != nil {
		return nil, err
	}
	if _, again := inner.(driver.Valuer); again {
		return nil, fmt.Errorf("the Value method of %T returns another driver.Valuer, %T", v, inner)
	}
	return CheckArg(inner, pointers+1)
}

var valuerType = reflect.TypeFor[driver.Valuer]()

func checkReflect(rv reflect.Value, pointers int) (any, error) {
	switch rv.Kind() {
	case reflect.Pointer:
		if rv.IsNil() {
			return nil, nil
		}
		return CheckArg(rv.Elem().Interface(), pointers+1)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return rv.Int(), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return rv.Uint(), nil
	case reflect.Float32, reflect.Float64:
		return rv.Float(), nil
	case reflect.Bool:
		return rv.Bool(), nil
	case reflect.String:
		return rv.String(), nil
	case reflect.Slice:
		if rv.Type().Elem().Kind() == reflect.Uint8 {
			return nullOrBytes(rv.Bytes()), nil
		}
	}
	return nil, fmt.Errorf("the type %s cannot be an argument: pass a number, a string, []byte, bool, time.Time or a driver.Valuer", rv.Type())
}

// nullOrBytes is b without its named type, or NULL if b is nil.
func nullOrBytes(b []byte) any {
	if b == nil {
		return nil
	}
	return b
}

// Binder makes SQL values of arguments. Strings become text in the binder's
// memory; byte slices become binary strings, which refer to the caller's bytes
// unless Outlives is set.
type Binder struct {
	Times  Times
	values []value.Value
	text   []byte // of the strings and, if Outlives is set, of the byte slices
	// Outlives says that the values are read after the call has returned, when
	// the caller may have reused its memory.
	Outlives bool
	// Few and short arguments are stored here.
	inlineValues [2 + fewLiterals]value.Value
	inlineText   [64]byte
}

// fewLiterals is how many values a session may append to a binder's in place:
// the literals of a statement that also has placeholders.
const fewLiterals = 4

// Bind returns the values, which are valid until the next call. A named argument,
// one of an unsupported type and a number that SQL does not have give 1210.
func (b *Binder) Bind(args []driver.NamedValue) ([]value.Value, error) {
	if len(args) == 0 {
		return nil, nil
	}
	if b.values == nil {
		b.values, b.text = b.inlineValues[:0], b.inlineText[:0]
	}
	b.values, b.text = slices.Grow(b.values[:0], len(args)+fewLiterals)[:len(args)], b.text[:0]
	for i := range args {
		arg := &args[i]
		if arg.Name != "" {
			return nil, mysqlerr.New(mysqlerr.WrongArguments,
				"Incorrect arguments to EXECUTE: named arguments such as '%s' are not supported; write ? and pass the values in order", arg.Name)
		}
		v, err := b.value(arg.Value)
		if err != nil {
			return nil, err
		}
		b.values[i] = v
	}
	return b.values, nil
}

// maxKeptText is how much memory for text an idle connection keeps, in bytes.
const maxKeptText = 64 << 10

// Release drops the caller's bytes, and the memory of long texts.
func (b *Binder) Release() {
	clear(b.values)
	if cap(b.text) > maxKeptText {
		b.text = nil
	}
}

// string and bytes append to b.text; when that is reallocated, earlier values keep the
// old memory.
func (b *Binder) string(s string) value.Value {
	if s == "" {
		return value.NewText([]byte{}) // never nil, whatever b.text is
	}
	start := len(b.text)
	b.text = append(b.text, s...)
	return value.NewText(b.text[start:len(b.text):len(b.text)])
}

func (b *Binder) bytes(v []byte) value.Value {
	if !b.Outlives || len(v) == 0 {
		return value.NewBytes(v)
	}
	start := len(b.text)
	b.text = append(b.text, v...)
	return value.NewBytes(b.text[start:len(b.text):len(b.text)])
}

func (b *Binder) value(v any) (value.Value, error) {
	switch v := v.(type) {
	case nil:
		return value.Value{}, nil
	case int64:
		return value.NewInt(v), nil
	case uint64:
		return value.NewUint(v), nil
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return value.Value{}, mysqlerr.New(mysqlerr.WrongArguments, "Incorrect arguments to EXECUTE: SQL has no number %v", v)
		}
		return value.NewFloat(v), nil
	case bool:
		return value.NewBool(v), nil
	case string:
		return b.string(v), nil
	case []byte:
		if v == nil {
			return value.Value{}, nil
		}
		return b.bytes(v), nil
	case time.Time:
		return b.Times.bind(v)
	}
	checked, err := CheckArg(v, 0)
	if err != nil {
		return value.Value{}, mysqlerr.New(mysqlerr.WrongArguments, "Incorrect arguments to EXECUTE: %v", err)
	}
	return b.value(checked)
}
