import { Config, Effect, Option, Result, Schema } from "effect"
import type { LogLevel } from "effect"
import { clamdUrl } from "../scanner/clamdUrl.ts"
import { databaseProblems, databaseVariables } from "./databaseVariables.ts"
import { isLoopback, isLoopbackHost, type LedgerKind, ledgerKindOf, ledgerProblems } from "./ledgerKind.ts"
import { mailVariables } from "./mailVariables.ts"
import { paymentProblems, paymentVariables } from "./paymentVariables.ts"
import { siteVariables } from "./siteVariables.ts"
import { toolServerProblems, toolServerVariables } from "./toolServerVariables.ts"
import { trustedProxies } from "./trustedProxies.ts"
import { variable } from "./variable.ts"
import {
  AdminSecret,
  CollectorUrl,
  integer,
  logLevels,
  MaxAgeDays,
  Origin,
  positive,
  RedisUrl,
  S3Url,
  ServerSecrets
} from "./variableSchemas.ts"
import { webVariables } from "./webVariables.ts"

/** Every variable that the service reads. */
export const variables = {
  HOST: variable(
    Config.NonEmptyString("HOST").pipe(Config.withDefault("127.0.0.1")),
    "`127.0.0.1`",
    "Address to listen on"
  ),
  PORT: variable(
    Config.schema(integer(0, 65_535), "PORT").pipe(Config.withDefault(4020)),
    "`4020`",
    "Port to listen on; 0 picks a free one"
  ),
  DRAIN_SECONDS: variable(
    Config.option(Config.schema(integer(0, 300), "DRAIN_SECONDS")),
    "`5` with `REDIS_URL`, else `0`",
    "Seconds for which a stopping process still answers, while `/health/ready` is 503 and load balancers stop using it"
  ),
  PUBLIC_BASE_URL: variable(
    Config.option(
      Config.map(Config.schema(Origin, "PUBLIC_BASE_URL"), (origin) => origin.replace(/\/$/, ""))
    ),
    "`http://localhost:<PORT>`, or with `HOST` if that is another address",
    "Origin of every URL that the service writes, and the issuer of its tokens"
  ),
  MEDIA_BASE_URL: variable(
    Config.option(Config.map(Config.schema(Origin, "MEDIA_BASE_URL"), (origin) => origin.replace(/\/$/, ""))),
    "`PUBLIC_BASE_URL`",
    "Origin of the URLs of public images, such as a cache in front of the service"
  ),
  IDENTITY_PROVIDER_ORIGIN: variable(
    Config.option(
      Config.map(Config.schema(Origin, "IDENTITY_PROVIDER_ORIGIN"), (origin) => origin.replace(/\/$/, ""))
    ),
    "`PUBLIC_BASE_URL`",
    "Origin of the links in confirmation mails, if another host answers `/auth/v1/verify`"
  ),
  PENNYPRESS_DATA: variable(
    Config.NonEmptyString("PENNYPRESS_DATA").pipe(Config.withDefault("./.pennypress")),
    "`./.pennypress`",
    "Directory for the embedded database, stored objects, the development outbox and the generated server secret"
  ),
  ...databaseVariables,
  SERVER_SECRET: variable(
    Config.option(Config.schema(ServerSecrets, "SERVER_SECRET")),
    "generated into the data directory",
    "Secret of at least 32 characters from which signing and encryption keys are derived; required with `DATABASE_URL`. To rotate it, list several, separated by commas: the service signs and encrypts with the first, and accepts all"
  ),
  ...mailVariables,
  S3_URL: variable(
    Config.option(Config.schema(S3Url, "S3_URL")),
    "files",
    "S3-compatible store for images and ZIPs, `s3://key:secret@host/bucket?region=…&prefix=…`, or with `endpoint=http://host:port`; required for several machines"
  ),
  CLAMD_URL: variable(
    clamdUrl,
    "none",
    "Malware scanner, `unix:/run/clamav/clamd.ctl` or `tcp://host:3310`; without it, uploads wait to be screened"
  ),
  SCANNER: variable(
    Config.Literals(["clamd", "none"], "SCANNER").pipe(Config.withDefault("clamd")),
    "`clamd`",
    "`none` turns scanning off, for development; receipts say so in `policyVersion`"
  ),
  SCANNER_DEFINITIONS_MAX_AGE_DAYS: variable(
    Config.map(
      Config.schema(MaxAgeDays, "SCANNER_DEFINITIONS_MAX_AGE_DAYS").pipe(Config.withDefault(7)),
      (days) => (days === "off" ? Number.POSITIVE_INFINITY : days)
    ),
    "`7`",
    "Age in days at which the scanner's definitions are stale and uploads wait for newer ones; `off` accepts any age"
  ),
  KNOWN_MATERIAL_FILE: variable(
    Config.option(Config.NonEmptyString("KNOWN_MATERIAL_FILE")),
    "none",
    "List of known material, with lines of `sha256:<hex>` and `perceptual:<hex>`; the service reads it again when it changes"
  ),
  ACCOUNT_STORAGE_MB: variable(
    Config.schema(integer(1, 1_000_000), "ACCOUNT_STORAGE_MB").pipe(Config.withDefault(1024)),
    "`1024`",
    "Mebibytes that one account may store in texts of Posts and in uploads"
  ),
  IMPORT_FILE_MB: variable(
    Config.schema(integer(1, 2048), "IMPORT_FILE_MB").pipe(Config.withDefault(256)),
    "`256`",
    "Mebibytes of a file with posts from another platform that an author may import"
  ),
  PUBLIC_CACHE_MB: variable(
    Config.schema(integer(0, 100_000), "PUBLIC_CACHE_MB").pipe(Config.withDefault(64)),
    "`64`",
    "Mebibytes of public answers that each process caches in memory; `0` turns the cache off"
  ),
  SCREENING_CONCURRENCY: variable(
    Config.schema(integer(1, 100), "SCREENING_CONCURRENCY").pipe(Config.withDefault(4)),
    "`4`",
    "Maximum number of uploads that each process screens at the same time"
  ),
  ADMIN_TOKEN: variable(
    Config.option(Config.schema(AdminSecret, "ADMIN_TOKEN")),
    "off",
    "Token with which administrators and the operator's other services call `/rpc`, at least 32 characters; without it, `/rpc` is off"
  ),
  METRICS_TOKEN: variable(
    Config.option(Config.schema(AdminSecret, "METRICS_TOKEN")),
    "none",
    "Token with which callers from any address read `/metrics`, at least 32 characters"
  ),
  LOCAL_TOKEN: variable(
    Config.option(Config.schema(AdminSecret, "LOCAL_TOKEN")),
    "the file `local-token` in `PENNYPRESS_DATA`",
    "Token with which programs of this machine use `/dev/nano` and read `/metrics` as `X-Local-Token`, at least 32 characters, where other machines can reach the service; elsewhere they need none"
  ),
  ...paymentVariables,
  REDIS_URL: variable(
    Config.option(Config.schema(RedisUrl, "REDIS_URL")),
    "in process",
    "Redis for the counters of rate limits, `redis://user:password@host:6379/0`, or `rediss://` over TLS; required for several machines to share limits"
  ),
  RATE_LIMIT_FACTOR: variable(
    Config.schema(positive(1_000_000), "RATE_LIMIT_FACTOR").pipe(Config.withDefault(1)),
    "`1`",
    "Factor that multiplies every rate limit, such as `1000000` behind a gateway with its own limits"
  ),
  TRUSTED_PROXIES: variable(
    trustedProxies,
    "none",
    "Proxies that are trusted to report the addresses of their clients, `10.0.0.0/8,::1`"
  ),
  ...siteVariables,
  ...webVariables,
  ...toolServerVariables,
  OTEL_EXPORTER_OTLP_ENDPOINT: variable(
    Config.option(Config.schema(CollectorUrl, "OTEL_EXPORTER_OTLP_ENDPOINT")),
    "off",
    "OpenTelemetry collector (OTLP over HTTP) that receives logs, metrics and traces, `http://user:password@host:4318`"
  ),
  LOG_LEVEL: variable(
    Config.map(
      Config.Literals(["trace", "debug", "info", "warn", "error"], "LOG_LEVEL"),
      (level) => logLevels[level] ?? "Info"
    ).pipe(Config.withDefault<LogLevel.LogLevel>("Info")),
    "`info`",
    "Lowest level that is logged: `trace`, `debug`, `info`, `warn` or `error`; public reads are logged at `debug`"
  ),
  LOG_FORMAT: variable(
    Config.option(Config.Literals(["pretty", "json"], "LOG_FORMAT")),
    "`pretty` on a terminal, else `json`",
    "Format of the log on standard error"
  )
} as const

