package linktest_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"strings"
	"testing"

	"session/internal/linktest"
)

// echo is a server that answers each line with itself and says what it got.
func echo(t *testing.T) (addr string, got <-chan string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	lines := make(chan string, 10)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				for in := bufio.NewScanner(c); in.Scan(); {
					lines <- in.Text()
					if _, err := io.WriteString(c, in.Text()+"\n"); err != nil {
						return
					}
				}
			}()
		}
	}()
	return l.Addr().String(), lines
}

type client struct {
	t *testing.T
	net.Conn
	in *bufio.Reader
}

func dial(t *testing.T, l *linktest.Link) client {
	c, err := net.Dial("tcp", l.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return client{t, c, bufio.NewReader(c)}
}

func (c client) say(s string) {
	if _, err := io.WriteString(c, s+"\n"); err != nil {
		c.t.Fatal(err)
	}
}

func (c client) want(s string) {
	c.t.Helper()
	if got, err := c.in.ReadString('\n'); err != nil || strings.TrimSpace(got) != s {
		c.t.Errorf("%q %v, want %q", got, err, s)
	}
}

func TestLink(t *testing.T) {
	addr, got := echo(t)
	l := linktest.New(t, addr)
	c := dial(t, l)
	c.say("one")
	c.want("one")
	<-got

	l.Mute()
	c.say("two")
	if s := <-got; s != "two" {
		t.Error(s)
	}
	l.Mend()
	c.want("two")

	l.Stall()
	c.say("three")
	late := dial(t, l)
	late.say("four")
	if len(got) != 0 {
		t.Error("a stalled link delivers")
	}
	l.Mend()
	c.want("three")
	late.want("four")

	l.Cut()
	if _, err := c.in.ReadString('\n'); err == nil || errors.Is(err, io.EOF) {
		t.Error("a cut link ends politely:", err)
	}
	if gone, err := net.Dial("tcp", l.Addr()); err == nil { // the reset may come before Dial returns
		if _, err := gone.Read(make([]byte, 1)); err == nil {
			t.Error("a cut link talks")
		}
		gone.Close()
	}
	l.Mend()
	again := dial(t, l)
	again.say("five")
	again.want("five")
	if n := l.Connections(); n < 3 || n > 4 { // the reset one may not have been accepted
		t.Errorf("%d connections", n)
	}
}

// What a client sent before it gave up arrives after the partition: the late write.
func TestLateDelivery(t *testing.T) {
	addr, got := echo(t)
	l := linktest.New(t, addr)
	c := dial(t, l)
	c.say("before")
	c.want("before")
	<-got
	l.Stall()
	c.say("late")
	c.Close()
	l.Mend()
	if s := <-got; s != "late" {
		t.Error(s)
	}
}
