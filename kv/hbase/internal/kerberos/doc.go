// Package kerberos logs in to HBase's servers by Kerberos: it gets tickets from a KDC (by github.com/jcmturner/gokrb5,
// which speaks RFC 4120), sets up the security context of GSS-API (RFC 4121), and speaks SASL's mechanism GSSAPI (RFC
// 4752) in the frames of HBase's protocol.
package kerberos
