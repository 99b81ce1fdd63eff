package lifecycle

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// CursorAt is the place behind a Session.
func CursorAt(s Session) Cursor {
	return Cursor(strconv.FormatInt(s.CreatedAt.UnixMilli(), 10) + "," + string(s.ID))
}

// Place is where a list goes on: with Sessions that were created before a time, in ms, or at it and have a smaller id. The
// empty Cursor is before everything. Errors: ErrInvalid.
func (c Cursor) Place() (created int64, id ID, err error) {
	if c == "" {
		return math.MaxInt64, "", nil
	}
	ms, name, ok := strings.Cut(string(c), ",")
	created, err = strconv.ParseInt(ms, 10, 64)
	if !ok || err != nil || plain("session", name) != nil {
		return 0, "", fmt.Errorf("%w: %.60q is no place in a list of sessions", ErrInvalid, string(c))
	}
	return created, ID(name), nil
}
