package main

//go:generate go run github.com/bufbuild/buf/cmd/buf@v1.57.2 generate
