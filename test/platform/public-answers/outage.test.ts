import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { Heard } from "../../../src/platform/ports/Signals.ts"
import { KEY, LISTENING, LOST, process } from "./answeringProcess.ts"

const NONE = [undefined, undefined]

/** A process that has kept the answer and lost its database since. */
const away = Effect.gen(function* () {
  const it = yield* process()
  yield* it.hear(LISTENING)
  yield* it.read
  yield* it.loseDatabase
  return it
})

it.effect("A kept answer stands in for the database with its age, for a minute", () =>
  Effect.gen(function* () {
    const { ages, answers, isKept, made, read } = yield* away
    assert.deepStrictEqual(yield* ages, ["0", "0"])
    yield* TestClock.adjust("12900 millis")
    assert.deepStrictEqual(yield* ages, ["12", "12"])
    const { headers } = yield* answers.get(KEY, Effect.never)
    assert.strictEqual(headers["cache-control"], "public, max-age=15")
    assert.strictEqual(headers["cache-status"], 'pennypress; hit; ttl=3; detail="database unavailable"')
    yield* TestClock.adjust("47099 millis")
    assert.deepStrictEqual(yield* ages, ["59", "59"])
    assert.isTrue(yield* answers.standIn)
    yield* TestClock.adjust("1 millis")
    assert.isFalse(yield* answers.standIn)
    assert.isFalse(yield* isKept)
    assert.isTrue(Exit.hasDies(yield* Effect.exit(read)))
    assert.strictEqual(made(), 1)
  })
)

it.effect("The minute begins when the database was last heard, not when its loss was noticed", () =>
  Effect.gen(function* () {
    const { ages, answers, hear, network, read } = yield* process()
    yield* hear(LISTENING)
    yield* read
    yield* TestClock.adjust("2 seconds")
    network.isUp = false
    const lost: Heard = { _tag: "lost", silentMillis: 2_000 }
    yield* Effect.andThen(hear(lost), Effect.yieldNow)
    assert.deepStrictEqual(yield* ages, ["2", "2"])
    yield* TestClock.adjust("57999 millis")
    assert.isTrue(yield* answers.standIn)
    yield* TestClock.adjust("1 millis")
    assert.isFalse(yield* answers.standIn)
  })
)

it.effect("An answer whose life had ended when the database was last heard does not stand in", () =>
  Effect.gen(function* () {
    const { answers, hear, isKept, loseDatabase, read } = yield* process()
    yield* hear(LISTENING)
    yield* read
    yield* TestClock.adjust("10 seconds")
    yield* loseDatabase
    assert.isFalse(yield* isKept)
    assert.isFalse(yield* answers.standIn)
    assert.isTrue(Exit.hasDies(yield* Effect.exit(read)))
  })
)

it.effect("A change before the loss, of this process or another, leaves nothing to stand in", () =>
  Effect.gen(function* () {
    for (const change of ["own", "other"]) {
      const { answers, hear, isKept, loseDatabase, read } = yield* process()
      yield* hear(LISTENING)
      yield* read
      yield* change === "own"
        ? answers.changing(["post:1"])(Effect.void)
        : hear({ _tag: "signal", text: "post:1", position: 0n })
      yield* loseDatabase
      assert.isFalse(yield* isKept, change)
      assert.isFalse(yield* answers.standIn, change)
    }
  })
)

it.effect(
  "A change that is under way at the loss, or tried after it, ends the answers that it concerns",
  () =>
    Effect.gen(function* () {
      const { answers, endTransaction, hear, isKept, loseDatabase, network, read } = yield* process()
      yield* hear(LISTENING)
      yield* read
      network.isInTransaction = true
      yield* answers.changing(["post:1"])(Effect.void)
      yield* loseDatabase
      assert.isFalse(yield* isKept)
      assert.isTrue(Exit.hasDies(yield* Effect.exit(read)))
      // Its commit may have succeeded.
      yield* endTransaction
      assert.isFalse(yield* isKept)

      const other = yield* away
      yield* Effect.exit(other.answers.changing(["post:1"])(Effect.die("the database is unavailable")))
      assert.isFalse(yield* other.isKept)
    })
)

