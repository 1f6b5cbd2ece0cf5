package crypt

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/subtle"
)

// encrypt and decrypt are the two directions.
func encrypt() (string, crypter) {
	return "aes_encrypt", func(c *aesCall, block cipher.Block, text []byte) ([]byte, bool, error) {
		if c.streams() {
			out, err := c.stream(block, text, false)
			return out, true, err
		}
		size := len(text)/aes.BlockSize*aes.BlockSize + aes.BlockSize
		out := append(make([]byte, 0, size), text...)
		out = append(out, bytes.Repeat([]byte{byte(size - len(text))}, size-len(text))...)
		return out, true, c.inBlocks(out, func(at []byte) {
			if c.mode == "cbc" {
				subtle.XORBytes(at, at, c.iv)
			}
			block.Encrypt(at, at)
			if c.mode == "cbc" {
				c.iv = at
			}
		})
	}
}

func decrypt() (string, crypter) {
	return "aes_decrypt", func(c *aesCall, block cipher.Block, text []byte) ([]byte, bool, error) {
		if c.streams() {
			out, err := c.stream(block, text, true)
			return out, true, err
		}
		if len(text) == 0 || len(text)%aes.BlockSize != 0 {
			return nil, false, nil
		}
		out := bytes.Clone(text)
		err := c.inBlocks(out, func(at []byte) {
			block.Decrypt(at, at)
			if c.mode == "cbc" {
				subtle.XORBytes(at, at, c.iv)
				c.iv, text = text[:aes.BlockSize], text[aes.BlockSize:]
			}
		})
		out, ok := unpadded(out)
		return out, ok, err
	}
}

// unpadded removes the padding to whole blocks; ok is false if it is invalid.
func unpadded(b []byte) (_ []byte, ok bool) {
	n := int(b[len(b)-1])
	if n < 1 || n > aes.BlockSize {
		return nil, false
	}
	rest, padding := b[:len(b)-n], b[len(b)-n:]
	return rest, bytes.Count(padding, padding[:1]) == n
}

// inBlocks calls f with each block of b.
func (c *aesCall) inBlocks(b []byte, f func(at []byte)) error {
	for ; len(b) > 0; b = b[aes.BlockSize:] {
		f(b[:aes.BlockSize])
		if err := c.env.Step(aes.BlockSize); err != nil {
			return err
		}
	}
	return nil
}

// streams reports whether the result has the same length as the text in this mode.
func (c *aesCall) streams() bool { return c.mode != "ecb" && c.mode != "cbc" }

// stream XORs the encrypted vector with a text, segment by segment, and appends to the vector a segment of
// the ciphertext or, in ofb, of the encrypted vector.
func (c *aesCall) stream(block cipher.Block, text []byte, decrypts bool) ([]byte, error) {
	out, pad, vector := make([]byte, len(text)), make([]byte, aes.BlockSize), bytes.Clone(c.iv)
	segment := aes.BlockSize
	switch c.mode {
	case "cfb1":
		return out, c.streamBits(block, out, text, decrypts)
	case "cfb8":
		segment = 1
	}
	for at := 0; at < len(text); at += segment {
		end := min(at+segment, len(text))
		block.Encrypt(pad, vector)
		subtle.XORBytes(out[at:end], text[at:end], pad)
		fed := pad[:segment]
		switch {
		case c.mode == "ofb":
		case decrypts:
			fed = text[at:end]
		default:
			fed = out[at:end]
		}
		copy(vector, vector[len(fed):])
		copy(vector[len(vector)-len(fed):], fed)
		if err := c.env.Step(aes.BlockSize); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// streamBits is stream for segments of one bit.
func (c *aesCall) streamBits(block cipher.Block, out, text []byte, decrypts bool) error {
	pad, vector := make([]byte, aes.BlockSize), bytes.Clone(c.iv)
	for i := range 8 * len(text) {
		at, shift := i/8, 7-i%8
		block.Encrypt(pad, vector)
		in := text[at] >> shift & 1
		made := in ^ pad[0]>>7
		out[at] |= made << shift
		if decrypts {
			made = in
		}
		shiftIn(vector, made)
		if err := c.env.Step(aes.BlockSize); err != nil {
			return err
		}
	}
	return nil
}

// shiftIn appends a bit to a vector.
func shiftIn(vector []byte, bit byte) {
	for i := range vector {
		next := bit
		if i+1 < len(vector) {
			next = vector[i+1] >> 7
		}
		vector[i] = vector[i]<<1 | next
	}
}
