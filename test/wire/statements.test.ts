import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Dispatcher } from "../../src/engagement/events/Dispatcher.ts"
import { Mailings } from "../../src/engagement/subscribers/mailings/Mailings.ts"
import { Mails } from "../../src/platform/mail/Mails.ts"
import { type Heard, Signals } from "../../src/platform/ports/Signals.ts"
import { later, now } from "../../src/platform/time/now.ts"
import { Schedules } from "../../src/publishing/posts/schedules/Schedules.ts"
import { followsOf } from "../engagement/follows/follower.ts"
import { ask, confirmLinks, open } from "../engagement/subscribers/readers.ts"
import { receiverOf, takeTurns } from "../engagement/webhooks/receiver.ts"
import { paidPost } from "../payments/access/paidPost.ts"
import { importerOf, stepImports, withJsonItems, workImports } from "../publishing/imports/importer.ts"
import { fileOf } from "../publishing/imports/jsonItems.ts"
import { claimSchedules, inSeconds, schedulerOf } from "../publishing/posts/schedules/scheduling.ts"
import { authorOf } from "../support/actors/author.ts"
import { access, base64Json, fromBase64, inTime, payloadOf } from "../support/actors/buyer.ts"
import { commenterOf } from "../support/actors/commenter.ts"
import { payerOf } from "../support/actors/payer.ts"
import { readerOf } from "../support/actors/reader.ts"
import { uploaderOf } from "../support/actors/uploader.ts"
import { database } from "../support/Database.ts"
import { statementsOf } from "../support/statements.ts"
import { service, TestClient } from "../support/TestClient.ts"

const quietSignals = Layer.succeed(Signals, {
  send: () => Effect.succeed(0n),
  heard: () => Stream.concat(Stream.succeed<Heard>({ _tag: "listening" }), Stream.never)
})

const DATABASE = Layer.merge(database("test_wire_statements"), quietSignals)

/** Asserts how many statements a write runs, in their own words when there are more or fewer. */
const assertCount = (what: string, statements: ReadonlyArray<string>, count: number) =>
  assert.lengthOf(statements, count, `${what}:\n${statements.join("\n\n")}`)

