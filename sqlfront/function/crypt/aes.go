package crypt

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/pbkdf2"
	"crypto/sha512"
	"crypto/subtle"
	"strconv"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// AES (https://dev.mysql.com/doc/refman/8.0/en/encryption-functions.html#function_aes-encrypt).
func init() {
	function.Register(map[string]*function.Function{
		"AES_ENCRYPT": aesFunction(encrypt),
		"AES_DECRYPT": aesFunction(decrypt),
	})
}

func aesFunction(f func() (string, crypter)) *function.Function {
	return &function.Function{Min: 2, Max: 6, Type: function.Maybe(value.Bytes), Nulls: true, Eval: evalAES(f), Bytes: function.AllArgs,
		Session: true}
}

// BlockEncryptionMode is the session variable with the mode of AES; BlockModes are its values, by their
// numbers.
const BlockEncryptionMode = "block_encryption_mode"

var BlockModes = blockModes()

func blockModes() (out []string) {
	for _, mode := range []string{"ecb", "cbc", "cfb1", "cfb8", "cfb128", "ofb"} {
		for _, bits := range []string{"128", "192", "256"} {
			out = append(out, "aes-"+bits+"-"+mode)
		}
	}
	return out
}

// aesCall is a call of one of the functions.
type aesCall struct {
	env  *function.Env
	name string
	mode string // ecb, ...
	size int    // of the key, in bytes
	iv   []byte
}

// crypter computes the result for text; ok is false if it is NULL.
type crypter func(c *aesCall, block cipher.Block, text []byte) (out []byte, ok bool, err error)

func evalAES(f func() (string, crypter)) function.Eval {
	name, crypt := f()
	return func(env *function.Env, args []value.Value) (value.Value, error) {
		c := &aesCall{env: env, name: name}
		if err := c.read(args); err != nil || args[0].IsNull() || args[1].IsNull() {
			return value.Value{}, err
		}
		key, err := c.key(args)
		if err != nil {
			return value.Value{}, err
		}
		block, err := aes.NewCipher(key)
		if err != nil {
			return value.Value{}, err
		}
		out, ok, err := crypt(c, block, args[0].AsBytes())
		if !ok || err != nil {
			return value.Value{}, err
		}
		return value.NewBytes(out), nil
	}
}

// read takes the mode from the session and the initialization vector from the third argument. The error is
// 1582 if it is missing and 1882 if it is too short; an unused one is a warning.
func (c *aesCall) read(args []value.Value) error {
	mode := BlockModes[0]
	if s := c.env.Info(); s.Variable != nil {
		v, err := s.Variable("", BlockEncryptionMode)
		if err != nil {
			return err
		}
		mode = v.String()
	}
	part := strings.Split(mode, "-")
	bits, _ := strconv.Atoi(part[1]) // a number, as in BlockModes
	c.size, c.mode = bits/8, part[2]
	switch {
	case c.mode == "ecb" && len(args) > 2:
		return c.env.Note(mysqlerr.OptionIgnored, "<IV> option ignored")
	case c.mode == "ecb":
		return nil
	case len(args) < 3:
		return function.WrongCount(c.name)
	}
	if c.iv = args[2].AsBytes(); len(c.iv) < aes.BlockSize {
		return mysqlerr.New(mysqlerr.AESInvalidIV,
			"The initialization vector supplied to %s is too short. Must be at least %d bytes long", c.name, aes.BlockSize)
	}
	c.iv = c.iv[:aes.BlockSize]
	return nil
}

// key makes a key of the right size from the password by XORing its bytes, unless the fourth argument names a
// key derivation function.
func (c *aesCall) key(args []value.Value) ([]byte, error) {
	password := args[1].AsBytes()
	if len(args) < 4 {
		key := make([]byte, c.size)
		for len(password) > 0 {
			n := subtle.XORBytes(key, key, password)
			password = password[n:]
		}
		return key, c.env.Step(len(args[1].Raw()))
	}
	salt, err := kdfOption(args, 4)
	if err != nil {
		return nil, err
	}
	switch args[3].String() {
	case "hkdf":
		info, err := kdfOption(args, 5)
		if err != nil {
			return nil, err
		}
		return hkdf.Key(sha512.New, password, salt, string(info), c.size)
	case "pbkdf2_hmac":
		return c.stretched(args, password, salt)
	}
	return nil, mysqlerr.New(mysqlerr.AESInvalidKDFName,
		"KDF method name is not valid. Please use hkdf or pbkdf2_hmac method name")
}

// maxKDFOption is the maximum length of an option of a key derivation, in bytes.
const maxKDFOption = 255

// kdfOption is an argument, empty if it is missing; the error is 3238 for NULL and for one that is too long.
func kdfOption(args []value.Value, i int) ([]byte, error) {
	if len(args) <= i {
		return nil, nil
	}
	b := args[i].AsBytes()
	if args[i].IsNull() || len(b) > maxKDFOption {
		return nil, mysqlerr.New(mysqlerr.AESInvalidKDFOptionSize,
			"KDF option size is invalid, please provide valid size < %d bytes and not NULL", maxKDFOption+1)
	}
	return b, nil
}

// The iterations of pbkdf2_hmac, and the approximate cost of one in units of work.
const (
	leastIterations = 1000
	mostIterations  = 65535
	iterationUnits  = 512
)

func (c *aesCall) stretched(args []value.Value, password, salt []byte) ([]byte, error) {
	iterations := leastIterations
	if len(args) > 5 {
		text, err := kdfOption(args, 5)
		if err != nil {
			return nil, err
		}
		n, _ := value.ParseInt(text)
		if n < leastIterations || n > mostIterations {
			return nil, mysqlerr.New(mysqlerr.AESInvalidKDFIterations,
				"KDF iterations value is not valid. Please use value between %d and %d", leastIterations, mostIterations)
		}
		iterations = int(n)
	}
	if err := c.env.Step(iterationUnits * iterations); err != nil {
		return nil, err
	}
	return pbkdf2.Key(sha512.New, string(password), salt, iterations, c.size)
}
