"""The steps that make the packages. Each has a function `make`, which returns the files that it has made."""
