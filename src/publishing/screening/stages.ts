import { Clock, Duration, Effect, Result } from "effect"
import { type CircuitBreaker } from "effect/persistence"
import type { ImageFormat } from "../../../schemas/publishing/uploads/limits.ts"
import { ArchiveInspector } from "../../platform/ports/ArchiveInspector.ts"
import { ImageDecoder, type ImageInspection } from "../../platform/ports/ImageDecoder.ts"
import type { KnownMaterial, Material } from "../../platform/ports/KnownMaterial.ts"
import type { Scanner } from "../../platform/ports/Scanner.ts"
import { publicPartsOf } from "../image-formats/publicCopy.ts"
import { isJoined, joined } from "../image-formats/shared/bytes.ts"
import { type Finding, type ScreenedFile, ScreeningBroke, ScreeningWaits } from "./verdict.ts"

/** The pictures of an inspected file, or the decision against it. */
type Inspected = Effect.Effect<
  Result.Result<ImageInspection["representations"], Finding>,
  ScreeningWaits | ScreeningBroke
>

/** Decodes every pixel. An image that cannot be inspected whole is not shown (spec 4.4). */
const inspectImage = (decoder: ImageDecoder["Service"], bytes: Uint8Array, format: ImageFormat): Inspected =>
  decoder.inspect(bytes, format).pipe(
    Effect.map(({ representations }) => Result.succeed(representations)),
    Effect.catchTags({
      ImageUnreadable: ({ reason }) =>
        Effect.succeed(Result.fail({ verdict: "failed" as const, finding: `image: ${reason}` })),
      ImageDecodingFailed: (cause) =>
        Effect.fail(new ScreeningBroke({ reason: "unsupported or incomplete inspection", cause })),
      ImageDecoderUnavailable: (cause) =>
        Effect.fail(new ScreeningWaits({ reason: "unavailable inspection", cause }))
    })
  )

/** Unpacks every entry. An archive that is not what it declares is not sold. It has no pictures of its own. */
const inspectArchive = (inspector: ArchiveInspector["Service"], bytes: Uint8Array): Inspected =>
  inspector.inspect(bytes).pipe(
    Effect.as(Result.succeed([])),
    Effect.catchTags({
      ArchiveUnreadable: ({ reason }) =>
        Effect.succeed(Result.fail({ verdict: "failed" as const, finding: `archive: ${reason}` })),
      ArchiveInspectionFailed: (cause) =>
        Effect.fail(new ScreeningBroke({ reason: "unsupported or incomplete inspection", cause })),
      ArchiveInspectorUnavailable: (cause) =>
        Effect.fail(new ScreeningWaits({ reason: "unavailable inspection", cause }))
    })
  )

/** Makes the inspection of whole files, each with the inspector of its kind. */
export const makeInspect = Effect.gen(function* () {
  const decoder = yield* ImageDecoder
  const inspector = yield* ArchiveInspector
  return ({ bytes, format }: ScreenedFile): Inspected =>
    format === "zip" ? inspectArchive(inspector, bytes) : inspectImage(decoder, bytes, format)
})

/** Returns the public copy of an image, unless it is what was received. */
const strippedOf = ({ bytes, format }: ScreenedFile): Uint8Array | undefined => {
  if (format === "zip") return undefined
  try {
    const parts = publicPartsOf(bytes, { format })
    return isJoined(parts, bytes) ? undefined : joined(parts)
  } catch {
    return undefined
  }
}

/** The scanner, and its finding. */
interface Scanned {
  readonly engine: string
  readonly definitions_version: string | null
  readonly finding: Finding | undefined
}

/** Scans for malware. Waits while the definitions are older than `maxAge`. */
export const scan = (
  scanner: Scanner["Service"],
  breaker: CircuitBreaker.CircuitBreaker,
  maxAge: Duration.Duration
) => {
  // A breaker for each: a scanner may tell its definitions and still not scan.
  const guarded = <A, E>(call: Effect.Effect<A, E>, key: string): Effect.Effect<A, ScreeningWaits> =>
    breaker
      .execute(call, { key })
      .pipe(Effect.mapError((cause) => new ScreeningWaits({ reason: "unavailable scanner", cause })))

  /** Scans a file. A scanner may take for damage what every decoder ignores, and what the public copy does not have. */
  const verdictOn = Effect.fnUntraced(function* (file: ScreenedFile) {
    const received = yield* guarded(scanner.scan(file.bytes), "scanner")
    const stripped = received.verdict === "incomplete" ? strippedOf(file) : undefined
    return stripped === undefined ? received : yield* guarded(scanner.scan(stripped), "scanner")
  })

  return Effect.fnUntraced(function* (file: ScreenedFile): Effect.fn.Return<Scanned, ScreeningWaits> {
    const { engine, publishedAt, version } = yield* guarded(scanner.definitions, "scanner definitions")
    const oldest = (yield* Clock.currentTimeMillis) - Duration.toMillis(maxAge)
    if (Duration.isFinite(maxAge) && (publishedAt === null || publishedAt.getTime() < oldest)) {
      const cause = new Error(`Definitions of ${publishedAt?.toISOString() ?? "an unknown day"}`)
      return yield* new ScreeningWaits({ reason: "stale definitions", cause })
    }
    const scanned = yield* verdictOn(file)
    const finding: Finding | undefined =
      scanned.verdict === "clean"
        ? undefined
        : {
            verdict: scanned.verdict === "malware" ? "rejected" : "failed",
            finding: `${scanned.verdict}: ${scanned.finding}`
          }
    return { engine, definitions_version: version, finding }
  })
}

/** The list of known material, and its match. */
interface Compared {
  readonly known_material_version: string | null
  readonly finding: Finding | undefined
}

/** Compares a file with known material, by exact and by perceptual hash. */
export const compare = (knownMaterial: KnownMaterial["Service"], breaker: CircuitBreaker.CircuitBreaker) =>
  Effect.fnUntraced(function* (material: Material): Effect.fn.Return<Compared, ScreeningWaits> {
    const { match, version } = yield* breaker
      .execute(knownMaterial.match(material), { key: "known material" })
      .pipe(Effect.mapError((cause) => new ScreeningWaits({ reason: "unavailable provider", cause })))
    return {
      known_material_version: version,
      finding: match === null ? undefined : { verdict: "rejected", finding: `known material: ${match}` }
    }
  })
