//go:build !unmodified

package main

import _ "mynah/daprd/adaptor"
