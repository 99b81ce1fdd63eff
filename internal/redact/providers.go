package redact

import "bytes"

// The shapes of tokens of single providers that a prefix and a length do not describe.

func azureKey(w *window) (int, int, bool) {
	b := w.after()
	n := base64.run(b, 100)
	return w.at + w.n, w.at + w.n + n, (n == 88 || n == 44) && solid(b[:n])
}

// azureSignature takes the signature of a shared access URL: base64 of 32 bytes, in URL escapes.
func azureSignature(w *window) (int, int, bool) {
	b := w.after()
	escaped := of("0-9a-zA-Z%_-")
	n := escaped.run(b, 90)
	ok := n >= 43 && n <= 90 && (bytes.HasSuffix(b[:n], []byte("%3D")) || bytes.HasSuffix(b[:n], []byte("%3d")))
	return w.at + w.n, w.at + w.n + n, ok && solid(b[:n])
}

// azureSecret takes a client secret: three letters, digit, Q~, 31 to 34 letters.
func azureSecret(w *window) (int, int, bool) {
	c := of("0-9a-zA-Z_~.-")
	if w.at < 3 || c.runBack(w.b[:w.at], 3) != 3 {
		return 0, 0, false
	}
	n := c.run(w.after(), 34)
	for n > 31 && w.after()[n-1] == '.' {
		n--
	}
	return w.at - 3, w.at + w.n + n, n >= 31 && n <= 34 && solid(w.after()[:n])
}

// twilio takes the id of an API key, which has the form of one: SK and 32 hex digits.
func twilio(w *window) (int, int, bool) {
	n := hexLow.run(w.b[w.at+2:], 32)
	end := w.at + 2 + n
	return w.at, end, n == 32 && w.begins(w.at) && w.ends(end) && solid(w.b[w.at+2:end])
}

// telegram takes digits, :AA and 33 letters.
func telegram(w *window) (int, int, bool) {
	d := digits.runBack(w.b[:w.at], 16)
	if d < 5 || d > 16 {
		return 0, 0, false
	}
	n := slug.run(w.after(), 33)
	start := w.at - d
	if n != 33 || !w.begins(start) && !hasFold(w.b[max(0, start-3):], "bot") {
		return 0, 0, false
	}
	return start, w.at + w.n + n, solid(w.after()[:n])
}

func mailchimp(w *window) (int, int, bool) {
	d := digits.run(w.after(), 2)
	h := hexLow.runBack(w.b[:w.at], 32)
	end := w.at + w.n + d
	ok := h == 32 && d >= 1 && d <= 2 && w.begins(w.at-h) && w.ends(end)
	return w.at - min(h, w.at), end, ok && solid(w.b[w.at-h:w.at])
}

func mailgun(w *window) (int, int, bool) {
	n := hexLow.run(w.after(), 32)
	end := w.at + w.n + n
	ok := n == 32 && w.begins(w.at) && w.before(w.at) != '-' && w.ends(end)
	return w.at, end, ok && solid(w.after()[:n])
}

func terraform(w *window) (int, int, bool) {
	back := alnum.runBack(w.b[:w.at], 14)
	n := dotEq.run(w.after(), 80)
	return w.at - min(back, 14), w.at + w.n + n, back == 14 && n >= 60 && n <= 80 && solid(w.after()[:n])
}

func airtable(w *window) (int, int, bool) {
	b := w.after()
	if !w.begins(w.at) || alnum.run(b, 14) != 14 || len(b) < 79 || b[14] != '.' || hexLow.run(b[15:], 64) != 64 {
		return 0, 0, false
	}
	return w.at, w.at + w.n + 79, solid(b[15:79])
}

func harness(w *window) (int, int, bool) {
	b := w.after()
	n := dotted.run(b, 68)
	parts := bytes.Split(b[:min(n, len(b))], []byte("."))
	ok := n == 68 && w.begins(w.at) && len(parts) == 3 && len(parts[0]) == 22 && len(parts[1]) == 24 && hexOrNum.run(parts[1], 24) == 24
	return w.at, w.at + w.n + n, ok && solid(b[:n])
}

func mapbox(w *window) (int, int, bool) {
	b := w.b[w.at:]
	n := dotted.run(b, 400)
	ok := n >= 60 && n <= 400 && w.begins(w.at) && bytes.Count(b[:n], []byte(".")) == 2
	return w.at, w.at + n, ok && solid(b[:n])
}

func yandex(w *window) (int, int, bool) {
	b := w.b[w.at:]
	n := dotEq.run(b, 400)
	ok := n >= 100 && n <= 400 && w.begins(w.at) && bytes.Count(b[:n], []byte(".")) == 2
	return w.at, w.at + n, ok && solid(b[:n])
}

// webhook takes the secret part of a URL that anybody who knows it may post to.
func webhook(w *window) (int, int, bool) {
	path := of("0-9a-zA-Z/_@-")
	n := path.run(w.after(), 400)
	return w.at + w.n, w.at + w.n + n, n >= 40 && n <= 400 && solid(w.after()[:n])
}

func sidekiq(w *window) (int, int, bool) {
	v, ok := w.value(w.at + w.n + word.run(w.after(), 32))
	if !ok || v.end-v.start != 17 || w.b[v.start+8] != ':' {
		return 0, 0, false
	}
	b := w.b[v.start:v.end]
	return v.start, v.end, hexLow.run(b[:8], 8) == 8 && hexLow.run(b[9:], 8) == 8
}
