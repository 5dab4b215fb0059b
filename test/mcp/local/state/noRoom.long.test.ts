import { execFile, spawnSync } from "node:child_process"
import { chmodSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { NodeHttpClient } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeAccount } from "../intents/killing.ts"
import { toolProcess } from "../intents/toolProcess.ts"
import { stateDirectory } from "../localEdition.ts"
import { rowsOf } from "../stateFile.ts"
import { PROGRAM } from "../svcMcp.ts"

const HOUR = 3_600_000

/** Runs a program whose files have at most this many blocks of 512 bytes: a disk without room. */
const withRoom = (blocks: number) => ["sh", "-c", `ulimit -f ${blocks}; exec "$@"`, "sh"]

const isRoot = process.getuid?.() === 0

/** Runs a program for which a directory is read-only. Modes stop no administrator, so they get a mount. */
const readOnly = (directory: string) =>
  isRoot
    ? ["unshare", "-m", "sh", "-c", 'mount --bind -o ro "$0" "$0" && exec "$@"', directory]
    : ["sh", "-c", 'exec "$@"', "sh"]

const mayMount = !isRoot || spawnSync("sh", ["-c", "unshare -m true"]).status === 0

/** Runs a command to its end. Returns its status and its log. */
const ended = ([command = "", ...words]: ReadonlyArray<string>) =>
  Effect.promise(
    () =>
      new Promise<readonly [number, string]>((resolve) => {
        execFile(command, words, (error, _, log) => resolve([error === null ? 0 : Number(error.code), log]))
      })
  )

describe("svc-mcp on a disk", () => {
  it.live(
    "A disk without room is reported, nothing is sent, and work goes on once there is room",
    () =>
      Effect.gen(function* () {
        const place = ["--origin", "http://localhost:4", "--state-dir"]
        const fresh = yield* stateDirectory
        const status = [process.execPath, PROGRAM, ...place, fresh, "status"]
        const [code, told] = yield* ended([...withRoom(16), ...status])
        assert.deepStrictEqual([code, /state-unavailable/.test(told)], [73, true], told)
        assert.deepStrictEqual(yield* ended(status), [0, ""])

        const { proxy, writer } = yield* makeAccount(80)
        const { directory } = writer
        const blocks = Math.ceil(statSync(join(directory, "state.db")).size / 512)
        const tools = toolProcess(proxy.origin, directory, withRoom(blocks))
        const draft = {
          intent_id: crypto.randomUUID(),
          title: "Without room",
          free_content_markdown: "Much text. ".repeat(15_000)
        }
        const refused = yield* Effect.promise(() => tools.call("svc_create_draft", draft))
        assert.isTrue(refused.isError)
        assert.strictEqual(JSON.parse(refused.content[0].text).code, "state-unavailable")
        assert.lengthOf(rowsOf(directory, "select id from intents"), 0)
        const totalOf = Effect.map(writer.call("svc_list_drafts", {}), ({ total }) => total as number)
        assert.strictEqual(yield* totalOf, 0)
        // The process itself goes on, too.
        const small = yield* Effect.promise(() =>
          tools.call("svc_create_draft", { title: "Small", free_content_markdown: "One." })
        )
        assert.isFalse(small.isError === true, JSON.stringify(small))
        yield* Effect.promise(tools.end)
        const made = yield* writer.call("svc_create_draft", draft)
        assert.isFalse(made.operation.replayed)
        assert.strictEqual(yield* totalOf, 2)
      }).pipe(Effect.provide(NodeHttpClient.layerUndici)),
    HOUR
  )

  it.live.skipIf(!mayMount)(
    "A read-only disk is reported, and refuses writes",
    () =>
      Effect.gen(function* () {
        const directory = yield* stateDirectory
        const place = ["--origin", "http://localhost:4", "--state-dir", directory]
        const status = [process.execPath, PROGRAM, ...place, "status"]
        assert.deepStrictEqual(yield* ended(status), [0, ""])
        const file = join(directory, "state.db")
        const before = readFileSync(file, "hex")
        if (!isRoot) {
          chmodSync(file, 0o400)
          chmodSync(directory, 0o500)
        }
        // Reads tell the state; a write is refused.
        assert.deepStrictEqual(yield* ended([...readOnly(directory), ...status]), [0, ""])
        const write = [...status, "--set-nano-rpc", "http://localhost:4/dev/nano"]
        const [code, told] = yield* ended([...readOnly(directory), ...write])
        chmodSync(directory, 0o700)
        assert.deepStrictEqual([code, /state-unavailable/.test(told)], [73, true], told)
        assert.strictEqual(readFileSync(file, "hex"), before)
      }),
    HOUR
  )
})
