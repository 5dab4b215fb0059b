import { execFileSync } from "node:child_process"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { uploaderOf } from "../support/actors/uploader.ts"
import { temporaryDirectory } from "../support/directories.ts"
import { TestClient, type TestAnswer } from "../support/TestClient.ts"
import { serveIn } from "../wire/program.ts"
import { connectionTo, type SampleImage, SCREENING, uploadsDatabase, clientOver } from "./uploadClient.ts"

const clamd = process.env["SERVICES_CLAMD_UNIX"]

/** The program with one author over a database of this name, seen by the author and by an operator. */
export const servedTo = Effect.fnUntraced(function* (
  name: string,
  environment: Readonly<Record<string, string>>,
  dataDirectory?: string
) {
  const directory = dataDirectory ?? (yield* temporaryDirectory)
  const databaseUrl = yield* uploadsDatabase(name)
  const program = yield* serveIn(directory, {
    ...SCREENING,
    CLAMD_URL: clamd ?? "",
    DATABASE_URL: Redacted.value(databaseUrl),
    ...environment
  })
  const line = yield* Effect.raceFirst(program.firstLine, Effect.as(program.exit, "it ended"))
  const [, origin = ""] = /^pennypress listening on (\S+)$/u.exec(line) ?? []
  assert.notStrictEqual(origin, "", program.log.join("\n"))
  const owner = yield* uploaderOf(1).pipe(Effect.provideService(TestClient, clientOver(origin)))
  const post = yield* owner.draft()
  const sql = yield* connectionTo(databaseUrl)

  let nodes = 0
  const send = (image: Pick<SampleImage, "bytes" | "mediaType">, key?: string) => {
    const node = key ?? `node-${nodes++}`
    return owner.inline(post, {
      key: node,
      parts: [{ name: "file", fileName: "picture", mediaType: image.mediaType, content: image.bytes }],
      headers: { "x-upload-target-key": node }
    })
  }
  /** Makes later tasks due now, instead of waiting for the growing time between attempts. */
  const hurry = sql`
    update upload_operations set due_at = localtimestamp
    where next_task is not null and next_task not in ('expire', 'receive') and state <> 'checking' and due_at > localtimestamp`
  /** Returns an operation once it matches. Each look makes waiting tasks due, when asked to. */
  const receiptWhen = Effect.fnUntraced(function* (
    answer: TestAnswer,
    what: string,
    isSo: (safety: any, receipt: any) => boolean,
    how: { readonly hurrying?: boolean } = {}
  ) {
    const end = performance.now() + 60_000
    while (true) {
      const { body, status } = yield* owner.status(answer)
      if ((status === 200 || status === 202) && isSo(body.safety, body)) return body
      if (performance.now() > end) return assert.fail(`never ${what}: ${JSON.stringify(body)}`)
      if (how.hurrying === true) yield* hurry
      yield* Effect.sleep("50 millis")
    }
  })
  const waitsFor = (answer: TestAnswer, reason: string) =>
    receiptWhen(answer, reason, ({ lastError, state }) => state === "queued" && lastError === reason)
  const ends = (answer: TestAnswer, state: string) =>
    receiptWhen(answer, state, (safety) => safety.state === state, { hurrying: true })

  const received = Effect.fnUntraced(function* (image: SampleImage, key?: string) {
    const answer = yield* send(image, key)
    assert.isTrue(answer.body?.safety?.received, `${answer.status} ${answer.text}`)
    return answer
  })
  /** Finds the operation of a saved key. */
  const recovered = (key: string) =>
    Effect.map(
      owner.operations(`?requestKey=${key}&targetKind=inline&targetId=${post.id}&targetKey=${key}`),
      ({ body }) => body.operations[0]
    )
  /** Waits until no task is left. */
  const settled = Effect.gen(function* () {
    const end = performance.now() + 60_000
    while (true) {
      const waiting =
        yield* sql`select state, next_task, last_error from upload_operations where next_task is not null`
      if (waiting.length === 0) return
      if (performance.now() > end) return assert.fail(`still waiting: ${JSON.stringify(waiting)}`)
      yield* hurry
      yield* Effect.sleep("50 millis")
    }
  })
  /** Asserts that an uncertain upload names the way to certainty, and sends it again once that is allowed. */
  const sendsAgain = Effect.fnUntraced(function* (image: SampleImage, key: string, answer: TestAnswer) {
    assert.strictEqual(answer.status, 503, answer.text)
    assert.strictEqual(answer.body.recovery.requestKey, key)
    assert.isFalse((yield* recovered(key)).safety.received)
    const end = performance.now() + 60_000
    while (true) {
      if ((yield* recovered(key)).safety.reuploadAllowed) {
        const again = yield* send(image, key)
        if (again.body?.safety?.received === true) return again
        // The rest of the first may be in cleanup at the moment.
        assert.include([200, 202], again.status, again.text)
      }
      if (performance.now() > end) return assert.fail(JSON.stringify(yield* recovered(key)))
      // Ends the wait between two tries, and never the lease of a cleanup, which is longer: its late removal would take the
      // copy of the file that is sent again.
      yield* sql`update upload_operations set due_at = localtimestamp
        where next_task = 'receive' and due_at > localtimestamp and due_at < localtimestamp + interval '60 seconds'`
      yield* Effect.sleep("50 millis")
    }
  })
  return {
    ...program,
    directory,
    origin,
    owner,
    post,
    sql,
    send,
    received,
    recovered,
    sendsAgain,
    waitsFor,
    ends,
    settled
  }
})

/** Mounts a file system of this many bytes, or returns the reason why not. */
export const smallDisk = Effect.fnUntraced(function* (bytes: number) {
  const directory = join(yield* temporaryDirectory, "disk")
  mkdirSync(directory)
  return yield* Effect.acquireRelease(
    Effect.sync(() => {
      if (process.getuid?.() !== 0) return undefined
      try {
        execFileSync("mount", ["-t", "tmpfs", "-o", `size=${bytes}`, "tmpfs", directory], { stdio: "ignore" })
        return directory
      } catch {
        return undefined
      }
    }),
    (mounted) =>
      Effect.sync(() => {
        if (mounted !== undefined) execFileSync("umount", ["-l", mounted], { stdio: "ignore" })
      })
  )
})
