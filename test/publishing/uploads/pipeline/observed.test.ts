import { assert, describe, it } from "@effect/vitest"
import { Effect, Metric } from "effect"
import { TestClock } from "effect/testing"
import { ImageDecoderMemory } from "../../../../layers/testing/ImageDecoderMemory.ts"
import { ScannerMemory } from "../../../../layers/testing/ScannerMemory.ts"
import { ImageUnreadable } from "../../../../src/platform/ports/ImageDecoder.ts"
import { ScannerUnavailable } from "../../../../src/platform/ports/Scanner.ts"
import { Uploads } from "../../../../src/publishing/uploads/Uploads.ts"
import { uploaderOf, workOff } from "../../../support/actors/uploader.ts"
import { LOCAL, TestClient } from "../../../support/TestClient.ts"
import { alone, rejecting } from "../screenings.ts"

const fresh = alone("test_uploads_observed")

/** Returns the lines of `/metrics` with one of these prefixes, each as its series and value. */
const scraped = Effect.fnUntraced(function* (...names: ReadonlyArray<string>) {
  const client = yield* TestClient
  const { status, text } = yield* client.send("GET", "/metrics", LOCAL)
  assert.strictEqual(status, 200)
  const lines = text.split("\n").filter((line) => names.some((name) => line.startsWith(name)))
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ") + 1))])
  )
})

const observed = <A, E, R>(test: Effect.Effect<A, E, R>) =>
  fresh(test).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))

describe("upload metrics for operators", () => {
  it.effect("Metrics show verdicts by kind, steps by outcome, and the durations of screening", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      yield* author.avatar()
      yield* workOff
      yield* author.header()
      yield* rejecting
      yield* author.avatar()
      yield* (yield* ImageDecoderMemory).failNext(new ImageUnreadable({ reason: "undecodable" }))
      yield* workOff
      yield* author.avatar()
      yield* (yield* ScannerMemory).answerNext(new ScannerUnavailable({ reason: "timeout" }))
      yield* workOff
      assert.deepStrictEqual(yield* scraped("upload_verdicts_total{"), {
        'upload_verdicts_total{verdict="cleared",kind="avatar"}': 1,
        'upload_verdicts_total{verdict="rejected",kind="header"}': 1,
        'upload_verdicts_total{verdict="failed",kind="avatar"}': 1
      })
      assert.deepStrictEqual(yield* scraped("upload_steps_total{"), {
        'upload_steps_total{task="screen",outcome="done",reason="none"}': 3,
        'upload_steps_total{task="clean_up",outcome="done",reason="none"}': 3,
        'upload_steps_total{task="screen",outcome="transient",reason="unavailable scanner"}': 1
      })
      assert.deepStrictEqual(yield* scraped("screening_stage_duration_seconds_count"), {
        'screening_stage_duration_seconds_count{stage="inspect"}': 4,
        'screening_stage_duration_seconds_count{stage="malware"}': 3,
        'screening_stage_duration_seconds_count{stage="known_material"}': 1
      })
    }).pipe(observed)
  )

  it.effect("Metrics show the number and age of waiting operations, as of the last sweep", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      const scanner = yield* ScannerMemory
      const { sweep } = yield* Uploads
      yield* scanner.setDefinitions(new ScannerUnavailable({ reason: "unreachable" }))
      yield* author.avatar()
      yield* TestClock.adjust("30 seconds")
      yield* author.header()
      yield* TestClock.adjust("90 seconds")
      yield* Effect.andThen(workOff, sweep)
      const gauges = yield* scraped("uploads_waiting{", "uploads_oldest_seconds{")
      assert.deepStrictEqual(gauges, {
        'uploads_waiting{state="receiving"}': 0,
        'uploads_waiting{state="queued"}': 2,
        'uploads_waiting{state="checking"}': 0,
        'uploads_oldest_seconds{state="receiving"}': 0,
        'uploads_oldest_seconds{state="queued"}': 120,
        'uploads_oldest_seconds{state="checking"}': 0
      })
    }).pipe(observed)
  )
})
