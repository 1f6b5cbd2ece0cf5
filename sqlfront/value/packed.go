package value

// Packed is a value whose bytes are kept elsewhere, without a pointer that a collector would have
// to follow: two thirds of a Value's size. The packer of a value that IsApart may use its Number
// and Length for its own; Mark always is free.
type Packed struct {
	Number uint64
	Length uint32
	kind   Kind
	aux    uint8
	Mark   uint8
	apart  bool
}

// Pack packs a value. Where that IsApart, its bytes or digits are to be kept by the caller.
func Pack(v Value) Packed {
	return Packed{Number: v.n, Length: uint32(uint16(v.exponent)), kind: v.kind, aux: v.aux, apart: v.isLarge() || v.hasBytes()}
}

// Kind is the value's.
func (p Packed) Kind() Kind { return p.kind }

// IsApart reports whether the value has bytes or digits beside its number.
func (p Packed) IsApart() bool { return p.apart }

// Value is the value that was packed, one that is not IsApart.
func (p Packed) Value() Value {
	return Value{head: head{kind: p.kind, aux: p.aux, exponent: int16(p.Length)}, n: p.Number}
}

// With is the value that was packed, one of these bytes, which it refers to.
func (p Packed) With(b []byte) Value { return Value{head: head{kind: p.kind, aux: p.aux}}.withBytes(b) }