/** Values of the variables, or their defaults. */
export type Environment = Omit<Variables, "PUBLIC_BASE_URL" | "NANO_LEDGER"> & {
  readonly PUBLIC_BASE_URL: string
  readonly NANO_LEDGER: LedgerKind
}

type Variables = {
  readonly [Name in keyof typeof variables]: Config.Success<(typeof variables)[Name]["config"]>
}

/** Addresses that a program on this machine reaches as `localhost`: the loopback, and all of them. */
const LOCAL = /^(localhost|127(\.\d+){3}|0\.0\.0\.0|::1?)$/

/** An origin that only programs of this machine reach. */
export const LOCAL_ORIGIN = /^http:\/\/(localhost|127\.0\.0\.1)(:|$)/

/**
 * Returns true if requests of other machines can reach the service: it listens to them, or proxies forward them, which
 * the public origin or the list of proxies tells.
 */
export const isReachable = ({
  HOST,
  PUBLIC_BASE_URL,
  TRUSTED_PROXIES
}: Pick<Environment, "HOST" | "PUBLIC_BASE_URL" | "TRUSTED_PROXIES">) =>
  !isLoopbackHost(HOST) || !isLoopback(PUBLIC_BASE_URL) || TRUSTED_PROXIES.length > 0

/** Returns the origin at which the service listens; that of port 4020 when the system chooses the port. */
const listeningOrigin = (host: string, port: number) => {
  const name = host.includes(":") ? `[${host}]` : host
  return `http://${LOCAL.test(host) ? "localhost" : name}:${port === 0 ? 4020 : port}`
}

