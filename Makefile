# Everything that is done to this repository more than once. `make help` lists it.

# Tools that `go install` has put where no PATH may lead.
export PATH := $(PATH):$(shell go env GOPATH)/bin

FUZZTIME ?= 10s

# The race detector needs a C compiler; without one the tests still run.
CC_FOUND = $(shell test "$$(go env CGO_ENABLED)" = 1 && command -v $$(go env CC))

.DEFAULT_GOAL := build
.PHONY: help build test check fmt vet lint tidy arch cross fuzz bench demo clean

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## /\1	/p' $(MAKEFILE_LIST)

build: ## ./daruma, one static binary
	CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o daruma ./cmd/daruma

test: ## every test, in random order, with the race detector
ifeq ($(CC_FOUND),)
	@echo 'note: no C compiler is here, so the tests run without the race detector'
	go test -shuffle=on ./...
else
	go test -race -shuffle=on ./...
endif

check: fmt vet lint tidy arch ## what CI checks besides the tests

fmt: ## formatting, by gofumpt
	@if command -v gofumpt >/dev/null; then \
		bad=$$(gofumpt -l .); \
		if [ -n "$$bad" ]; then echo "not formatted; run gofumpt -w on:"; echo "$$bad"; exit 1; fi; \
	else echo 'skipped gofumpt: go install mvdan.cc/gofumpt@latest'; fi

vet: ## go vet
	go vet ./...

lint: ## staticcheck and golangci-lint
	@if command -v staticcheck >/dev/null; then echo staticcheck ./...; staticcheck ./...; \
	else echo 'skipped staticcheck: go install honnef.co/go/tools/cmd/staticcheck@latest'; fi
	@if command -v golangci-lint >/dev/null; then echo golangci-lint run; golangci-lint run; \
	else echo 'skipped golangci-lint: go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@latest'; fi

tidy: ## go.mod says what is needed and no more
	go mod tidy -diff
	cd internal/oracle && go mod tidy -diff

arch: ## who may import whom
	go test -count=1 ./internal/archtest

cross: ## vet for the systems this one is not
	GOOS=linux go vet ./...
	GOOS=darwin go vet ./...
	GOOS=windows go vet ./...

fuzz: ## every fuzz target for FUZZTIME
	@set -e; for dir in $$(go list -f '{{.Dir}}' ./...); do \
		for target in $$(cat "$$dir"/*_test.go 2>/dev/null | sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\).*/\1/p'); do \
			echo "== $$dir $$target"; \
			go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) "$$dir"; \
		done; \
	done

bench: ## every benchmark, and the whole program from outside
	go test -run '^$$' -bench . -benchmem ./...
	go run ./internal/bench

demo: ## the loop at work, without a key or a network
	go run ./cmd/daruma demo

clean: ## what the other targets leave behind
	rm -f daruma coverage.out
	rm -rf bin
