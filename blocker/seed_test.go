package blocker

import "testing"

// TestSeedExamples: what the seed greps for (001, "Auto-Detection Patterns") is found, with more than a line of text.
func TestSeedExamples(t *testing.T) {
	for name, c := range map[string]struct {
		file, text string
		want       wanted
	}{
		"error:":           {"build_output.log", "src/a.cpp:3:5: error: 'foo' was not declared in this scope\n", w(BuildError, "src/a.cpp", 3, "'foo' was not declared")},
		"error: alone":     {"build_output.log", "error: linker script missing\n", w(BuildError, "", 0, "linker script missing")},
		"error C":          {"build_output.log", "a.cpp(3): error C2065: 'foo': undeclared identifier\n", w(BuildError, "a.cpp", 3, "C2065")},
		"fatal error":      {"build_output.log", "a.cpp:1:10: fatal error: Qt6/QtCore: No such file or directory\n", w(BuildError, "a.cpp", 1, "Qt6/QtCore")},
		"LNK":              {"build_output.log", "a.obj : error LNK2019: unresolved external symbol foo\n", w(BuildError, "", 0, "LNK2019")},
		"Could NOT find":   {"build_output.log", "Could NOT find Qt6\n", w(BuildError, "", 0, "Could NOT find Qt6")},
		"ctest FAILED":     {"ctest.log", "50% tests passed, 1 tests failed out of 2\n\nThe following tests FAILED:\n\t  2 - login (Failed)\nErrors while running CTest\n", w(TestFailure, "", 0, "")},
		"ctest Error":      {"ctest.log", "Errors while running CTest\n", w(TestFailure, "", 0, "")},
		"gh run list":      {"-", "[{\"conclusion\":\"failure\",\"status\":\"completed\"}]\n", w(CIFailure, "", 0, "failure")},
		"gh, still going":  {"-", "[{\"conclusion\":\"\",\"status\":\"in_progress\"}]\n", none},
		"cpp-builder":      {"-", "[cpp-builder] STATUS: FAILED\nCould NOT find Qt6 (missing: Qt6_DIR)\n", w(BuildError, "", 0, "Could NOT find Qt6")},
		"tester":           {"-", "[tester] STATUS: FAILED\n", w(TestFailure, "", 0, "")},
		"DECISION_NEEDED":  {"-", "## Agent: architect\nSTATUS: DECISION_NEEDED\n", w(DecisionRequired, "", 0, "")},
		"only the word":    {"-", "no error here, nothing FAILED\n", none},
		"cmake that works": {"-", "-- Could NOT find Qt6 (missing: Qt6_DIR)\n-- Configuring done\n-- Build files have been written to: /w/b\n", none},
	} {
		if fault := c.want.fault(scanText(t, c.file, c.text, Options{})); fault != "" {
			t.Errorf("%s: %s", name, fault)
		}
	}
}

// TestSeedObject: the example of the schema (001, "Blocker Schema") comes out of the log it speaks of.
func TestSeedObject(t *testing.T) {
	b := scanText(t, "build_output.log", "Could NOT find Qt6 (missing: Qt6_DIR)\n-- Configuring incomplete, errors occurred!\n", Options{}).First()
	if b == nil || b.Type != BuildError || b.Severity != High || b.RecoveryAgent != "cpp-builder" || !b.AutoDetected || b.RecoveryAttempted != 0 || b.MaxRecoveryAttempts != 3 {
		t.Fatalf("%+v", b)
	}
	if b.ErrorPattern != "Could NOT find Qt6" || b.Resolution == "" || b.Description == "" || b.DetectedAt != now {
		t.Errorf("%+v", b)
	}
}