it.effect(
  "An addition before the loss, of this process or another, leaves the earlier answer to stand in",
  () =>
    Effect.gen(function* () {
      for (const addition of ["own", "other"]) {
        const { ages, answers, hear, isKept, loseDatabase, read } = yield* process()
        yield* hear(LISTENING)
        yield* read
        yield* addition === "own"
          ? answers.adding(["post:1"])(Effect.void)
          : hear({ _tag: "signal", text: "+post:1", position: 0n })
        assert.isFalse(yield* isKept, addition)
        yield* loseDatabase
        assert.deepStrictEqual(yield* ages, ["0", "0"], addition)
        yield* TestClock.adjust("1 minute")
        assert.isFalse(yield* answers.standIn, addition)
      }
    })
)

it.effect("An addition that is under way at the loss, or tried after it, takes no answer away", () =>
  Effect.gen(function* () {
    const { answers, endTransaction, hear, isKept, loseDatabase, network, read } = yield* process()
    yield* hear(LISTENING)
    yield* read
    network.isInTransaction = true
    yield* answers.adding(["post:1"])(Effect.void)
    yield* loseDatabase
    assert.isTrue(yield* isKept)
    yield* endTransaction
    assert.isTrue(yield* isKept)
    yield* Effect.exit(answers.adding(["post:1"])(Effect.die("the database is unavailable")))
    assert.isTrue(yield* isKept)
  })
)

it.effect("An answer that an addition overtook is kept to stand in alone", () =>
  Effect.gen(function* () {
    for (const addition of ["ended", "under way"]) {
      const { answers, change, hear, isKept, loseDatabase, make, network, read } = yield* process()
      yield* hear(LISTENING)
      const gate = yield* Deferred.make<void>()
      const slow = Effect.tap(make, () => Deferred.await(gate))
      const reader = yield* Effect.forkChild(answers.get(KEY, slow), { startImmediately: true })
      network.isInTransaction = addition === "under way"
      yield* answers.adding(["post:1"])(change)
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(reader)
      assert.isFalse(yield* isKept, addition)
      yield* loseDatabase
      assert.strictEqual(yield* read, 0, addition)
    }
  })
)

it.effect("A change after an addition ends the earlier answer for good, and so does a newer one", () =>
  Effect.gen(function* () {
    for (const last of ["change", "signal", "tried", "read"]) {
      const { answers, change, hear, isKept, loseDatabase, read } = yield* process()
      yield* hear(LISTENING)
      yield* read
      yield* answers.adding(["post:1"])(change)
      if (last === "change") yield* answers.changing(["profile:1"])(Effect.void)
      if (last === "signal") yield* hear({ _tag: "signal", text: "profile:1", position: 0n })
      if (last === "read") assert.strictEqual(yield* read, 1)
      yield* loseDatabase
      if (last === "tried") yield* Effect.exit(answers.changing(["profile:1"])(Effect.die("unavailable")))
      if (last === "read") assert.strictEqual(yield* read, 1)
      else assert.isFalse(yield* isKept, last)
    }
  })
)

it.effect("A lost listener alone is no outage: answers are made while the database answers", () =>
  Effect.gen(function* () {
    const { change, hear, isKept, network, read } = yield* process()
    yield* hear(LISTENING)
    yield* read
    yield* hear(LOST)
    yield* change
    assert.strictEqual(yield* read, 1)
    assert.isFalse(yield* isKept)
    // A change that this process did not hear of may have happened since.
    yield* TestClock.adjust("1 second")
    network.isUp = false
    assert.isTrue(Exit.hasDies(yield* Effect.exit(read)))
    assert.isFalse(yield* isKept)
  })
)

it.effect("A reader who saw a newer answer gets no older one when the database is lost a moment later", () =>
  Effect.gen(function* () {
    for (const newer of ["an answer", "nothing"]) {
      const { answers, hear, isKept, make, network, read } = yield* process()
      yield* hear(LISTENING)
      yield* read
      yield* hear(LOST)
      const made = newer === "nothing" ? Effect.fail("not found") : make
      yield* Effect.exit(answers.get<string, never>(KEY, made))
      network.isUp = false
      assert.isTrue(Exit.hasDies(yield* Effect.exit(read)), newer)
      assert.isFalse(yield* isKept, newer)
    }
  })
)

