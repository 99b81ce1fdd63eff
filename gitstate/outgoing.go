package gitstate

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"session/internal/proc"
)

// Outgoing hands every blob that a push would send for the first time to look, as a stream, once each: objects that are
// reachable from a commit and from no branch of the remote, as far as is known here. look may stop reading early; its
// error ends the walk.
func (r *Repo) Outgoing(ctx context.Context, commit, remote string, look func(path, blob string, content io.Reader) error) error {
	out, err := r.git.run(ctx, nil, "rev-list", "--objects", commit, "--not", "--remotes="+remote, "--")
	if err != nil {
		return fmt.Errorf("list what a push would send: %w", err)
	}
	names := map[string]string{}
	var ids strings.Builder
	for _, l := range lines(out) {
		id, path, isObject := strings.Cut(l, " ")
		if isObject && path != "" && names[id] == "" { // commits have no name, the top trees an empty one
			names[id] = path
			ids.WriteString(id + "\n")
		}
	}
	if len(names) == 0 {
		return nil
	}
	return r.batch(ctx, ids.String(), names, look)
}

// Blobs hands blobs to look, as streams, each once; one that is not there is passed over. names maps ids to what look is
// told of them.
func (r *Repo) Blobs(ctx context.Context, names map[string]string, look func(name, blob string, content io.Reader) error) error {
	if len(names) == 0 {
		return nil
	}
	return r.batch(ctx, strings.Join(slices.Collect(maps.Keys(names)), "\n")+"\n", names, look)
}

// batch reads objects through one git cat-file --batch.
func (r *Repo) batch(ctx context.Context, ids string, names map[string]string, look func(path, blob string, content io.Reader) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	reader, writer := io.Pipe()
	cmd := r.git.command(strings.NewReader(ids), []string{"cat-file", "--batch", "--buffer"})
	cmd.Output = writer
	done := make(chan error, 1)
	go func() {
		_, err := proc.Run(ctx, cmd)
		writer.CloseWithError(err)
		done <- err
	}()
	err := readBatch(bufio.NewReaderSize(reader, 64<<10), names, look)
	if err != nil {
		stop(err)
	}
	reader.CloseWithError(err)
	if e := <-done; err == nil && e != nil {
		err = fmt.Errorf("read objects: %w", e)
	}
	return err
}

// readBatch reads git's answers: "<id> <type> <size>\n<content>\n" (git-cat-file(1), BATCH OUTPUT).
func readBatch(in *bufio.Reader, names map[string]string, look func(path, blob string, content io.Reader) error) error {
	for {
		head, err := in.ReadString('\n')
		if errors.Is(err, io.EOF) && head == "" {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read objects: %w", err)
		}
		f := strings.Fields(head)
		if len(f) == 2 && f[1] == "missing" {
			continue // a partial clone: what was never fetched is not sent
		}
		if len(f) != 3 {
			return fmt.Errorf("read objects: answer %q", head)
		}
		size, err := strconv.ParseInt(f[2], 10, 64)
		if err != nil {
			return fmt.Errorf("read objects: answer %q", head)
		}
		content := io.LimitReader(in, size)
		if f[1] == "blob" {
			if err := look(names[f[0]], f[0], content); err != nil {
				return err
			}
		}
		if _, err := io.Copy(io.Discard, content); err != nil {
			return fmt.Errorf("read objects: %w", err)
		}
		if _, err := in.Discard(1); err != nil {
			return fmt.Errorf("read objects: %w", err)
		}
	}
}
