import { Effect, Layer, Option } from "effect"
import { Settings } from "../src/platform/ports/Settings.ts"
import { type Environment, isReachable, LOCAL_ORIGIN } from "./config/environment.ts"
import { takesSubscriptions } from "./config/mailVariables.ts"
import { readOrMakeSecret } from "./crypto/ServerSecret.ts"

const NO_FILES: Pick<Settings, "siteLogo" | "sitePages"> = { siteLogo: undefined, sitePages: [] }

/** Reads the files of the site where the environment names some. */
const siteFiles = (environment: Environment) =>
  Option.isNone(environment.SITE_LOGO) && Option.isNone(environment.SITE_PAGES)
    ? Effect.succeed(NO_FILES)
    : Effect.flatMap(
        Effect.promise(() => import("./site/siteFiles.ts")),
        ({ readSiteFiles }) => readSiteFiles(environment)
      )

/** Returns the token of programs of this machine, where other machines can reach the service. */
const localTokenOf = Effect.fnUntraced(function* (environment: Environment) {
  const { LOCAL_TOKEN, PENNYPRESS_DATA } = environment
  if (!isReachable(environment)) return undefined
  if (Option.isSome(LOCAL_TOKEN)) return LOCAL_TOKEN.value
  return yield* readOrMakeSecret(PENNYPRESS_DATA, "local-token", "The next start then makes a new one")
})

const settingsOf = (
  environment: Environment,
  files: typeof NO_FILES,
  localToken: Settings["localToken"]
): Settings => ({
  adminToken: Option.getOrUndefined(environment.ADMIN_TOKEN),
  contentSignals: environment.CONTENT_SIGNALS === "none" ? "" : environment.CONTENT_SIGNALS,
  definitionsMaxAgeDays: environment.SCANNER_DEFINITIONS_MAX_AGE_DAYS,
  hasSubscriptions: takesSubscriptions(environment, LOCAL_ORIGIN.test(environment.PUBLIC_BASE_URL)),
  mailPostalAddress: Option.getOrUndefined(environment.MAIL_POSTAL_ADDRESS),
  mailRate: environment.MAIL_RATE,
  holdsNewAccounts:
    Option.getOrElse(environment.NEW_ACCOUNTS, () =>
      LOCAL_ORIGIN.test(environment.PUBLIC_BASE_URL) ? "list" : "hold"
    ) === "hold",
  isRegistrationOpen: environment.REGISTRATION === "open",
  identityProviderOrigin: Option.getOrUndefined(environment.IDENTITY_PROVIDER_ORIGIN),
  localToken,
  mcpAllowedOrigins: environment.MCP_ALLOWED_ORIGINS,
  mediaBaseUrl: Option.getOrUndefined(environment.MEDIA_BASE_URL),
  metricsToken: Option.getOrUndefined(environment.METRICS_TOKEN),
  operatorContact: Option.getOrUndefined(environment.OPERATOR_CONTACT),
  platformFeeAddress: Option.getOrUndefined(environment.PLATFORM_FEE_ADDRESS),
  platformFeeBps: environment.PLATFORM_FEE_BPS,
  publicCacheMb: environment.PUBLIC_CACHE_MB,
  rateLimitFactor: environment.RATE_LIMIT_FACTOR,
  accountStorageMb: environment.ACCOUNT_STORAGE_MB,
  importFileMb: environment.IMPORT_FILE_MB,
  screeningConcurrency: environment.SCREENING_CONCURRENCY,
  siteAccent: Option.getOrUndefined(environment.SITE_ACCENT),
  siteClaim: environment.SITE_CLAIM,
  siteName: environment.SITE_NAME,
  siteNotice: Option.getOrUndefined(environment.SITE_NOTICE),
  ...files,
  trustedProxies: environment.TRUSTED_PROXIES
})

/** The settings of the service, as the environment and the files of the site have them. */
export const settings = (environment: Environment) =>
  Layer.effect(
    Settings,
    Effect.zipWith(siteFiles(environment), localTokenOf(environment), (files, localToken) =>
      settingsOf(environment, files, localToken)
    )
  )
