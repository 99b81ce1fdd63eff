//go:build !linux

package gitstate

// openedBySomeone cannot tell here.
func openedBySomeone(string) (open, known bool) { return false, false }
