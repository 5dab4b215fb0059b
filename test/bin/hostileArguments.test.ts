import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Cause, ConfigProvider, Console, Effect, Exit, Fiber, Layer, Stdio } from "effect"
import { CliError, CliOutput, Command, type HelpDoc } from "effect/cli"
import { ToolFailure } from "../../schemas/mcp/ToolFailure.ts"
import { oneSentence } from "../../src/bin/arguments/oneSentence.ts"
import { command as pennypress } from "../../src/bin/commandLine.ts"
import { operatorMessage } from "../../src/bin/failures.ts"
import { command as svcMcp } from "../../src/bin/local/commandLine.ts"

const HOSTILE = [
  "",
  " ",
  "-",
  "--",
  "x",
  "x".repeat(36),
  "x".repeat(100_000),
  "0",
  "-1",
  "1.5",
  "9".repeat(400),
  "NaN",
  "\u001B[2J\u0007",
  "two\nlines",
  "\u202Egnp.exe",
  "\uD800",
  "👩‍👩‍👧".repeat(200),
  "00000000-0000-0000-0000-00000000000g",
  "nano_1",
  '{"a":['
]

/** Values that commands take, by the names of their flags and arguments. */
const GOOD: Readonly<Record<string, string>> = {
  amount: "0.1",
  backup: "2026-11-27t04-21-34z-3fa9",
  block: "0f".repeat(32),
  "comment-id": "0190f3c2-7b1e-7c4a-9d52-3f6a8b0c1d2e",
  expires: "1d",
  files: "/nowhere",
  from: "/nowhere/backups",
  handle: "ada_reads",
  "import-id": "0190f3c2-7b1e-7c4a-9d52-3f6a8b0c1d2e",
  "input-file": "/nowhere/input.json",
  into: "/nowhere/restored",
  "max-each": "0.1",
  "max-each-raw": "1",
  "max-total": "0.1",
  "max-total-raw": "1",
  name: "Ada",
  "obligation-id": "0190f3c2-7b1e-7c4a-9d52-3f6a8b0c1d2e",
  "operation-id": "0190f3c2-7b1e-7c4a-9d52-3f6a8b0c1d2e",
  outcome: "dismissed",
  post: "0190f3c2-7b1e-7c4a-9d52-3f6a8b0c1d2e",
  "post-id": "0190f3c2-7b1e-7c4a-9d52-3f6a8b0c1d2e",
  reason: "A test",
  "report-id": "0190f3c2-7b1e-7c4a-9d52-3f6a8b0c1d2e",
  "settlement-id": "0190f3c2-7b1e-7c4a-9d52-3f6a8b0c1d2e",
  to: "nano_1111111111111111111111111111111111111111111111111111hifc8npp",
  "wallet-address": "nano_1111111111111111111111111111111111111111111111111111hifc8npp",
  workflow: "buy_post"
}

interface Program {
  readonly name: string
  readonly run: (args: ReadonlyArray<string>) => Effect.Effect<void, unknown, NodeServices.NodeServices>
  readonly env: Readonly<Record<string, string>>
  /** Commands that run without arguments, and for as long as they are let. */
  readonly endless: ReadonlyArray<string>
}

/** Runs a command to its end. Returns its exit, and the lines that it wrote to standard error. */
const ended = Effect.fnUntraced(function* ({ env, name, run }: Program, args: ReadonlyArray<string>) {
  const errors: Array<string> = []
  const quiet = new Proxy(globalThis.console, {
    get: (target, member) =>
      member === "error"
        ? (line: string) => errors.push(line)
        : member === "log"
          ? () => {}
          : Reflect.get(target, member)
  })
  // A server that meets the end of its input interrupts the fiber that runs it.
  const fiber = yield* run(args).pipe(
    Effect.provide(
      Layer.mergeAll(
        oneSentence(name),
        ConfigProvider.layer(ConfigProvider.fromUnknown(env)),
        Stdio.layerTest({})
      )
    ),
    Effect.provideService(Console.Console, quiet),
    Effect.provide(NodeServices.layer),
    Effect.forkChild
  )
  return { exit: yield* Fiber.await(fiber), errors }
})

/** Returns what a program tells a person about this end; undefined for a failure of the program itself. */
const told = (exit: Exit.Exit<void, unknown>, errors: ReadonlyArray<string>): string | undefined => {
  if (Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)) return "done"
  const failure = Cause.squash(exit.cause)
  if (CliError.isCliError(failure)) return errors.join("\n")
  return failure instanceof ToolFailure ? failure.message : operatorMessage(exit.cause)
}

const helpOf = Effect.fnUntraced(function* ({ run }: Program, path: ReadonlyArray<string>) {
  const found: Array<HelpDoc.HelpDoc> = []
  const keep = CliOutput.layerPresenter({
    present: (event) => Effect.sync(() => void (event._tag === "Help" && found.push(event.helpDoc)))
  })
  yield* Effect.provide(run([...path, "--help"]), Layer.merge(keep, NodeServices.layer))
  return found[0]!
})

interface Leaf {
  readonly path: ReadonlyArray<string>
  readonly args: ReadonlyArray<string>
  /** Flags, and true for those that a run has to have. */
  readonly flags: ReadonlyMap<string, boolean>
}

