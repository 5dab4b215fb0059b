import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Layer, Option, type Redacted } from "effect"
import { Aead, Kdf, SecureRandom } from "effect/crypto"
import { PublicBaseUrl } from "../schemas/platform/errors/PublicBaseUrl.ts"
import { ExchangeRate } from "../src/platform/ports/ExchangeRate.ts"
import * as ArchiveInspectorZip from "./archives/ArchiveInspectorZip.ts"
import { type Environment, isReachable, LOCAL_ORIGIN, readEnvironment } from "./config/environment.ts"
import { senderOf, takesSubscriptions } from "./config/mailVariables.ts"
import * as AccessTokensJose from "./crypto/AccessTokensJose.ts"
import * as DigestNode from "./crypto/DigestNode.ts"
import * as PepperHmac from "./crypto/PepperHmac.ts"
import * as QuoteMacHmac from "./crypto/QuoteMacHmac.ts"
import * as SealerAesGcm from "./crypto/SealerAesGcm.ts"
import { ServerSecret } from "./crypto/ServerSecret.ts"
import { makeDataDirectory } from "./files/dataDirectory.ts"
import * as DiskSpace from "./files/diskSpace.ts"
import * as ImageDecoderSharp from "./images/ImageDecoderSharp.ts"
import * as ImportReaderProcess from "./imports/ImportReaderProcess.ts"
import * as KnownMaterialFile from "./known-material/KnownMaterialFile.ts"
import * as KnownMaterialNone from "./known-material/KnownMaterialNone.ts"
import * as MailerOutbox from "./mail/MailerOutbox.ts"
import * as NanoLedgerDevelopment from "./nano/NanoLedgerDevelopment.ts"
import * as NanoLedgerOff from "./nano/NanoLedgerOff.ts"
import * as WorkMakerNone from "./nano/WorkMakerNone.ts"
import * as Database from "./postgres/Database.ts"
import { EmbeddedPostgres } from "./postgres/embedded/EmbeddedPostgres.ts"
import { isPooled } from "./postgres/pooler.ts"
import * as ReadinessDatabase from "./postgres/ReadinessDatabase.ts"
import { holdLocks } from "./processes/holdLocks.ts"
import { secretLocks, settingLocks } from "./processes/settingLocks.ts"
import * as RateLimiterStoreMemory from "./rate-limits/RateLimiterStoreMemory.ts"
import * as ScannerClamd from "./scanner/ScannerClamd.ts"
import * as ScannerNone from "./scanner/ScannerNone.ts"
import * as ScannerNotConfigured from "./scanner/ScannerNotConfigured.ts"
import { settings } from "./settings.ts"
import * as ObjectStorageFiles from "./storage/ObjectStorageFiles.ts"
import * as OffloadThreads from "./threads/OffloadThreads.ts"
import * as AnswerBytesNode from "./web/AnswerBytesNode.ts"
import * as AssetsFiles from "./web/AssetsFiles.ts"
import { exchangeRateSourceOf } from "./web/exchangeRateSource.ts"

/** Loads an adapter only where the environment asks for it: each brings a client of 40 to 600 modules. */
const loaded = <Module, A, E, R>(
  load: () => Promise<Module>,
  layerOf: (module: Module) => Layer.Layer<A, E, R>
): Layer.Layer<A, E, R> => Layer.unwrap(Effect.map(Effect.promise(load), layerOf))

/** Parts of the world that an earlier step of the start has made already. */
export interface Given {
  /** The URL of the embedded database. Without it one is started. */
  readonly embedded?: Redacted.Redacted | undefined
}

const database = (environment: Environment, embedded: Given["embedded"]) => {
  const options = {
    directUrl: Option.getOrUndefined(environment.DATABASE_DIRECT_URL),
    maxConnections: environment.DATABASE_POOL_SIZE,
    prepared: Option.getOrUndefined(environment.DATABASE_PREPARED),
    readUrl: Option.getOrUndefined(environment.DATABASE_READ_URL),
    signals: true
  }
  const url = Option.getOrElse(environment.DATABASE_URL, () => embedded)
  return url === undefined
    ? Database.layerEmbedded(options).pipe(
        Layer.provide(EmbeddedPostgres.layer({ dataDirectory: environment.PENNYPRESS_DATA }))
      )
    : Database.layer({ ...options, url })
}

