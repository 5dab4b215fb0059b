# Sourced by .ci/run: the steps of the gate, and which of them a change needs.
# shellcheck shell=bash

# The steps in order, each with the seconds that it takes at most on two quiet cores, and with the paths of what it tests. A
# change of other paths cannot break it. Steps without paths always run.
steps=(
  'tests 530'     # the README's test command
  'build 60'      # the one run of tsc: it checks the types and writes dist
  'lint 40'       # style, format, unused code, the OpenAPI document, subjects of commits
  'package 20 ^(schemas|src/client|layers/testing)/|^(src/index|layers/live)\.ts$' # the package as its users import it
  'lock 30 ^src/bin/install'                             # `npm ci` of npm 10 and 11, and for other platforms
  'image 60 ^(Dockerfile|\.dockerignore)$|^(src/bin|test/deploy)/' # the stages of the Dockerfile, in a plain directory
  'install 30'    # Debian's packages; 200 s on a bare machine
  # Adapters against real servers, and official clients.
  'services 180 ^(layers|schemas/mcp|src/(bin|engagement/account-export|mcp)|test/(layers|services))/'
  # Pages in a real browser.
  'browser 215 ^(src/(platform/pages|web)|test/services/browser)/'
  # Tests that start and kill processes, in their short form.
  'long 240 ^(layers|migrations|src/(bin|mcp|payments|platform/work|publishing))/|\.long\.test\.ts$'
  # What depends on the server, over the oldest one that we support.
  'postgres15 60 ^(migrations|layers/(backup|postgres))/|\.sql\.ts$'
)

# Paths of what every step uses.
everything='^(\.ci/|\.nvmrc$|package(-lock)?\.json$|tsconfig\.json$|test/(support/|vitest))'

# Reads changed paths, one in each line, and prints the steps that they need.
needed() {
  local paths step name pattern servers=false chosen=()
  paths=$(cat)
  for step in "${steps[@]}"; do
    read -r name _ pattern <<<"$step"
    if [ "$name" = install ]; then continue; fi
    if [ -n "$pattern" ] && ! grep -qE "$everything|$pattern" <<<"$paths"; then continue; fi
    case $name in services | browser | postgres15) if ! $servers; then chosen+=(install) && servers=true; fi ;; esac
    chosen+=("$name")
  done
  printf '%s\n' "${chosen[@]}"
}
