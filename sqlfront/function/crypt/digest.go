package crypt

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"hash"
	"hash/crc32"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/cancelcheck"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Digests (https://dev.mysql.com/doc/refman/5.7/en/encryption-functions.html).
func init() {
	function.Register(map[string]*function.Function{
		"MD5":      {Min: 1, Max: 1, Type: function.Maybe(value.Text), Eval: evalMD5, Bytes: 1},
		"PASSWORD": {Min: 1, Max: 1, Type: function.Fixed(value.Text), Nulls: true, Eval: evalPassword, Bytes: 1},
		"SHA1":     {Min: 1, Max: 1, Type: function.Maybe(value.Text), Eval: evalSHA1, Bytes: 1},
		"SHA2":     {Min: 2, Max: 2, Type: function.Maybe(value.Text), Eval: evalSHA2, Numbers: 2, Bytes: 1},
		"CRC32":    {Min: 1, Max: 1, Type: function.Fixed(value.Uint), Eval: evalCRC32, Bytes: 1},
	})
	function.Alias(map[string]string{"SHA": "SHA1"})
}

func hexText(sum []byte) (value.Value, error) { return value.NewString(hex.EncodeToString(sum)), nil }

// digest writes a long argument to a hash in parts.
func digest(env *function.Env, h hash.Hash, b []byte) (value.Value, error) {
	if err := env.Meter().Parts(b, func(part []byte) { h.Write(part) }); err != nil {
		return value.Value{}, err
	}
	return hexText(h.Sum(nil))
}

func evalMD5(env *function.Env, args []value.Value) (value.Value, error) {
	b := args[0].AsBytes()
	if len(b) > cancelcheck.Stride {
		return digest(env, md5.New(), b)
	}
	sum := md5.Sum(b)
	return hexText(sum[:])
}

func evalSHA1(env *function.Env, args []value.Value) (value.Value, error) {
	b := args[0].AsBytes()
	if len(b) > cancelcheck.Stride {
		return digest(env, sha1.New(), b)
	}
	sum := sha1.Sum(b)
	return hexText(sum[:])
}

// evalPassword is the stored form of a password for mysql_native_password; empty for NULL.
func evalPassword(env *function.Env, args []value.Value) (value.Value, error) {
	b := args[0].AsBytes()
	if args[0].IsNull() || len(b) == 0 {
		return value.NewString(""), nil
	}
	h := sha1.New()
	if err := env.Meter().Parts(b, func(part []byte) { h.Write(part) }); err != nil {
		return value.Value{}, err
	}
	sum := sha1.Sum(h.Sum(nil))
	return value.NewString("*" + strings.ToUpper(hex.EncodeToString(sum[:]))), nil
}

func evalSHA2(env *function.Env, args []value.Value) (value.Value, error) {
	bits, err := env.Integer(args[1])
	if err != nil {
		return value.Value{}, err
	}
	switch bits {
	case 224:
		return digest(env, sha256.New224(), args[0].AsBytes())
	case 0, 256:
		return digest(env, sha256.New(), args[0].AsBytes())
	case 384:
		return digest(env, sha512.New384(), args[0].AsBytes())
	case 512:
		return digest(env, sha512.New(), args[0].AsBytes())
	}
	return value.Value{}, env.Warn(mysqlerr.WrongParamsNative, "Incorrect parameters in the call to native function 'sha2'")
}

func evalCRC32(_ *function.Env, args []value.Value) (value.Value, error) {
	return value.NewUint(uint64(crc32.ChecksumIEEE(args[0].AsBytes()))), nil
}