const baseUrlOf = ({ HOST, PORT, PUBLIC_BASE_URL }: Pick<Variables, "HOST" | "PORT" | "PUBLIC_BASE_URL">) =>
  Option.getOrElse(PUBLIC_BASE_URL, () => listeningOrigin(HOST, PORT))

/** The origin of the service of an environment, for commands that call it. */
export const serviceOrigin = Config.map(
  Config.all({
    HOST: variables.HOST.config,
    PORT: variables.PORT.config,
    PUBLIC_BASE_URL: variables.PUBLIC_BASE_URL.config
  }),
  baseUrlOf
)

/** The variables that choose the ledger. */
const LEDGER_VARIABLES = ["NANO_LEDGER", "NANO_RPC_URL", "PUBLIC_BASE_URL", "HOST", "PORT"]

const ledgerChoice = (read: Variables) => ({
  chosen: read.NANO_LEDGER,
  host: read.HOST,
  hasNodes: Option.isSome(read.NANO_RPC_URL),
  baseUrl: baseUrlOf(read)
})

/** The configuration has problems; the message names each variable. */
export class ConfigurationInvalid extends Schema.TaggedError<ConfigurationInvalid>()("ConfigurationInvalid", {
  message: Schema.String
}) {}

// A value may be a secret, so the problem names the expectation and never the value.
const problemOf = (name: string, error: Config.ConfigError) => {
  const expected = /Expected [^\n]+/.exec(String(error.message))?.[0].replace(/, got .*$/, "")
  return `  ${name}: ${expected ?? "the value is not valid"}`
}

/** Reads every variable. Fails with all problems together. */
export const readEnvironment: Effect.Effect<Environment, ConfigurationInvalid> = Effect.gen(function* () {
  const problems: Array<string> = []
  const values: Record<string, unknown> = {}
  for (const [name, { config }] of Object.entries(variables)) {
    const value = yield* Effect.result(config as Config.Config<unknown>)
    if (Result.isSuccess(value)) values[name] = value.success
    else problems.push(problemOf(name, value.failure))
  }
  const { DATABASE_URL, SERVER_SECRET } = values as Partial<Variables>
  const isOwnServer = DATABASE_URL !== undefined && Option.isSome(DATABASE_URL)
  if (isOwnServer && SERVER_SECRET !== undefined && Option.isNone(SERVER_SECRET)) {
    problems.push(
      "  SERVER_SECRET: required with DATABASE_URL, because every process of a database needs the same secret"
    )
  }
  const { CLAMD_URL, SCANNER } = values as Partial<Variables>
  if (SCANNER === "none" && CLAMD_URL !== undefined && Option.isSome(CLAMD_URL)) {
    problems.push("  SCANNER: none turns scanning off, but CLAMD_URL names a scanner; remove one of the two")
  }
  problems.push(...databaseProblems(values))
  problems.push(...paymentProblems(values))
  if (LEDGER_VARIABLES.every((name) => name in values)) {
    problems.push(...ledgerProblems(ledgerChoice(values as Variables)))
    problems.push(...toolServerProblems(values, baseUrlOf(values as Variables)))
  }
  if (problems.length > 0) {
    return yield* new ConfigurationInvalid({
      message: `The configuration is not valid:\n${problems.join("\n")}`
    })
  }
  const read = values as Variables
  return { ...read, PUBLIC_BASE_URL: baseUrlOf(read), NANO_LEDGER: ledgerKindOf(ledgerChoice(read)) }
})
