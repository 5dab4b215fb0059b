import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Option } from "effect"
import { isPostmaster, runningServer } from "../../layers/postgres/embedded/pidFile.ts"
import { eventually } from "./eventually.ts"

/** A new folder with a space in its path that every user may enter; removed with the scope. */
export const temporaryDirectory = Effect.acquireRelease(
  Effect.sync(() => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), "pennypress-")))
    chmodSync(root, 0o755)
    const directory = join(root, "with a space")
    mkdirSync(directory, { mode: 0o755 })
    return { root, directory }
  }),
  ({ root }) =>
    Effect.sync(() => rmSync(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }))
).pipe(Effect.map(({ directory }) => directory))

const endServer = Effect.fnUntraced(function* (data: string) {
  const server = Option.getOrUndefined(runningServer(data))
  if (server === undefined) return
  process.kill(server.pid, "SIGQUIT")
  yield* eventually(
    "the end of the server",
    Effect.sync(() => !isPostmaster(server.pid, data))
  )
})

/** A data directory. The scope also ends a server that a test left running there. */
export const temporaryDataDirectory = Effect.tap(temporaryDirectory, (directory) =>
  Effect.addFinalizer(() => endServer(join(directory, "postgres", "data")))
)
