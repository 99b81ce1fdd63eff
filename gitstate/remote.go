package gitstate

import (
	"context"
	"fmt"
	"strings"
)

// RemoteURL is where git fetches a remote from, insteadOf applied. It may hold a password: never print it.
func (r *Repo) RemoteURL(ctx context.Context, remote string) (string, error) {
	out, err := r.git.run(ctx, nil, "remote", "get-url", "--", remote)
	if err != nil {
		return "", fmt.Errorf("read the URL of remote %s: %w", remote, err)
	}
	return strings.TrimSpace(string(out)), nil
}

// pushURL is where git pushes a remote to: its pushurl, its url, or the remote itself where that is a URL.
func (r *Repo) pushURL(ctx context.Context, remote string) string {
	out, err := r.git.run(ctx, nil, "remote", "get-url", "--push", "--", remote)
	if url := strings.TrimSpace(string(out)); err == nil && url != "" {
		return url
	}
	return remote
}
