package value

// NewLarge makes an exact number in package decimal's form, whatever it is.
var NewLarge = newLarge
