package expr

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"hash/crc32"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Digests (https://dev.mysql.com/doc/refman/5.7/en/encryption-functions.html).
func init() {
	register(map[string]*function{
		"MD5":   {min: 1, max: 1, typ: maybe(value.Text), eval: evalMD5},
		"SHA1":  {min: 1, max: 1, typ: maybe(value.Text), eval: evalSHA1},
		"SHA2":  {min: 2, max: 2, typ: maybe(value.Text), eval: evalSHA2, numbers: 2},
		"CRC32": {min: 1, max: 1, typ: fixed(value.Uint), eval: evalCRC32},
	})
	alias(map[string]string{"SHA": "SHA1"})
}

func hexText(sum []byte) (value.Value, error) { return value.NewString(hex.EncodeToString(sum)), nil }

func evalMD5(_ *Env, args []value.Value) (value.Value, error) {
	sum := md5.Sum(args[0].AsBytes())
	return hexText(sum[:])
}

func evalSHA1(_ *Env, args []value.Value) (value.Value, error) {
	sum := sha1.Sum(args[0].AsBytes())
	return hexText(sum[:])
}

func evalSHA2(env *Env, args []value.Value) (value.Value, error) {
	b := args[0].AsBytes()
	bits, err := env.integer(args[1])
	if err != nil {
		return value.Value{}, err
	}
	switch bits {
	case 224:
		sum := sha256.Sum224(b)
		return hexText(sum[:])
	case 0, 256:
		sum := sha256.Sum256(b)
		return hexText(sum[:])
	case 384:
		sum := sha512.Sum384(b)
		return hexText(sum[:])
	case 512:
		sum := sha512.Sum512(b)
		return hexText(sum[:])
	}
	return value.Value{}, env.warn(mysqlerr.WrongParamsNative, "Incorrect parameters in the call to native function 'sha2'")
}

func evalCRC32(_ *Env, args []value.Value) (value.Value, error) {
	return value.NewUint(uint64(crc32.ChecksumIEEE(args[0].AsBytes()))), nil
}
