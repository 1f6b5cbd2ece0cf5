package value

// Packed is a value whose bytes are kept elsewhere, without a pointer that the garbage collector would
// follow: two thirds of a Value's size. If the value IsApart, its packer may use Number and Length; it may
// always use Mark.
type Packed struct {
	Number uint64
	Length uint32
	kind   Kind
	aux    uint8
	Mark   uint8
	apart  bool
}

// Pack packs a value. If that IsApart, the caller must keep its bytes or digits.
func Pack(v Value) Packed {
	return Packed{Number: v.n, Length: uint32(uint16(v.exponent)), kind: v.kind, aux: v.aux, apart: v.isLarge() || v.hasBytes()}
}

// Kind is the value's.
func (p Packed) Kind() Kind { return p.kind }

// IsApart reports whether the value has bytes or digits besides its number.
func (p Packed) IsApart() bool { return p.apart }

// Value is the packed value, which must not be IsApart.
func (p Packed) Value() Value {
	return Value{head: head{kind: p.kind, aux: p.aux, exponent: int16(p.Length)}, n: p.Number}
}

// With is the packed value with these bytes, to which it refers.
func (p Packed) With(b []byte) Value { return Value{head: head{kind: p.kind, aux: p.aux}}.withBytes(b) }
