package main

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"session/internal/needtest"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/tidwall/gjson"
)

// codeCmd runs a command and wants its exit code: code 3 session load. Its streams are stdout and stderr of the script.
func codeCmd(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N COMMAND ARGS…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if e, ok := err.(*exec.ExitError); ok {
		got = e.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// jsonCmd looks into JSON with a gjson path: json stdout PATH WANT, json FILE PATH WANT. "! json" wants another value;
// WANT "-" wants the value to exist, and with "!" to be absent.
func jsonCmd(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: json stdout|FILE PATH WANT")
	}
	text := ""
	if args[0] == "stdout" {
		text = ts.ReadFile("stdout")
	} else {
		b, err := os.ReadFile(ts.MkAbs(args[0]))
		ts.Check(err)
		text = string(b)
	}
	if !gjson.Valid(text) {
		ts.Fatalf("not one JSON document: %q", text)
	}
	r := gjson.Get(text, args[1])
	got := r.String()
	if r.IsArray() || r.IsObject() {
		got = r.Get("@ugly").Raw
	}
	ok := got == args[2]
	if args[2] == "-" {
		ok = r.Exists()
	}
	if ok == neg {
		ts.Fatalf("%s is %s, want %s%q in\n%s", args[1], r.Raw, strings.Repeat("not ", map[bool]int{true: 1}[neg]), args[2], text)
	}
}

// has answers the condition [has:PROGRAM]: it is installed. Where SESSION_TEST_REQUIRE names it, or says tools, a missing
// one fails the script instead of skipping it.
func has(cond string) (bool, error) {
	program, ok := strings.CutPrefix(cond, "has:")
	if !ok {
		return hasService(cond)
	}
	if installed(program) {
		return true, nil
	}
	if needtest.Required(program) || needtest.Required("tools") {
		return false, fmt.Errorf("%s is not installed, and SESSION_TEST_REQUIRE asks for it", program)
	}
	return false, nil
}

// installed reports whether a program, or the library gtest, is here.
func installed(what string) bool {
	if what == "gtest" {
		_, err := os.Stat("/usr/include/gtest/gtest.h")
		return err == nil
	}
	_, err := exec.LookPath(what)
	return err == nil
}
