package crypt

import (
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// The examples of NIST SP 800-38A (https://csrc.nist.gov/pubs/sp/800/38/a/final), whose keys have the size of
// the mode, so that folding does not change them.
const (
	nistVector = "000102030405060708090a0b0c0d0e0f"
	nistText   = "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
	key128     = "2b7e151628aed2a6abf7158809cf4f3c"
	key192     = "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b"
	key256     = "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"
)

var nistModes = []struct{ mode, key, text, want string }{
	{"aes-128-ecb", key128, nistText, "3ad77bb40d7a3660a89ecaf32466ef97f5d3d58503b9699de785895a96fdbaaf"},
	{"aes-192-ecb", key192, nistText, "bd334f1d6e45f25ff712a214571fa5cc974104846d0ad3ad7734ecb3ecee4eef"},
	{"aes-256-ecb", key256, nistText, "f3eed1bdb5d2a03c064b5a7e3db181f8591ccb10d410ed26dc5ba74a31362870"},
	{"aes-128-cbc", key128, nistText, "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2"},
	{"aes-192-cbc", key192, nistText, "4f021db243bc633d7178183a9fa071e8b4d9ada9ad7dedf4e5e738763f69145a"},
	{"aes-256-cbc", key256, nistText, "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d"},
	{"aes-128-cfb1", key128, "6bc1", "68b3"},
	{"aes-192-cfb1", key192, "6bc1", "9359"},
	{"aes-256-cfb1", key256, "6bc1", "9029"},
	{"aes-128-cfb8", key128, "6bc1bee22e409f96e93d7e117393172aae2d", "3b79424c9c0dd436bace9e0ed4586a4f32b9"},
	{"aes-192-cfb8", key192, "6bc1bee22e409f96e93d7e117393172aae2d", "cda2521ef0a905ca44cd057cbf0d47a0678a"},
	{"aes-256-cfb8", key256, "6bc1bee22e409f96e93d7e117393172aae2d", "dc1f1a8520a64db55fcc8ac554844e889700"},
	{"aes-128-cfb128", key128, nistText, "3b3fd92eb72dad20333449f8e83cfb4ac8a64537a0b3a93fcde3cdad9f1ce58b"},
	{"aes-192-cfb128", key192, nistText, "cdc80d6fddf18cab34c25909c99a417467ce7f7f81173621961a2b70171d3d7a"},
	{"aes-256-cfb128", key256, nistText, "dc7e84bfda79164b7ecd8486985d386039ffed143b28b1c832113c6331e5407b"},
	{"aes-128-ofb", key128, nistText, "3b3fd92eb72dad20333449f8e83cfb4a7789508d16918f03f53c52dac54ed825"},
	{"aes-192-ofb", key192, nistText, "cdc80d6fddf18cab34c25909c99a4174fcc28b8d4c63837c09e81700c1100401"},
	{"aes-256-ofb", key256, nistText, "dc7e84bfda79164b7ecd8486985d38604febdc6740d20b3ac88f6ad82a4fb08d"},
}

func TestAESModes(t *testing.T) {
	for _, c := range nistModes {
		env := &function.Env{Session: &function.Session{Variable: func(string, string) (value.Value, error) { return value.NewString(c.mode), nil }}}
		args := []value.Value{fromHex(t, c.text), fromHex(t, c.key), fromHex(t, nistVector)}
		made, err := function.Functions["AES_ENCRYPT"].Eval(env, args)
		require.NoError(t, err)
		require.Equal(t, c.want, hex.EncodeToString(made.Raw())[:len(c.want)], c.mode)

		args[0] = made
		back, err := function.Functions["AES_DECRYPT"].Eval(env, args)
		require.NoError(t, err)
		require.Equal(t, c.text, hex.EncodeToString(back.Raw()), c.mode)

		// Texts of any length, also empty, can be decrypted again, and the arguments are not modified.
		for n := range 40 {
			text := make([]byte, n)
			args[0] = value.NewBytes(text)
			args[0], err = function.Functions["AES_ENCRYPT"].Eval(env, args)
			require.NoError(t, err)
			require.Equal(t, make([]byte, n), text)
			back, err = function.Functions["AES_DECRYPT"].Eval(env, args)
			require.NoError(t, err)
			require.Equal(t, make([]byte, n), back.Raw(), "%s %d", c.mode, n)
		}
	}
}

func fromHex(t *testing.T, text string) value.Value {
	b, err := hex.DecodeString(text)
	require.NoError(t, err)
	return value.NewBytes(b)
}