/** Returns every command of a program that does something. */
const leavesOf = (
  program: Program,
  path: ReadonlyArray<string> = []
): Effect.Effect<ReadonlyArray<Leaf>, unknown> =>
  Effect.gen(function* () {
    const { args = [], flags, inheritedFlags = [], subcommands = [] } = yield* helpOf(program, path)
    const names = subcommands.flatMap(({ commands }) => commands.map(({ name }) => name))
    if (names.length > 0)
      return (yield* Effect.forEach(names, (name) => leavesOf(program, [...path, name]))).flat()
    const all = [...flags, ...inheritedFlags].map(({ name, required }) => [name, required] as const)
    return [{ path, args: args.map(({ name }) => name), flags: new Map(all) }]
  })

const flag = (name: string, value: string) => `--${name}=${value}`

/** Values that a flag or an argument is played with in another command than the first that has it. */
const FEW = 3

/**
 * Returns the runs of a command, each with one hostile value. Names of earlier commands are mostly the same flags, so they
 * are played with a few values, which differ from command to command.
 */
const runsOf = (
  { args, flags, path }: Leaf,
  { endless }: Program,
  played: Map<string, number>
): ReadonlyArray<ReadonlyArray<string>> => {
  const valuesFor = (name: string) => {
    const before = played.get(name) ?? 0
    played.set(name, before + 1)
    if (before === 0) return HOSTILE
    return Array.from({ length: FEW }, (_, at) => HOSTILE[(before * FEW + at) % HOSTILE.length]!)
  }
  const good = (name: string) => {
    assert.property(GOOD, name, "the test needs a good value of it")
    return GOOD[name]!
  }
  const required = [...flags].filter(([, isRequired]) => isRequired).map(([name]) => name)
  const others = (left: string) =>
    required.filter((name) => name !== left).map((name) => flag(name, good(name)))
  // A state directory that is taken is made, so a test of its own names them.
  const ofFlags = [...flags.keys()]
    .filter((name) => name !== "state-dir")
    .flatMap((name) => {
      const before = [...path, ...args.map(good), ...others(name)]
      return valuesFor(name).map((value) => before.concat(flag(name, value)))
    })
  const ofArgs = args.flatMap((name) =>
    valuesFor(name).map((value) =>
      path.concat(
        args.map((it) => (it === name ? value : good(it))),
        others("")
      )
    )
  )
  const odd = valuesFor("").flatMap((value) => [
    [...path, ...args.map(good), ...others(""), "one-too-many", value],
    [...path, ...args.map(good), ...others(""), flag("unknown", value)]
  ])
  return [...ofFlags, ...ofArgs, ...odd, ...(endless.includes(path.join(" ")) ? [] : [path])]
}

/** Plays hostile arguments of every command. Each ends with a sentence that a person understands. */
const play = Effect.fnUntraced(function* (program: Program) {
  const leaves = yield* leavesOf(program)
  const before = new Map<string, number>()
  for (const leaf of leaves) {
    for (const args of runsOf(leaf, program, before)) {
      const { errors, exit } = yield* ended(program, args)
      const said = told(exit, errors)
      const shown = args.map((it) => it.slice(0, 60)).join(" ")
      assert.isDefined(said, `${shown}\n${Exit.isFailure(exit) ? Cause.pretty(exit.cause) : ""}`)
      assert.notStrictEqual(said, "", shown)
      assert.match(said, /^[^\p{Cc}\p{Cf}]{1,2000}$/u, shown)
      assert.notMatch(said, /Schema|SchemaError|Expected .*, got|\bat \[|\.ts:\d/, shown)
    }
  }
  return leaves.map(({ path }) => path.join(" "))
})

describe("hostile arguments", () => {
  it.live(
    "Every argument of pennypress is taken, or refused with one sentence",
    () =>
      Effect.gen(function* () {
        const played = yield* play({
          name: "pennypress",
          run: Command.runWith(pennypress, { version: "1" }),
          // Nothing listens there.
          env: {
            ADMIN_TOKEN: "a-token-of-at-least-thirty-two-characters",
            PUBLIC_BASE_URL: "http://127.0.0.1:9",
            DATABASE_URL: "postgres://127.0.0.1:9/none",
            SERVER_SECRET: "a secret that no service has but these tests"
          },
          endless: ["serve", "migrate"]
        })
        assert.includeMembers(played, [
          "serve",
          "migrate",
          "doctor",
          "backup",
          "restore",
          "admin accounts restrict",
          "admin obligations pay"
        ])
      }),
    120_000
  )

  it.live(
    "Every argument of svc-mcp is taken, or refused with one sentence",
    () =>
      Effect.gen(function* () {
        const directory = yield* Effect.acquireRelease(
          Effect.sync(() => mkdtempSync(join(tmpdir(), "svc-mcp-arguments-"))),
          (made) => Effect.sync(() => rmSync(made, { recursive: true }))
        )
        const program: Program = {
          name: "svc-mcp",
          run: Command.runWith(svcMcp, { version: "1" }),
          env: { SVC_ORIGIN: "http://127.0.0.1:9", SVC_STATE_DIR: join(directory, "state") },
          endless: []
        }
        const played = yield* play(program)
        assert.includeMembers(played, ["serve", "status", "setup new-agent", "grant spending"])
        const file = join(directory, "file")
        writeFileSync(file, "")
        for (const place of [file, join(directory, "x".repeat(300)), "/proc/none", "/dev/null/x"]) {
          const { errors, exit } = yield* ended(program, ["status", flag("state-dir", place)])
          assert.match(told(exit, errors) ?? "", /^(The state|Other accounts)/, place)
        }
        const empty = yield* ended(program, ["status", "--state-dir="])
        assert.match(told(empty.exit, empty.errors) ?? "", /^svc-mcp: --state-dir: Use at least 1 character/)
      }).pipe(Effect.scoped),
    120_000
  )
})