const secret = (environment: Environment) =>
  Option.match(environment.SERVER_SECRET, {
    onSome: ServerSecret.layer,
    onNone: () => ServerSecret.layerFile(environment.PENNYPRESS_DATA)
  })

const mailer = (environment: Environment) =>
  Option.match(environment.SMTP_URL, {
    onSome: (url) =>
      loaded(
        () => import("./mail/MailerSmtp.ts"),
        (smtp) =>
          smtp.layer({
            url,
            from: senderOf(environment),
            bounces: Option.getOrUndefined(environment.MAIL_BOUNCES),
            origin: environment.PUBLIC_BASE_URL
          })
      ),
    onNone: () => MailerOutbox.layer({ directory: environment.PENNYPRESS_DATA, from: senderOf(environment) })
  })

const warnNoPostalAddress = Effect.logWarning(
  "MAIL_POSTAL_ADDRESS is not set, so posts by mail end without the postal address that the law of many countries asks for"
)

/** Says at the start of a public service that its mail to readers lacks something. */
const readersByMail = (environment: Environment) => {
  const isLocal = LOCAL_ORIGIN.test(environment.PUBLIC_BASE_URL)
  return !isLocal &&
    takesSubscriptions(environment, isLocal) &&
    Option.isNone(environment.MAIL_POSTAL_ADDRESS)
    ? Layer.effectDiscard(warnNoPostalAddress)
    : Layer.empty
}

const counters = (environment: Environment) =>
  Option.match(environment.REDIS_URL, {
    onSome: (url) =>
      loaded(
        () => import("./rate-limits/RateLimiterStoreRedis.ts"),
        (redis) => redis.layer(url)
      ),
    onNone: () => RateLimiterStoreMemory.layer
  })

/** The store of images and ZIPs. */
export const storage = (environment: Environment) =>
  Option.match(environment.S3_URL, {
    onSome: (url) =>
      loaded(
        () => import("./storage/s3/ObjectStorageS3.ts"),
        (s3) => s3.layer({ url })
      ),
    onNone: () => ObjectStorageFiles.layer({ directory: join(environment.PENNYPRESS_DATA, "objects") })
  })

