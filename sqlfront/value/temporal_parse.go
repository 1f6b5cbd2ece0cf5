package value

// ParseDateTime reads a string or number as a date with time.
func ParseDateTime(v Value) (Value, bool) { return Value{}, false }

// ParseTime reads a string or number as a time.
func ParseTime(v Value) (Value, bool) { return Value{}, false }
