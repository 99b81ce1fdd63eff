package commands

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"session/internal/app"
	"session/internal/lifecycle"

	"github.com/urfave/cli/v2"
	"golang.org/x/sync/errgroup"
)

// serveCommand is session serve.
func (r *root) serveCommand() *cli.Command {
	say := r.words.Say
	return &cli.Command{Name: "serve", Usage: say("serve.usage"), Description: say("serve.help"), Action: r.act(r.serve), Flags: []cli.Flag{
		&cli.StringFlag{Name: "listen", Value: "127.0.0.1:7420", Usage: say("flag.listen")},
		&cli.StringSliceFlag{Name: "host", Usage: say("flag.host")},
		&cli.StringFlag{Name: "tls-cert", Usage: say("flag.tls-cert")},
		&cli.StringFlag{Name: "tls-key", Usage: say("flag.tls-key")},
		&cli.StringFlag{Name: "database", Usage: say("flag.database")},
		&cli.IntFlag{Name: "workers", Value: 2, Usage: say("flag.workers")},
		&cli.IntFlag{Name: "limit", Value: lifecycle.DefaultLimit, Usage: say("flag.session-limit")},
		&cli.DurationFlag{Name: "drain", Value: 15 * time.Second, Usage: say("flag.serve-drain")},
		&cli.Float64Flag{Name: "rate", Value: 50, Usage: say("flag.rate")},
		&cli.StringFlag{Name: "log", Value: "text", Usage: say("flag.log")},
	}}
}

// served is what session serve --json prints once it answers.
type served struct {
	URL     string `json:"url"`
	KeyFile string `json:"key_file"`
	Listen  string `json:"listen"`
	PID     int    `json:"pid"`

	everywhere, open bool // it listens on every address; others can reach it without encryption
}

func (r *root) serve(k *call) (err error) {
	if err := k.serveOptions(); err != nil {
		return err
	}
	log, err := r.logger(k.String("log"))
	if err != nil {
		return err
	}
	if r.Parts.Serve == nil {
		return &app.MissingError{What: "the service"}
	}
	x, err := app.OpenService(k.Ctx(), k.place, app.ServiceOptions{Limit: k.Int("limit"), Workers: k.Int("workers"), Grace: k.Duration("drain"), Log: log})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	l, secure, err := listen(k.Ctx(), k.String("listen"), k.String("tls-cert"), k.String("tls-key"))
	if err != nil {
		return err
	}
	defer func() { _ = l.Close() }() // served to its end by then
	key, file, err := r.writeKey(l.Addr())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Remove(file)) }()
	answer, err := r.Parts.Serve(ServeOptions{Place: k.place, Service: x, Listener: l, Secure: secure, Hosts: k.StringSlice("host"), Key: key,
		Rate: k.Float64("rate"), Drain: k.Duration("drain"), Log: log})
	if err != nil {
		return err
	}
	r.greet(greeting(l.Addr(), secure, file, k.place.PID), key)
	return together(k.Ctx(), x.RunQueue, answer)
}

// serveOptions checks the flags, and reads where sessions are kept.
func (k *call) serveOptions() error {
	if err := k.none(); err != nil {
		return err
	}
	if k.Int("workers") < 0 || k.Int("limit") < 1 || k.Duration("drain") < 0 || k.Float64("rate") < 1 {
		return k.misuse("usage.serve")
	}
	k.place.Prompt = false
	return k.database()
}

// together runs all until ctx ends or one fails, and then waits for the others. One that was still beginning when ctx ended
// has not failed.
func together(ctx context.Context, all ...func(context.Context) error) error {
	group, inner := errgroup.WithContext(ctx)
	for _, f := range all {
		group.Go(func() error { return f(inner) })
	}
	err := group.Wait()
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

func (r *root) logger(kind string) (*slog.Logger, error) {
	switch kind {
	case "text":
		return slog.New(slog.NewTextHandler(r.Err, nil)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(r.Err, nil)), nil
	}
	return nil, r.misuse("usage.log", "kind", kind)
}

func listen(ctx context.Context, at, cert, key string) (l net.Listener, secure bool, err error) {
	var config *tls.Config
	if cert != "" || key != "" {
		pair, err := tls.LoadX509KeyPair(cert, key)
		if err != nil {
			return nil, false, &app.UsageError{Err: fmt.Errorf("--tls-cert and --tls-key: %w", err)}
		}
		config = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}
	}
	var c net.ListenConfig
	if l, err = c.Listen(ctx, "tcp", at); err != nil {
		return nil, false, err
	}
	if config != nil {
		return tls.NewListener(l, config), true, nil
	}
	return l, false, nil
}

// writeKey makes the operator's secret of this start, and puts it where only who started the service can read it.
func (r *root) writeKey(at net.Addr) (key, file string, err error) {
	var b [32]byte
	if _, err := rand.Read(b[:]); err != nil {
		return "", "", err
	}
	key = base64.RawURLEncoding.EncodeToString(b[:])
	dir := r.runtimeFolder()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", "", err
	}
	file = filepath.Join(dir, "serve-"+port(at)+".key")
	if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", "", err // of a service that was killed: the port is ours now
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", "", err
	}
	_, err = f.WriteString(key + "\n")
	return key, file, errors.Join(err, f.Close())
}

// runtimeFolder is where programs of this user keep what dies with them.
func (r *root) runtimeFolder() string {
	for _, v := range []struct{ variable, below string }{{"XDG_RUNTIME_DIR", ""}, {"XDG_STATE_HOME", ""}, {"HOME", ".local/state"}, {"USERPROFILE", "AppData/Local"}} {
		if dir := r.getenv(v.variable); filepath.IsAbs(dir) {
			return filepath.Join(dir, filepath.FromSlash(v.below), "session")
		}
	}
	return filepath.Join(r.Dir, ".session-run")
}

func port(at net.Addr) string {
	if t, ok := at.(*net.TCPAddr); ok {
		return strconv.Itoa(t.Port)
	}
	return "0"
}

// address is where a browser of this machine finds the service.
func address(at net.Addr, secure bool) string {
	host := "127.0.0.1"
	if t, ok := at.(*net.TCPAddr); ok && !t.IP.IsUnspecified() {
		host = t.IP.String()
	}
	scheme := "http"
	if secure {
		scheme = "https"
	}
	return scheme + "://" + net.JoinHostPort(host, port(at)) + "/"
}

func greeting(at net.Addr, secure bool, key string, pid int) served {
	s := served{URL: address(at, secure), KeyFile: key, Listen: at.String(), PID: pid}
	if t, ok := at.(*net.TCPAddr); ok {
		s.everywhere, s.open = t.IP.IsUnspecified(), !t.IP.IsLoopback() && !secure
	}
	return s
}

// greet says where the service is. The key goes to a terminal only, never into a log file.
func (r *root) greet(s served, key string) {
	if r.json {
		r.print(s)
		return
	}
	url := s.URL
	if r.Terminal {
		url += "#key=" + key
	}
	r.say("%s\n", r.words.Say("serve.at", "url", url))
	r.say("%s\n", r.words.Say("serve.key", "file", s.KeyFile))
	if s.everywhere {
		r.say("%s\n", r.words.Say("serve.everywhere", "at", s.Listen))
	}
	if s.open {
		r.note("! %s\n", r.words.Say("serve.open"))
	}
}