const warnNoScanner = Effect.logWarning(
  "CLAMD_URL is not set, so uploads wait to be screened: images are public meanwhile, and ZIPs are not for sale"
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

/** The services that screening calls. They start with the first image or archive. */
const screening = (environment: Environment) =>
  Layer.mergeAll(
    ArchiveInspectorZip.layer(),
    ImageDecoderSharp.layer(),
    knownMaterial(environment),
    scanner(environment)
  )

const ledger = (environment: Environment) => {
  const { NANO_LEDGER, NANO_NETWORK, NANO_WORK_THRESHOLD } = environment
  const off = NanoLedgerOff.layer(NANO_NETWORK, NANO_WORK_THRESHOLD)
  switch (NANO_LEDGER) {
    case "development":
      return NanoLedgerDevelopment.layer
    case "node":
      return Option.match(environment.NANO_RPC_URL, {
        onSome: (servers) =>
          loaded(
            () => import("./nano/NanoLedgerRpc.ts"),
            (rpc) =>
              rpc.layer({
                servers,
                sockets: environment.NANO_WS_URL,
                quorum: environment.NANO_RPC_QUORUM,
                network: NANO_NETWORK,
                workThreshold: NANO_WORK_THRESHOLD
              })
          ),
        onNone: () => off
      })
    case "off":
      return off
  }
}

const workMaker = (environment: Environment) =>
  Option.match(environment.NANO_WORK_URL, {
    onSome: (servers) =>
      loaded(
        () => import("./nano/WorkMakerHttp.ts"),
        (http) => http.layer(servers)
      ),
    onNone: () => WorkMakerNone.layer
  })

const feedHub = (environment: Environment) =>
  Option.match(environment.WEBSUB_HUB, {
    onSome: (url) =>
      loaded(
        () => import("./web/FeedHubHttp.ts"),
        (http) => http.layer(url)
      ),
    onNone: () => Layer.empty
  })

/** Requests to servers that strangers name. A service of this machine alone also reaches the other programs of it. */
const outsideHttp = (environment: Environment) =>
  loaded(
    () => import("./outside-http/OutsideHttpUndici.ts"),
    (http) => {
      const loopbackBut = isReachable(environment) ? undefined : environment.PORT
      const privateTargets = { named: environment.PRIVATE_TARGETS, loopbackBut }
      return Layer.provide(http.layer({ privateTargets }), http.nameServers())
    }
  )

const exchangeRate = (environment: Environment) =>
  Option.match(Option.flatMap(environment.XNO_RATE, exchangeRateSourceOf), {
    onSome: (source) =>
      "url" in source
        ? loaded(
            () => import("./web/ExchangeRateHttp.ts"),
            (http) => http.layer(source)
          )
        : Layer.succeed(ExchangeRate, { current: Effect.succeed({ ...source, at: null }) }),
    onNone: () => Layer.empty
  })

/** The ports of the service, connected to the world as the environment says. */
export const ports = (environment: Environment, given: Given = {}) =>
  Layer.unwrap(Effect.as(makeDataDirectory(environment.PENNYPRESS_DATA), adapters(environment, given))).pipe(
    Layer.provideMerge(Layer.succeed(PublicBaseUrl, environment.PUBLIC_BASE_URL)),
    Layer.provideMerge(settings(environment)),
    Layer.provide([Aead.layerWebCrypto, Kdf.layerWebCrypto]),
    Layer.provideMerge(Layer.merge(DigestNode.layer, SecureRandom.layerWebCrypto)),
    Layer.provideMerge(NodeServices.layer)
  )

const adapters = (environment: Environment, given: Given) =>
  Layer.mergeAll(
    Layer.merge(ReadinessDatabase.layer, ledger(environment)).pipe(
      Layer.provideMerge(database(environment, given.embedded))
    ),
    Layer.mergeAll(AccessTokensJose.layer, PepperHmac.layer, QuoteMacHmac.layer, SealerAesGcm.layer).pipe(
      Layer.provide(secret(environment))
    ),
    mailer(environment),
    readersByMail(environment),
    storage(environment),
    counters(environment),
    screening(environment),
    ImportReaderProcess.layer({ directory: join(environment.PENNYPRESS_DATA, "imports") }),
    OffloadThreads.layer(),
    workMaker(environment),
    feedHub(environment),
    outsideHttp(environment),
    DiskSpace.layer(environment.PENNYPRESS_DATA),
    exchangeRate(environment),
    AnswerBytesNode.layer,
    AssetsFiles.layer
  )

/**
 * Holds the locks by which the processes of a database know each other, as `holdLocks` describes. A pooler hands a session
 * to others, so behind one without `DATABASE_DIRECT_URL` there are no locks.
 */
export const processLocks = Effect.fnUntraced(function* (
  environment: Environment,
  embedded: Given["embedded"]
) {
  const { DATABASE_DIRECT_URL, DATABASE_URL, PENNYPRESS_DATA } = environment
  const url = Option.getOrElse(
    Option.orElse(DATABASE_DIRECT_URL, () => DATABASE_URL),
    () => embedded
  )
  if (url === undefined) return { heldNoMore: Effect.never }
  if (url !== embedded && Option.isNone(DATABASE_DIRECT_URL) && (yield* isPooled(url)))
    return { heldNoMore: Effect.never }
  yield* makeDataDirectory(PENNYPRESS_DATA)
  const secrets = yield* secretLocks.pipe(
    Effect.provide(secret(environment)),
    Effect.provide([Kdf.layerWebCrypto, SecureRandom.layerWebCrypto])
  )
  return yield* holdLocks(url, [...settingLocks(environment), ...secrets])
})

/** The ports for programs that embed the service, configured by the environment. */
export const layer = Layer.unwrap(Effect.map(readEnvironment, (environment) => ports(environment)))