// The table of test/bench/README.md says what each statement is.
layer(service(DATABASE, 1, { ...withJsonItems, isAlone: false }))("the statements of a write", (it) => {
  it.effect("A Comment runs seven, and a reaction three", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const { id } = yield* (yield* authorOf(1)).published()
      const reader = yield* commenterOf(2)
      const root = yield* statementsOf(reader.append(id, "A word", { key: "root" }))
      assert.strictEqual(root.answer.status, 201, root.answer.text)
      assertCount("a Comment", root.statements, 7)
      const reply = yield* statementsOf(reader.append(id, "Another", { parent: root.answer.body.id }))
      assert.strictEqual(reply.answer.status, 201, reply.answer.text)
      assertCount("a reply", reply.statements, 7)

      const react = (reaction: string | null) =>
        client.send("PUT", `/api/v1/posts/${id}/reactions`, {
          token: reader.accessToken,
          body: { reaction }
        })
      const reaction = yield* statementsOf(react("heart"))
      assert.strictEqual(reaction.answer.status, 200, reaction.answer.text)
      assertCount("a reaction", reaction.statements, 3)
      assertCount("its end", (yield* statementsOf(react(null))).statements, 3)
    })
  )

  it.effect(
    "A schedule runs six with its transaction and the check of its key, its end two, and a publication that is due eight",
    () =>
      Effect.gen(function* () {
        const author = yield* authorOf(9)
        const { schedule } = schedulerOf(author)
        const { id } = yield* author.draft()
        const saved = yield* statementsOf(
          Effect.flatMap(inSeconds(60), (publishAt) => schedule(id, { publishAt }))
        )
        assert.strictEqual(saved.answer.status, 200, saved.answer.text)
        assertCount("a schedule", saved.statements, 6)
        assertCount("its end", (yield* statementsOf(schedulerOf(author).cancel(id))).statements, 2)
        yield* schedule(id, { publishAt: yield* inSeconds(60) })
        yield* TestClock.adjust("60 seconds")
        const due = yield* claimSchedules
        const { publishDue } = yield* Schedules
        const published = yield* statementsOf(
          Effect.forEach(due, publishDue).pipe(Effect.as({ status: 200, text: "" } as never))
        )
        assertCount("a publication", published.statements, 8)
      })
  )

  it.effect(
    "A subscription by mail runs six for every address, its link five, a batch of mails seven, and a mail three",
    () =>
      Effect.gen(function* () {
        const author = yield* authorOf(10)
        const email = "ada@example.org"
        for (const what of ["a new request", "its repeat"]) {
          const asked = yield* statementsOf(ask(author.handle, email))
          assert.strictEqual(asked.answer.status, 202, asked.answer.text)
          assertCount(what, asked.statements, 6)
        }
        const [link = ""] = yield* confirmLinks(email)
        const confirmed = yield* statementsOf(open("POST", link))
        assert.strictEqual(confirmed.answer.status, 200, confirmed.answer.text)
        assertCount("its link", confirmed.statements, 5)
        assertCount(
          "a request when it is confirmed",
          (yield* statementsOf(ask(author.handle, email))).statements,
          6
        )
        yield* author.published()
        yield* TestClock.adjust("6 minutes")
        const { claim, step } = yield* Mailings
        const at = yield* now
        const due = claim({ at, leaseUntil: later(at, 60_000), limit: 10 })
        yield* Effect.flatMap(due, Effect.forEach(step))
        const mailings = yield* claim({ at: later(at, 120_000), leaseUntil: later(at, 180_000), limit: 10 })
        assert.lengthOf(mailings, 1)
        const batch = yield* statementsOf(Effect.forEach(mailings, step))
        assertCount("a batch", batch.statements, 7)
        const { claimShared, deliver } = yield* Mails
        const mails = yield* claimShared({
          at: later(at, 120_000),
          leaseUntil: later(at, 180_000),
          limit: 10
        })
        assert.lengthOf(mails, 1)
        assertCount("a mail", (yield* statementsOf(Effect.forEach(mails, deliver))).statements, 3)
      })
  )

  it.effect("A follow runs two, and its end two", () =>
    Effect.gen(function* () {
      const follower = followsOf(yield* readerOf(3))
      const { id } = yield* readerOf(4)
      assertCount("a follow", (yield* statementsOf(follower.follow(id))).statements, 2)
      assertCount("its end", (yield* statementsOf(follower.unfollow(id))).statements, 2)
    })
  )

  it.effect("An avatar runs fourteen until it is received", () =>
    Effect.gen(function* () {
      const uploaded = yield* statementsOf((yield* uploaderOf(5)).avatar())
      assert.strictEqual(uploaded.answer.status, 202, uploaded.answer.text)
      assertCount("an avatar", uploaded.statements, 14)
    })
  )

  it.effect(
    "An import begins in nine, a piece runs three, an item of it eight, and a request to apply eleven",
    () =>
      Effect.gen(function* () {
        const author = yield* importerOf(8)
        const file = fileOf([{}])
        const begun = yield* statementsOf(author.begin(file))
        assert.strictEqual(begun.answer.status, 201, begun.answer.text)
        const { id } = begun.answer.body
        assertCount("a begin", begun.statements, 9)
        assertCount("a piece", (yield* statementsOf(author.put(id, file))).statements, 3)
        yield* workImports
        assertCount("an import", (yield* statementsOf(author.get(id))).statements, 2)
        assertCount("a list of items", (yield* statementsOf(author.items(id))).statements, 3)
        assertCount("an apply", (yield* statementsOf(author.apply(id))).statements, 11)
        const step = yield* statementsOf(stepImports.pipe(Effect.as({ status: 200, text: "" } as never)))
        // Two claims, the row, the key, the item, its end with the counts, and the question for another one.
        assertCount("a step with one item", step.statements, 20)
      })
  )

  it.effect(
    "A webhook is created in seven and changed in six, its reads run two or three, a dispatch ten, and a turn of two messages nine",
    () =>
      Effect.gen(function* () {
        const author = yield* authorOf(11)
        const owner = yield* receiverOf(11)
        const made = yield* statementsOf(owner.create())
        assert.strictEqual(made.answer.status, 201, made.answer.text)
        assertCount("a new webhook", made.statements, 7)
        const { id } = made.answer.body.webhook
        const described = yield* statementsOf(owner.change(id, { description: "Shop" }))
        assertCount("a change", described.statements, 6)
        assertCount("a secret", (yield* statementsOf(owner.rotate(id))).statements, 6)
        assertCount("a webhook", (yield* statementsOf(owner.read(id))).statements, 2)
        assertCount("a list", (yield* statementsOf(owner.list)).statements, 2)
        const { dispatch } = yield* Dispatcher
        const asAnswer = Effect.as({ status: 200, text: "" } as never)
        for (const _ of [1, 2]) yield* author.published()
        assertCount("a dispatch", (yield* statementsOf(asAnswer(dispatch))).statements, 10)
        // A claim without a webhook comes last.
        assertCount("a turn", (yield* statementsOf(asAnswer(takeTurns))).statements, 9 + 1)
        const log = yield* statementsOf(owner.log(id))
        assertCount("a log", log.statements, 3)
        const delivery = log.answer.body.data[0].id
        assertCount("a delivery", (yield* statementsOf(owner.delivery(id, delivery))).statements, 3)
        assertCount("a test", (yield* statementsOf(owner.test(id))).statements, 6)
        const again = yield* statementsOf(owner.redeliverOne(id, delivery))
        assert.strictEqual(again.answer.status, 202, again.answer.text)
        assertCount("a delivery again", again.statements, 6)
        const removed = yield* statementsOf(owner.remove(id))
        assert.strictEqual(removed.answer.status, 204, removed.answer.text)
        assertCount("a removal", removed.statements, 5)
      })
  )

  it.effect("Terms run one, and a payment sixteen", () =>
    Effect.gen(function* () {
      const { id } = yield* (yield* authorOf(6)).published(paidPost)
      const payer = yield* payerOf(7)
      yield* payer.fund()
      const terms = yield* statementsOf(access(id))
      assertCount("terms", terms.statements, 1)
      const required = fromBase64(terms.answer.headers.get("payment-required"))
      const [{ amount, payTo }] = required.accepts
      const block = yield* payer.send(payTo, BigInt(amount))
      const payment = base64Json(payloadOf(required, block))
      const paid = yield* statementsOf(inTime(access(id, { payment })))
      assert.strictEqual(paid.answer.status, 200, paid.answer.text)
      assertCount("a payment", paid.statements, 16)
    })
  )
})
