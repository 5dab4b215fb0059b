import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, FileSystem, Layer, Logger, Option, References } from "effect"
import { Aead, Digest, Kdf } from "effect/crypto"
import { FetchHttpClient } from "effect/http"
import { OtlpExporter, OtlpSerialization, OtlpTracer } from "effect/observability"
import { PublicBaseUrl } from "../schemas/platform/errors/Problem.ts"
import { Settings } from "../src/platform/settings/Settings.ts"
import * as AnswerBytesNode from "./answers/AnswerBytesNode.ts"
import { type Environment, readEnvironment } from "./config/environment.ts"
import * as AccessTokensJose from "./crypto/AccessTokensJose.ts"
import * as PepperHmac from "./crypto/PepperHmac.ts"
import * as SealerAesGcm from "./crypto/SealerAesGcm.ts"
import * as SecureRandomPooled from "./crypto/SecureRandomPooled.ts"
import { ServerSecret } from "./crypto/ServerSecret.ts"
import * as ImageDecoderSharp from "./images/ImageDecoderSharp.ts"
import * as KnownMaterialFile from "./known-material/KnownMaterialFile.ts"
import * as KnownMaterialNone from "./known-material/KnownMaterialNone.ts"
import * as MailerOutbox from "./mail/MailerOutbox.ts"
import * as MailerSmtp from "./mail/MailerSmtp.ts"
import * as Database from "./postgres/Database.ts"
import { EmbeddedPostgres } from "./postgres/embedded/EmbeddedPostgres.ts"
import * as ReadinessDatabase from "./postgres/ReadinessDatabase.ts"
import * as RateLimiterStoreMemory from "./rate-limits/RateLimiterStoreMemory.ts"
import * as RateLimiterStoreRedis from "./rate-limits/RateLimiterStoreRedis.ts"
import * as ScannerClamd from "./scanner/ScannerClamd.ts"
import * as ScannerNone from "./scanner/ScannerNone.ts"
import * as ScannerNotConfigured from "./scanner/ScannerNotConfigured.ts"
import * as ObjectStorageFiles from "./storage/ObjectStorageFiles.ts"
import * as OffloadThreads from "./threads/OffloadThreads.ts"

const database = (environment: Environment) => {
  const maxConnections = environment.DATABASE_POOL_SIZE
  return Option.match(environment.DATABASE_URL, {
    onSome: (url) => Database.layer({ url, maxConnections, signals: true }),
    onNone: () =>
      Database.layerEmbedded({ maxConnections, signals: true }).pipe(
        Layer.provide(EmbeddedPostgres.layer({ dataDirectory: environment.PENNYPRESS_DATA }))
      )
  })
}

const secret = (environment: Environment) =>
  Option.match(environment.SERVER_SECRET, {
    onSome: ServerSecret.layer,
    onNone: () => ServerSecret.layerFile(environment.PENNYPRESS_DATA)
  })

const mailer = (environment: Environment) =>
  Option.match(environment.SMTP_URL, {
    onSome: (url) => MailerSmtp.layer({ url, from: environment.MAIL_FROM }),
    onNone: () => MailerOutbox.layer({ directory: environment.PENNYPRESS_DATA, from: environment.MAIL_FROM })
  })

const counters = (environment: Environment) =>
  Option.match(environment.REDIS_URL, {
    onSome: RateLimiterStoreRedis.layer,
    onNone: () => RateLimiterStoreMemory.layer
  })

const storage = (environment: Environment) =>
  Option.match(environment.S3_URL, {
    // The SDK takes a fifth of a second and 20 MB to load.
    onSome: (url) =>
      Layer.unwrap(
        Effect.map(
          Effect.promise(() => import("./storage/s3/ObjectStorageS3.ts")),
          (s3) => s3.layer({ url })
        )
      ),
    onNone: () => ObjectStorageFiles.layer({ directory: join(environment.PENNYPRESS_DATA, "objects") })
  })

const warnNoScanner = Effect.logWarning(
  "There is no CLAMD_URL: images are accepted and public, and wait to be screened until there is one"
)

const scanner = ({ CLAMD_URL, SCANNER }: Environment) => {
  if (SCANNER === "none") return ScannerNone.layer
  if (Option.isSome(CLAMD_URL)) return ScannerClamd.layer({ address: CLAMD_URL.value })
  return Layer.merge(ScannerNotConfigured.layer, Layer.effectDiscard(warnNoScanner))
}

