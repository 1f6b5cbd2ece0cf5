package coltype

import (
	"fmt"
	"unicode/utf8"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// conversion is the conversion of one value for a column.
type conversion struct {
	*Column
	w *Writing
}

// converterOf is the function that converts a value that is not NULL to a type.
func converterOf(b Base) func(conversion, value.Value) (value.Value, error) {
	switch {
	case b.IsInteger():
		return conversion.integer
	case b.IsFloat():
		return conversion.float
	case b == Decimal:
		return conversion.decimal
	case b.IsText():
		return conversion.text
	case b.IsBytes():
		return conversion.bytes
	}
	return map[Base]func(conversion, value.Value) (value.Value, error){
		Bit: conversion.bits, Date: conversion.date, Time: conversion.time, DateTime: conversion.dateTime,
		Timestamp: conversion.timestamp, Year: conversion.year, Enum: conversion.enum, Set: conversion.set,
		JSON: conversion.json}[b]
}

// warn adds a warning, or in strict mode returns an error; both end with the value's position.
func (c conversion) warn(n mysqlerr.Number, what string) error {
	return c.w.Env.Warn(n, what+c.place())
}

func (c conversion) place() string {
	return fmt.Sprintf(" for column '%s' at row %d", c.Name, c.w.Row)
}

// outOfRange is error 1264, with the nearest value that the column holds.
func (c conversion) outOfRange(nearest value.Value) (value.Value, error) {
	return nearest, c.warn(mysqlerr.WarnDataOutOfRange, "Out of range value")
}

// truncated is error 1265 for a value of which a part was not read.
func (c conversion) truncated(v value.Value) (value.Value, error) {
	return v, c.warn(mysqlerr.WarnDataTruncated, "Data truncated")
}

// incorrect is error 1366 for a text that is not a value of the kind.
func (c conversion) incorrect(kind string, given, instead value.Value) (value.Value, error) {
	return instead, c.warn(mysqlerr.TruncatedWrongForField, "Incorrect "+kind+" value: '"+quoted(given)+"'")
}

// quoted is a value for a message: bytes that are not text are escaped.
func quoted(v value.Value) string {
	b := v.Short().AsBytes()
	if utf8.Valid(b) && v.Kind() != value.Bytes {
		return string(b)
	}
	return escaped(b)
}

// lost adds a note, also in strict mode, about a lost part that does not matter much: further digits of a
// DECIMAL, trailing spaces, the time of day of a date.
func (c conversion) lost(v value.Value) (value.Value, error) {
	s := c.w.Env.Session
	if s != nil && s.AddNote != nil && !c.w.Quiet {
		s.AddNote(uint16(mysqlerr.WarnDataTruncated), "Data truncated"+c.place())
	}
	return v, nil
}
