import { Context, Effect, Layer, type Redacted } from "effect"
import type { IpNetwork } from "effect/net"
import type { NanoAddress } from "../../../schemas/platform/Nano.ts"

/** Choices of the operator that the rules of the service depend on. */
export interface Settings {
  /** Mebibytes that an account may store: sections of Posts, and images. */
  readonly accountStorageMb: number
  /** Token that an administrator presents to `/rpc`. Without one, `/rpc` does not exist. */
  readonly adminToken: Redacted.Redacted | undefined
  /** The uses that robots may make of public texts, as the `Content-Signal` of `/robots.txt` says it. Empty says nothing. */
  readonly contentSignals: string
  /** Age from which malware definitions are stale, so that images wait for newer ones. `Infinity` accepts any age. */
  readonly definitionsMaxAgeDays: number
  /**
   * Leaves accounts younger than a day out of the feed of the site, sitemaps and search engines, until they have a verified
   * address, a follower or a sale.
   */
  readonly holdsNewAccounts: boolean
  /** Origin of confirmation links, without a trailing slash. The public base URL when undefined. */
  readonly identityProviderOrigin: string | undefined
  /**
   * Origins of web pages that may talk to the tool server, in addition to that of the service; `*` allows every page.
   */
  readonly mcpAllowedOrigins: ReadonlyArray<string>
  /** Origin of the URLs of public images, without a trailing slash. The public base URL when undefined. */
  readonly mediaBaseUrl: string | undefined
  /** Token with which callers of public addresses read `/metrics`. Without one, only private addresses do. */
  readonly metricsToken: Redacted.Redacted | undefined
  /** Address that takes the platform's fee, by turn. Required with a fee. */
  readonly platformFeeAddress: NanoAddress | undefined
  /** The platform's fee in basis points of each sale and tip, 0 to 1000. */
  readonly platformFeeBps: number
  /** Mebibytes of public answers that this process keeps in memory. With 0 it keeps none. */
  readonly publicCacheMb: number
  /** Factor of every rate limit, above 0. A limit allows at least one request, however small the factor. */
  readonly rateLimitFactor: number
  /** Maximum number of images that this process screens at the same time. */
  readonly screeningConcurrency: number
  /** The name of the site, as pages, feeds, mails, cards and documents for programs say it. */
  readonly siteName: string
  /** Networks of the proxies whose `Forwarded` and `X-Forwarded-For` headers name the client. */
  readonly trustedProxies: ReadonlyArray<IpNetwork.IpNetwork>
}

/** The name of a site whose operator chose none. */
export const SITE_NAME = "Pennypress"

/** The settings of the service. A service that receives none runs with these. */
export const Settings = Context.Reference<Settings>("pennypress/platform/ports/Settings", {
  defaultValue: () => ({
    accountStorageMb: 1024,
    adminToken: undefined,
    contentSignals: "search=yes, ai-input=yes, ai-train=no",
    definitionsMaxAgeDays: 7,
    holdsNewAccounts: true,
    identityProviderOrigin: undefined,
    mcpAllowedOrigins: [],
    mediaBaseUrl: undefined,
    metricsToken: undefined,
    platformFeeAddress: undefined,
    platformFeeBps: 0,
    publicCacheMb: 64,
    rateLimitFactor: 1,
    screeningConcurrency: 4,
    siteName: SITE_NAME,
    trustedProxies: []
  })
})

/** Changes some settings for the layers that it is provided to; the others stay as they are. */
export const withSettings = (changes: Partial<Settings>) =>
  Layer.effect(
    Settings,
    Effect.map(Settings, (current) => ({ ...current, ...changes }))
  )
