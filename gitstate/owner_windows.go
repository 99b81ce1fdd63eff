package gitstate

// ours leaves the question of ownership to git: on Windows it needs the security descriptor.
func ours(string) bool { return false }
