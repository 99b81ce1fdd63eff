// Package mcp offers session to a coding assistant over the Model Context Protocol (2025-06-18 and later, official SDK):
//
//	tools       save, load, status, blocker, memory_search, log
//	resources   session://state, session://brief, session://snapshot/{id}
//	prompts     load, save, unblock
//
// It translates and decides nothing: every tool is one function of internal/app. A tool answers twice, with a text for
// the model and with the same as structured content for programs; a client may show the model either, so both say it
// whole. What went wrong is a result with isError and the way out in its text, so that the model can act on it; only a
// broken request is an error of the protocol.
//
// Texts of a state or a log were written by others, so they are handed over between two marks that say so (see fenced).
// Tools that record wait for each other; the others run side by side.
package mcp
