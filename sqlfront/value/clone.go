package value

// AppendClone copies the value's bytes to the end of buf, and returns the copy and the longer buf. If buf has
// the capacity, nothing is allocated. The value's bytes are those of buf, without spare capacity.
func (v Value) AppendClone(buf []byte) (Value, []byte) {
	b := v.Raw()
	if len(b) == 0 {
		return v, buf
	}
	start := len(buf)
	buf = append(buf, b...)
	return v.withBytes(buf[start:]), buf
}
