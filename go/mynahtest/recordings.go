package mynahtest

import (
	"slices"
	"strings"
)

// Record asks the real models of the components, and records their answers to a folder. Args can have
// an "--upstream"; otherwise, it is "openai". mynah writes the last answers after the tests.
func Record(folder string) Option { return func(c *command) { c.record = folder } }

// Replay answers from the recordings in a folder, without any model. If a request is not recorded, the
// test fails at its end, even if the application has hidden the error.
func Replay(folder string) Option { return func(c *command) { c.replay = folder } }

// flags returns the arguments of mynah with those of recordings.
func (c command) flags() []string {
	flags := slices.Clone(c.args)
	if c.replay != "" {
		flags = append(flags, "--replay="+c.replay)
	}
	if c.record == "" {
		return flags
	}
	isUpstream := func(flag string) bool { return flag == "--upstream" || strings.HasPrefix(flag, "--upstream=") }
	if !slices.ContainsFunc(flags, isUpstream) {
		flags = append(flags, "--upstream=openai")
	}
	return append(flags, "--record="+c.record)
}
