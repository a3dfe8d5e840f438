// The fakes that serve's tests use, linked into the tests of this room too.

#include "serve/fake_world_test.cc"  // NOLINT(bugprone-suspicious-include)