const knownMaterial = (environment: Environment) =>
  Option.match(environment.KNOWN_MATERIAL_FILE, {
    onSome: (path) => KnownMaterialFile.layer({ path }),
    onNone: () => KnownMaterialNone.layer
  })

/** The services that screening calls. They start with the first image. */
const screening = (environment: Environment) =>
  Layer.mergeAll(ImageDecoderSharp.layer(), knownMaterial(environment), scanner(environment))

/**
 * Creates the data directory. Under root other accounts may pass through it, as the account of the embedded database
 * must. Each private directory inside closes itself.
 */
const makeDataDirectory = Effect.fn("makeDataDirectory")(function* (directory: string) {
  const fs = yield* FileSystem.FileSystem
  yield* fs.makeDirectory(directory, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 })
})

const settingsOf = (environment: Environment): Settings => ({
  adminToken: Option.getOrUndefined(environment.ADMIN_TOKEN),
  definitionsMaxAgeDays: environment.SCANNER_DEFINITIONS_MAX_AGE_DAYS,
  identityProviderOrigin: Option.getOrUndefined(environment.IDENTITY_PROVIDER_ORIGIN),
  mediaBaseUrl: Option.getOrUndefined(environment.MEDIA_BASE_URL),
  publicCacheMb: environment.PUBLIC_CACHE_MB,
  rateLimitFactor: environment.RATE_LIMIT_FACTOR,
  accountStorageMb: environment.ACCOUNT_STORAGE_MB,
  screeningConcurrency: environment.SCREENING_CONCURRENCY,
  trustedProxies: environment.TRUSTED_PROXIES
})

/** The ports of the service, connected to the world as the environment says. */
export const ports = (environment: Environment) =>
  Layer.unwrap(Effect.as(makeDataDirectory(environment.PENNYPRESS_DATA), adapters(environment))).pipe(
    Layer.provideMerge(Layer.succeed(PublicBaseUrl, environment.PUBLIC_BASE_URL)),
    Layer.provideMerge(Layer.succeed(Settings, settingsOf(environment))),
    Layer.provide([Aead.layerWebCrypto, Kdf.layerWebCrypto]),
    Layer.provideMerge(Layer.merge(Digest.layerWebCrypto, SecureRandomPooled.layer)),
    Layer.provideMerge(NodeServices.layer)
  )

const adapters = (environment: Environment) =>
  Layer.mergeAll(
    ReadinessDatabase.layer.pipe(Layer.provideMerge(database(environment))),
    Layer.mergeAll(AccessTokensJose.layer, PepperHmac.layer, SealerAesGcm.layer).pipe(
      Layer.provide(secret(environment))
    ),
    mailer(environment),
    storage(environment),
    counters(environment),
    screening(environment),
    OffloadThreads.layer(),
    AnswerBytesNode.layer
  )

const tracer = (environment: Environment) =>
  Option.match(environment.OTEL_EXPORTER_OTLP_ENDPOINT, {
    // Spans without a collector would cost a fifth of a request.
    onNone: () => Layer.succeed(References.TracerEnabled, false),
    onSome: (endpoint) =>
      OtlpTracer.layer({
        url: new URL("v1/traces", endpoint.href.endsWith("/") ? endpoint : `${endpoint.href}/`).href,
        resource: { serviceName: "pennypress" }
      }).pipe(
        Layer.provide([OtlpExporter.layerFlusher, OtlpSerialization.layerJson, FetchHttpClient.layer]),
        Layer.orDie
      )
  })

/**
 * Writes the lines of 20 ms at once. A write for each line would cost a busy service more than the request that it
 * describes.
 */
const jsonLines = Logger.batched(Logger.formatJson, {
  window: "20 millis",
  flush: (lines) => Effect.sync(() => void process.stderr.write(`${lines.join("\n")}\n`))
})

/**
 * Logs on standard error, so that standard output only says where the service listens. Traces when a collector is set.
 */
export const observability = (environment: Environment) => {
  const isPretty = Option.match(environment.LOG_FORMAT, {
    onSome: (format) => format === "pretty",
    onNone: () => process.stderr.isTTY
  })
  return Layer.mergeAll(
    Logger.layer([isPretty ? Logger.consolePretty() : jsonLines]),
    Layer.succeed(References.LogToStderr, true),
    Layer.succeed(References.MinimumLogLevel, environment.LOG_LEVEL),
    tracer(environment)
  )
}

/** The ports for programs that embed the service, configured by the environment. */
export const layer = Layer.unwrap(Effect.map(readEnvironment, ports))
