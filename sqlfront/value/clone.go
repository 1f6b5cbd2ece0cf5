package value

// AppendClone is the value with its bytes copied to the end of buf, and the
// longer buf; where buf has the capacity, nothing is allocated. The value's
// bytes are those of buf, with no capacity behind them.
func (v Value) AppendClone(buf []byte) (Value, []byte) {
	b := v.Raw()
	if len(b) == 0 {
		return v, buf
	}
	start := len(buf)
	buf = append(buf, b...)
	return v.withBytes(buf[start:]), buf
}
