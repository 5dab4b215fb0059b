import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as fc from "fast-check"
import { ObjectStorageMemory } from "../../../../layers/testing/ObjectStorageMemory.ts"
import { ScannerMemory } from "../../../../layers/testing/ScannerMemory.ts"
import { UploadOperationId } from "../../../../schemas/platform/Ids.ts"
import { UploadAdministration } from "../../../../src/publishing/uploads/UploadAdministration.ts"
import { pngFile, type Uploader, uploaderOf, workOff } from "../../../support/actors/uploader.ts"
import type { TestAnswer } from "../../../support/TestClient.ts"
import { administrator, alone, idOf, incomplete, malware } from "../screenings.ts"

const HISTORIES = 5
const STEPS = 22

/** An act of an author, of an administrator or of the scanner. `pick` chooses among the images or Posts so far. */
const act = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom("avatar", "header", "inline", "og") },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      "cancel",
      "associate",
      "remove header",
      "edit",
      "delete",
      "find malware",
      "fail",
      "hold",
      "release",
      "rescreen"
    )
  }
)
const history = fc.array(fc.record({ act, pick: fc.nat(), isWorkedOff: fc.boolean() }), {
  minLength: STEPS,
  maxLength: STEPS
})

interface Found {
  readonly id: string
  readonly state: string
  readonly held: boolean
  readonly shown: boolean
  readonly staged: number
  readonly lives: boolean
  readonly key: string
}

/** Compares the rows with the storage, once no task is due. */
const assertSwept = Effect.fnUntraced(function* (where: string) {
  const sql = yield* SqlClient.SqlClient
  const { objects } = yield* ObjectStorageMemory
  const keys = [...(yield* objects).keys()]
  const rows = yield* sql<Found>`
    select u.id, u.state, u.held, u.shown, u.staged_bytes as staged, 'media/' || u.id as key,
      (u.target_id = u.owner_id or exists (select from posts p where p.id = u.target_id and p.owner_id = u.owner_id)) as lives
    from upload_operations u join owners o on o.id = u.owner_id`
  const copies = new Map(
    keys.filter((key) => key.startsWith("media/")).map((key) => [key.replace(/\.\w+$/, ""), key])
  )
  const owned = new Set(rows.filter((row) => row.held || (row.lives && row.shown)).map(({ key }) => key))
  assert.deepStrictEqual(
    [...copies].filter(([key]) => !owned.has(key)).map(([, key]) => key),
    [],
    `copies without a living owner: ${where}`
  )
  assert.deepStrictEqual(
    rows.filter(({ key, shown }) => shown && !copies.has(key)),
    [],
    `rows without their copy: ${where}`
  )
  const staging = new Set(rows.filter(({ held, staged }) => held || staged > 0).map(({ id }) => id))
  const left = keys.filter(
    (key) => key.startsWith("staging/") && !staging.has(key.slice(8).replace(/\.\d+$/, ""))
  )
  assert.deepStrictEqual(left, [], `staged files without a row: ${where}`)
  // A place never holds the URL of an image that readers do not get, unless an administrator holds it.
  const places = yield* sql`
    select u.id, u.state from upload_operations u
    where not u.shown and not u.held and u.public_url is not null and (
      exists (select from owners o where o.id = u.target_id and u.public_url in (o.avatar_url, o.header_image_url))
      or exists (select from posts p where p.id = u.target_id and p.og_image = u.public_url))`
  assert.deepStrictEqual(places, [], `places with an image that is gone: ${where}`)
})

/** Plays one act. Refusals are part of a history: an image cannot be released twice. */
const play = Effect.fnUntraced(function* (
  author: Uploader,
  { act, pick }: { readonly act: string; readonly pick: number },
  sent: Array<TestAnswer>,
  posts: Array<string>
) {
  const image = sent[pick % Math.max(1, sent.length)]
  const postId = posts[pick % posts.length]!
  const post = Effect.map(author.read(postId), ({ body }) => body)
  const options = { parts: [pngFile(1 + (pick % 50))] }
  const control = (what: "hold" | "release" | "rescreen") =>
    Effect.gen(function* () {
      if (image === undefined) return
      const controls = yield* UploadAdministration
      yield* Effect.ignore(controls[what](yield* administrator, UploadOperationId.make(idOf(image))))
    })
  const keep = (answer: TestAnswer) => {
    if (answer.status === 202) sent.push(answer)
  }
  switch (act) {
    case "avatar":
      return keep(yield* author.avatar(options))
    case "header":
      return keep(yield* author.header(options))
    case "inline":
      return keep(yield* author.inline(yield* post, options))
    case "og":
      return keep(yield* author.og(yield* post, options))
    case "cancel":
      return image === undefined ? undefined : yield* author.cancel(image)
    case "associate":
      return image === undefined ? undefined : yield* author.associate(image)
    case "remove header":
      return yield* author.removeHeader()
    case "edit":
      return yield* author.patch(postId, {
        freeContentMarkdown: `words\n\n${image === undefined ? "" : `![it](${image.body.publicUrl})`}`
      })
    case "delete":
      posts.splice(pick % posts.length, 1, (yield* author.draft()).id)
      return yield* author.remove(postId)
    case "find malware":
      return yield* (yield* ScannerMemory).answerNext(malware)
    case "fail":
      return yield* (yield* ScannerMemory).answerNext(incomplete)
    case "hold":
    case "release":
    case "rescreen":
      return yield* control(act)
    default:
      return assert.fail(act)
  }
})

describe("public copies after any history of images", () => {
  it.effect(`Every public copy has a living owner and every row its copy after ${HISTORIES} histories`, () =>
    Effect.gen(function* () {
      const acts = new Map<string, number>()
      const states = new Set<string>()
      for (const [run, steps] of fc.sample(history, { numRuns: HISTORIES, seed: 20_261_122 }).entries()) {
        const author = yield* uploaderOf(run + 1)
        const sent: Array<TestAnswer> = []
        const posts = [(yield* author.draft()).id, (yield* author.draft()).id]
        const played: Array<string> = []
        for (const step of steps) {
          played.push(`${step.act} ${step.pick % 50}`)
          acts.set(step.act, (acts.get(step.act) ?? 0) + 1)
          yield* play(author, step, sent, posts)
          if (!step.isWorkedOff) continue
          yield* workOff
          yield* assertSwept(`${run}: ${played.join(", ")}`)
        }
        yield* workOff
        yield* assertSwept(`${run}: ${played.join(", ")}`)
      }
      const sql = yield* SqlClient.SqlClient
      for (const { state } of yield* sql<{
        readonly state: string
      }>`select distinct state from upload_operations`)
        states.add(state)
      // The histories reach what they are about.
      assert.includeMembers([...states], ["cancelled", "cleared", "failed", "rejected"])
      assert.strictEqual(acts.size, 14)
    }).pipe(alone("test_uploads_sweep"))
  )
})
