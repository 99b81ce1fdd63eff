package commands

import "testing"

// The command line is kept in leases and shown to others: it has no secret.
func TestCommandLine(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"session", "save", "-m", "a b"}, "session save -m a b"},
		{[]string{"session", "save", "--store", "s3://k:secret@h/bucket"}, "session save --store s3://h/bucket"},
		{[]string{"session", "save", "-store=s3://k:secret@h/bucket", "-m", "x"}, "session save -store=s3://h/bucket -m x"},
		{[]string{"session", "--coordination", "redis://:secret@h", "save"}, "session --coordination redis://h save"},
		{[]string{"session", "list", "--database=postgres://u:secret@h/db"}, "session list --database=postgres://u@h/db"},
		{[]string{"session", "save", "--store"}, "session save --store"},
	} {
		if got := commandLine(c.args); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
