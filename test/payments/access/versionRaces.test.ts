import { assert, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { idOf } from "../../publishing/uploads/screenings.ts"
import { access, buyerOf, inTime } from "../../support/actors/buyer.ts"
import { uploaderOf, workOff, zipFile } from "../../support/actors/uploader.ts"
import { deadlocks } from "../../support/deadlocks.ts"
import { TestClient } from "../../support/TestClient.ts"
import { twoAssemblies } from "../../support/twoServices.ts"
import { newKey, openSession } from "../sessions/sessionWorld.ts"
import { versionSha256 } from "../version.ts"

const BUYERS = 24
const CHECKOUTS = 24
const EDITS = 24

/** A text that names its price. */
const priced = (nth: number) => ({
  title: `Costs ${nth}`,
  freeContentMarkdown: `Free of ${nth}`,
  paidContentMarkdown: `Paid with ${nth}`,
  priceXno: `0.${String(nth).padStart(3, "0")}`
})

const rawOf = (nth: number) => BigInt(nth) * 10n ** 27n

it.effect(
  "Every version that is sold in two processes while its author edits has the price and the files of one moment",
  () =>
    Effect.gen(function* () {
      const [first, second] = yield* twoAssemblies("test_payments_version_races")
      const inProcess = <A, E, R>(nth: number, effect: Effect.Effect<A, E, R>) =>
        Effect.provideService(effect, TestClient, Context.get((nth % 2 === 0 ? first : second)!, TestClient))
      yield* Effect.gen(function* () {
        const author = yield* uploaderOf(1)
        const draft = yield* author.draft({ ...priced(1), enablePaywall: true })
        const { id } = (yield* author.publish(draft.id, "publish")).body

        const editing = Effect.forEach(
          Array.from({ length: EDITS }, (_, nth) => nth + 2),
          Effect.fnUntraced(function* (nth) {
            yield* inProcess(nth, author.patch(id, priced(nth)))
            const { body } = yield* author.read(id)
            const sent = yield* author.attach(body, { parts: [zipFile(`file ${nth}`, `${nth}.zip`)] })
            if (sent.status === 202 && nth % 3 !== 0) {
              yield* workOff
              yield* inProcess(nth + 1, author.detach(id, idOf(sent)))
            }
          })
        )
        const buying = Effect.forEach(
          Array.from({ length: BUYERS }, (_, nth) => nth),
          Effect.fnUntraced(function* (nth) {
            const buyer = yield* buyerOf(10 + nth)
            const { payment } = yield* buyer.sign(id)
            return yield* inProcess(nth, access(id, { payment }))
          }),
          { concurrency: 4 }
        )
        const checkingOut = Effect.forEach(
          Array.from({ length: CHECKOUTS }, (_, nth) => nth),
          (nth) => inProcess(nth, openSession({ kind: "purchase", postId: id }, { key: newKey() })),
          { concurrency: 4 }
        )
        const [answers, sessions] = yield* inTime(
          Effect.all([buying, checkingOut, editing], { concurrency: "unbounded" })
        )

        for (const { body, status, text } of answers) {
          assert.include([200, 402], status, text)
          if (status !== 200) continue
          const { attachments, content, title } = body.post
          // A file on its way is listed, and is no part of the version.
          const files = attachments.filter((it: { readonly state: string }) => it.state !== "receiving")
          const nth = BigInt(body.settlement.amount) / 10n ** 27n
          assert.deepStrictEqual(
            [title, content.free, content.paid],
            [`Costs ${nth}`, `Free of ${nth}`, `Paid with ${nth}`],
            text
          )
          assert.strictEqual(versionSha256({ title, ...content, files }), body.post.versionSha256)
          assert.strictEqual(body.access.versionSha256, body.post.versionSha256)
        }
        assert.isAbove(answers.filter(({ status }) => status === 200).length, 0)

        const sql = yield* SqlClient.SqlClient
        const versions = yield* sql<any>`
          select encode(sha256, 'hex') as digest, title, free_content_markdown as free, paid_content_markdown as paid,
            attachments as files
          from sold_versions where post_id = ${id}`
        const titles = new Map(versions.map(({ digest, title }) => [digest, title]))
        for (const version of versions) assert.strictEqual(versionSha256(version), version.digest)
        for (const { body, status, text } of sessions) {
          assert.strictEqual(status, 201, text)
          const title = titles.get(body.versionSha256)
          assert.strictEqual(BigInt(body.baseAmountRaw), rawOf(Number(title?.replace("Costs ", ""))), text)
        }
        const unlike = yield* sql`
          select from posts p where p.version_files <> coalesce((
            select jsonb_agg(jsonb_build_object('id', a.id, 'fileName', a.file_name, 'byteSize', a.byte_size,
              'sha256', encode(a.sha256, 'hex')) order by a.id)
            from post_attachments a where a.post_id = p.id and a.removed_at is null and a.state <> 'receiving'), '[]')`
        assert.lengthOf(unlike, 0)
        assert.strictEqual(yield* deadlocks, 0)
      }).pipe(Effect.provide(first!))
    }).pipe(Effect.scoped),
  300_000
)
