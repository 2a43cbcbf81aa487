module github.com/mynah-dapr/mynah/go

go 1.24
