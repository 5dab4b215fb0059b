import { execFile } from "node:child_process"
import { chmodSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { PostId } from "../../schemas/platform/Ids.ts"
import { authorOf } from "../support/actors/author.ts"
import { storedSettlement } from "../support/actors/storedPayments.ts"
import { emptyDatabase } from "../support/Database.ts"
import { temporaryDirectory } from "../support/directories.ts"
import { runbookBlocks } from "../support/runbook.ts"
import { TestClient } from "../support/TestClient.ts"
import { administered } from "./administered.ts"

/** A folder of programs: `pennypress` from this checkout, and what stands for curl, which may be missing. */
const makePrograms = (folder: string) => {
  const node = JSON.stringify(process.execPath)
  const program = JSON.stringify(join(process.cwd(), "src/bin/pennypress.ts"))
  const fetching = "fetch(process.argv.at(-1)).then((it) => it.text()).then(console.log)"
  const programs = {
    pennypress: `exec ${node} ${program} "$@"`,
    curl: `exec ${node} -e '${fetching}' -- "$@"`
  }
  mkdirSync(folder)
  for (const [name, line] of Object.entries(programs)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${line}\n`)
    chmodSync(join(folder, name), 0o755)
  }
}

/** Runs a line in a shell to its end. */
const shell = (line: string, env: Readonly<Record<string, string>>) =>
  Effect.promise(() =>
    promisify(execFile)("/bin/sh", ["-c", line], { env }).then(
      ({ stdout }) => ({ status: 0, text: stdout }),
      (error) => ({ status: error.code, text: `${error.stdout}${error.stderr}` })
    )
  )

describe("the runbook", () => {
  it.live("Every command of it runs over a real service", () =>
    Effect.gen(function* () {
      const { env, origin, service, url } = yield* administered("test_runbook")
      const sql = Context.get(service, SqlClient.SqlClient)
      const author = yield* Effect.provideContext(authorOf(1), service)
      const { id: post } = yield* Effect.provideContext(author.published(), service)
      yield* Effect.provideContext(storedSettlement(PostId.make(post), "purchase", "settling"), service)
      const [settlement] = yield* sql<{ readonly id: string }>`select id from settlements`
      const [key] = yield* sql<{ readonly key_id: string }>`select key_id from api_keys`

      const home = yield* temporaryDirectory
      makePrograms(join(home, "bin"))
      const empty = yield* emptyDatabase("test_runbook_empty")
      const shellEnvironment = {
        ...env,
        PATH: `${join(home, "bin")}:/usr/bin:/bin`,
        DATABASE_URL: Redacted.value(url),
        SERVER_SECRET: "a secret for the tests of administrators",
        SCANNER: "none",
        SERVICE: origin,
        SETTLEMENT: settlement?.id ?? "",
        HANDLE: author.handle,
        BACKUPS: join(home, "backups"),
        ASIDE: join(home, "aside"),
        EMPTY: join(home, "empty")
      }
      const made = yield* shell('pennypress backup --to "$BACKUPS"', shellEnvironment)
      assert.strictEqual(made.status, 0, made.text)
      const commands = runbookBlocks("sh runbook").flatMap((block) =>
        block.split("\n").map((line) => line.trim())
      )
      assert.isAbove(commands.length, 9)
      const answers = new Map<string, string>()
      const run = Effect.fnUntraced(function* (command: string) {
        const isRestore = command.startsWith("pennypress restore")
        const { status, text } = yield* shell(command, {
          ...shellEnvironment,
          ...(isRestore ? { DATABASE_URL: Redacted.value(empty) } : {})
        })
        assert.strictEqual(status, 0, `${command}\n${text}`)
        answers.set(command, text)
      })
      const isDeletion = (command: string) => command.startsWith("pennypress admin accounts delete")
      yield* Effect.forEach(
        commands.filter((it) => !isDeletion(it)),
        run
      )
      assert.include(answers.get("pennypress doctor"), "database")
      assert.include(answers.get('curl -s "$SERVICE/health/ready"'), '"ready"')
      assert.include(answers.get("pennypress admin settlements list --state settling"), settlement?.id ?? "")
      assert.include(answers.get('pennypress restore --from "$BACKUPS" --into "$EMPTY"'), "is restored")

      const values: Readonly<Record<string, string>> = {
        handle: author.handle.toUpperCase(),
        key_id: key?.key_id ?? "",
        slot: "none"
      }
      const client = Context.get(service, TestClient)
      const statuses = Effect.forEach([author.key, author.accessToken], (token) =>
        Effect.map(client.send("GET", "/api/v1/me", { token }), ({ status }) => status)
      )
      assert.deepStrictEqual(yield* statuses, [200, 200])
      const statements = runbookBlocks("sql runbook").flatMap((block) => block.split(/;\s*(?:\n|$)/))
      for (const statement of statements.filter((it) => it !== ""))
        yield* sql.unsafe(statement.replaceAll(/:'(\w+)'/g, (_, name: string) => `'${values[name]}'`))
      assert.deepStrictEqual(yield* statuses, [401, 401])

      const deletions = commands.filter(isDeletion)
      assert.lengthOf(deletions, 1)
      yield* Effect.forEach(deletions, run)
      const profile = yield* client.send("GET", `/api/profile/${author.handle}`)
      assert.strictEqual(profile.status, 404)
    })
  )
})
