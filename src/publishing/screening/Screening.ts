import { Context, Duration, Effect, Layer, Metric, Result, Schedule } from "effect"
import { CircuitBreaker } from "effect/persistence"
import { KnownMaterial } from "../../platform/ports/KnownMaterial.ts"
import { Scanner } from "../../platform/ports/Scanner.ts"
import { Settings } from "../../platform/ports/Settings.ts"
import { policyVersionOf } from "./policy.ts"
import { compare, makeInspect, scan } from "./stages.ts"
import type {
  Finding,
  ScreenedFile,
  ScreeningBroke,
  ScreeningRecord,
  ScreeningVerdict,
  ScreeningWaits
} from "./verdict.ts"

const durations = Metric.histogram("screening_stage_duration_seconds", {
  description: "Seconds that a stage of screening took, by stage and with any outcome",
  boundaries: Metric.boundariesFromIterable([0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30])
})

/** Shows a stage in traces and metrics. */
const stage =
  (name: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    effect.pipe(
      Effect.trackDuration(Metric.withAttributes(durations, { stage: name }), (it) => Duration.toSeconds(it)),
      Effect.withSpan(`Screening.${name}`)
    )

/** A provider that fails five times in a row rests for a while, and one call tests it before the next ones. */
const tripPolicy = CircuitBreaker.consecutive(5)
const openDuration = Schedule.min([Schedule.exponential("5 seconds"), Schedule.spaced("1 minute")])

/**
 * Decides whether anyone may see a file: inspects it, scans it for malware and compares it with known material, in this
 * order. The first stage that decides against the file ends screening (spec 3.2, 4.4).
 */
export class Screening extends Context.Service<
  Screening,
  {
    /** Screens a file. Fails when a stage comes to no verdict. */
    readonly screen: (file: ScreenedFile) => Effect.Effect<ScreeningVerdict, ScreeningWaits | ScreeningBroke>
  }
>()("pennypress/publishing/screening/Screening") {
  static readonly layer = Layer.effect(
    Screening,
    Effect.gen(function* () {
      const inspect = yield* makeInspect
      const scanner = yield* Scanner
      const breaker = yield* CircuitBreaker.make({ tripPolicy, openDuration })
      const { definitionsMaxAgeDays } = yield* Settings
      const scanned = scan(scanner, breaker, Duration.days(definitionsMaxAgeDays))
      const compared = compare(yield* KnownMaterial, breaker)

      const screen = Effect.fn("Screening.screen")(function* (file: ScreenedFile) {
        const unscreened: ScreeningRecord = {
          policy_version: policyVersionOf(scanner),
          engine: null,
          definitions_version: null,
          known_material_version: null
        }
        const inspected = yield* stage("inspect")(inspect(file))
        if (Result.isFailure(inspected)) return verdictOf(unscreened, inspected.failure)

        const { finding: malware, ...scannedBy } = yield* stage("malware")(scanned(file))
        const afterScan = { ...unscreened, ...scannedBy }
        if (malware !== undefined) return verdictOf(afterScan, malware)

        const material = { sha256: file.sha256, representations: inspected.success }
        const { finding: known, ...comparedWith } = yield* stage("known_material")(compared(material))
        return verdictOf({ ...afterScan, ...comparedWith }, known)
      })

      return Screening.of({ screen })
    })
  )
}

const verdictOf = (record: ScreeningRecord, finding: Finding | undefined): ScreeningVerdict => ({
  ...record,
  ...(finding ?? { verdict: "cleared", finding: null })
})
