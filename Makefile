# Everything here is also a plain go command; "make help" lists the targets.
#   make fuzz FUZZTIME=30s FUZZ=FuzzDecode

GO       ?= go
FUZZTIME ?= 10m
FUZZ     ?= Fuzz
PLATFORMS = linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64

.DEFAULT_GOAL := build
.PHONY: help build generate test realworld lint deadcode cross bench coverage coverpkg fuzz litmus mutation packages ci

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12

build: ## build bin/gfx
	CGO_ENABLED=0 $(GO) build -trimpath -o bin/ ./cmd/gfx

generate: ## rewrite the generated files from their tables, in the order in which they depend on each other
	$(GO) run ./internal/cmd/gfx-generate

test: ## run all tests
	$(GO) test ./...

packages: ## unpack the Debian packages with OpenCL programs that the tests run, into $$GFX_DEBIAN
	@dir=$${GFX_DEBIAN:-$${XDG_CACHE_HOME:-$$HOME/.cache}/gfx-debian}; mkdir -p "$$dir"; cd "$$dir"; \
	for package in darktable hashcat-data libavfilter8 libclblast1 libgegl-0.4-0 libx264-164 piglit python3-silx; do \
		[ -d $$package ] && continue; \
		apt-get download -q $$package && dpkg-deb -x $${package}_*.deb $$package.new && \
		mv $$package.new $$package && rm $${package}_*.deb || exit 1; \
	done

realworld: ## run the tests on other people's code with all of it (CI takes a sample)
	GFX_REALWORLD=all GFX_ORACLE=require $(GO) test -timeout 6h -v ./internal/testing/realworld

litmus: ## run all litmus tests on all generations with weak memory (CI takes a sample)
	GFX_LITMUS=full $(GO) test -timeout 12h -v -run WeakMemory ./litmus/kernel

lint: ## gofmt, go vet, staticcheck
	@unformatted=$$(gofmt -l .); if [ -n "$$unformatted" ]; then echo "not gofmt'ed:"; echo "$$unformatted"; exit 1; fi
	$(GO) vet ./...
	$(GO) tool staticcheck ./...

# -test: what only tests reach is alive. The tool is not in go.mod, because nothing else needs its modules.
deadcode: ## list functions that no program and no test can reach, and fail if there are any
	@dead=$$($(GO) run golang.org/x/tools/cmd/deadcode@v0.52.0 -test ./...) || exit 1; \
	if [ -n "$$dead" ]; then echo "unreachable:"; echo "$$dead"; exit 1; fi

cross: ## vet and build for every platform
	@set -e; for platform in $(PLATFORMS); do \
		echo "cross $$platform"; \
		export GOOS=$${platform%/*} GOARCH=$${platform#*/} CGO_ENABLED=0; \
		$(GO) vet ./...; \
		$(GO) build -o /dev/null ./cmd/gfx; \
	done

bench: ## compare speed and memory with LLVM's on this machine
	$(GO) run ./internal/cmd/gfx-bench

# Where the profile of "make coverage" goes, the packages that are measured, and those whose tests suffice for it.
COVERDIR  ?= $(or $(TMPDIR),/tmp)/gfx-coverage
COVERPKG   = ./internal/compiler/emit,./internal/compiler/opt,./internal/compiler/prepare,./internal/compiler/codegen,./internal/compiler/isel,./compile
COVERTESTS = ./internal/compiler/opt ./internal/compiler/prepare ./internal/compiler/codegen ./internal/compiler/isel ./compile ./internal/kernelrun ./cmd/gfx

coverage: ## measure what the tests cover of the compiler and compare it with the list of uncovered functions (UPDATE=1 rewrites it)
	mkdir -p $(COVERDIR)
	$(GO) test -short -timeout 60m -coverpkg=$(COVERPKG) -coverprofile=$(COVERDIR)/profile $(COVERTESTS)
	$(GO) run ./internal/cmd/gfx-cover $(if $(UPDATE),-update) $(COVERDIR)/profile

coverpkg: # the packages that are measured
	@echo $(COVERPKG)

fuzz: ## run each fuzz test whose name has $(FUZZ) in it, for $(FUZZTIME)
	$(GO) run ./internal/cmd/gfx-fuzz -fuzztime=$(FUZZTIME) -name='$(FUZZ)'

mutation: ## change the compiler in 150 places, one at a time, and count what the tests detect; remove each cell of the memory model
	$(GO) run ./internal/cmd/gfx-mutate
	GFX_MUTATION=full $(GO) test -timeout 2h -v -run TestMutations ./litmus/kernel

ci: ## what continuous integration runs
	bash .ci/run