it.effect("A read that finds the database gone is answered from what was kept", () =>
  Effect.gen(function* () {
    const { ages, hear, network, read } = yield* process()
    yield* hear(LISTENING)
    yield* read
    yield* hear(LOST)
    network.isUp = false
    assert.deepStrictEqual((yield* ages)[1], "0")
    assert.deepStrictEqual(yield* ages, ["0", "0"])
  })
)

it.effect("A reader waits a second at most for a database that is silent", () =>
  Effect.gen(function* () {
    const { answers, hear, make, network, read } = yield* process()
    yield* hear(LISTENING)
    yield* read
    network.isSilent = true
    yield* hear(LOST)
    const reader = yield* Effect.forkChild(answers.get(KEY, make), { startImmediately: true })
    yield* TestClock.adjust("999 millis")
    assert.isUndefined(reader.pollUnsafe())
    yield* TestClock.adjust("1 millis")
    assert.strictEqual((yield* Fiber.join(reader)).headers["age"], "1")
  })
)

it.effect("Everything that was kept is dropped when the database answers again, heard or not", () =>
  Effect.gen(function* () {
    for (const isHeard of [true, false]) {
      const { ages, answers, change, hear, isKept, network, read } = yield* away
      yield* change
      network.isUp = true
      if (isHeard) yield* hear(LISTENING)
      else yield* TestClock.adjust("1 second")
      assert.isFalse(yield* isKept)
      assert.isFalse(yield* answers.standIn)
      assert.strictEqual(yield* read, 1)
      assert.strictEqual(yield* isKept, isHeard)
      assert.deepStrictEqual(yield* ages, NONE)
      yield* isHeard ? Effect.void : hear(LISTENING)
      yield* read
      assert.isTrue(yield* isKept)
    }
  })
)

it.effect("An answer that was begun before the outage and ends after it is not kept", () =>
  Effect.gen(function* () {
    const { answers, hear, isKept, loseDatabase, make, network } = yield* process()
    yield* hear(LISTENING)
    const gate = yield* Deferred.make<void>()
    const slow = Effect.tap(make, () => Deferred.await(gate))
    const reader = yield* Effect.forkChild(answers.get(KEY, slow), { startImmediately: true })
    yield* loseDatabase
    network.isUp = true
    yield* hear(LISTENING)
    yield* Deferred.succeed(gate, undefined)
    yield* Fiber.join(reader)
    assert.isFalse(yield* isKept)
  })
)

it.effect("A read that fails after its outage does not make the next loss of a listener an outage", () =>
  Effect.gen(function* () {
    const { answers, hear, isKept, make, network, read } = yield* process()
    yield* hear(LISTENING)
    yield* read
    yield* hear(LOST)
    const gate = yield* Deferred.make<void>()
    network.isUp = false
    const failing = Effect.andThen(Deferred.await(gate), make)
    const reader = yield* Effect.forkChild(Effect.exit(answers.get(KEY, failing)), { startImmediately: true })
    network.isUp = true
    yield* hear(LISTENING)
    yield* read
    network.isUp = false
    yield* Deferred.succeed(gate, undefined)
    yield* Fiber.join(reader)
    network.isUp = true
    yield* hear(LOST)
    assert.isFalse(yield* isKept)
  })
)

it.effect("An error that is not about the database reaches its reader, also in an outage", () =>
  Effect.gen(function* () {
    const { answers, hear, read } = yield* process()
    yield* hear(LISTENING)
    yield* read
    yield* hear(LOST)
    assert.isTrue(Exit.hasDies(yield* Effect.exit(answers.get(KEY, Effect.die(new Error("a bug"))))))
    assert.deepStrictEqual(yield* Effect.exit(answers.get(KEY, Effect.fail("no"))), Exit.fail("no"))
  })
)

it.effect("An answer that stands in is compressed once for each coding", () =>
  Effect.gen(function* () {
    const { answers, make } = yield* away
    const first = yield* answers.get(KEY, make)
    const coded = yield* answers.coded(KEY.key, first, "br")
    assert.isDefined(coded)
    const second = yield* answers.get(KEY, make)
    assert.strictEqual(yield* answers.coded(KEY.key, second, "br"), coded)
    assert.strictEqual(second.coded.get("br"), coded)
  })
)
