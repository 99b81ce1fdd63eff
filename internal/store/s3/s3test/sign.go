package s3test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"time"
)

const (
	stampLayout = "20060102T150405Z"
	maxSkew     = 15 * time.Minute
)

// verify checks a request's signature as AWS's "Signature Version 4" describes it. It returns the code and message of the
// error, or nothing.
func verify(r *http.Request, body []byte, now time.Time) (code, message string) {
	fields := map[string]string{}
	scheme, rest, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	for _, f := range strings.Split(rest, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(f), "=")
		fields[name] = value
	}
	scope := strings.Split(fields["Credential"], "/")
	at, err := time.Parse(stampLayout, r.Header.Get("X-Amz-Date"))
	switch {
	case scheme != "AWS4-HMAC-SHA256" || len(scope) != 5 || err != nil:
		return "AccessDenied", "not signed"
	case scope[0] != Key:
		return "InvalidAccessKeyId", "The AWS Access Key Id you provided does not exist in our records: " + scope[0]
	case now.Sub(at).Abs() > maxSkew:
		return "RequestTimeTooSkewed", "The difference between the request time and the current time is too large."
	}
	if want := sign(r, scope, fields["SignedHeaders"]); !hmac.Equal([]byte(want), []byte(fields["Signature"])) {
		return "SignatureDoesNotMatch", "The request signature we calculated does not match the signature you provided."
	}
	sum := sha256.Sum256(body)
	if said := r.Header.Get("X-Amz-Content-Sha256"); said != "UNSIGNED-PAYLOAD" && said != hex.EncodeToString(sum[:]) {
		return "XAmzContentSHA256Mismatch", "The provided 'x-amz-content-sha256' header does not match what was computed."
	}
	return "", ""
}

func sign(r *http.Request, scope []string, signed string) string {
	var headers strings.Builder
	for _, name := range strings.Split(signed, ";") {
		value := r.Header.Get(name)
		if name == "host" {
			value = r.Host
		}
		headers.WriteString(name + ":" + strings.TrimSpace(value) + "\n")
	}
	query := strings.ReplaceAll(r.URL.Query().Encode(), "+", "%20")
	canonical := strings.Join([]string{r.Method, r.URL.EscapedPath(), query, headers.String(), signed, r.Header.Get("X-Amz-Content-Sha256")}, "\n")
	sum := sha256.Sum256([]byte(canonical))
	text := strings.Join([]string{"AWS4-HMAC-SHA256", r.Header.Get("X-Amz-Date"), strings.Join(scope[1:], "/"), hex.EncodeToString(sum[:])}, "\n")
	key := []byte("AWS4" + Secret)
	for _, part := range append(scope[1:], text) {
		key = mac(key, part)
	}
	return hex.EncodeToString(key)
}

func mac(key []byte, text string) []byte {
	m := hmac.New(sha256.New, key)
	m.Write([]byte(text))
	return m.Sum(nil)
}
