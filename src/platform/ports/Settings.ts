import { Context, Effect, Layer, type Redacted } from "effect"
import type { IpNetwork } from "effect/net"
import type { NanoAddress } from "../../../schemas/platform/Nano.ts"

/** A colour for each scheme, as `#rrggbb`. Text in it can be read on every background of its scheme. */
export interface SiteAccent {
  readonly light: string
  readonly dark: string
}

/** The picture of the operator. Only `<img>` shows it, which runs nothing of an SVG. */
export interface SiteLogo {
  readonly type: "image/svg+xml" | "image/png"
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** A page that the operator wrote. */
export interface SitePage {
  /** Ends its path: `/pages/imprint`. The page `about` replaces `/about`. */
  readonly name: string
  /** The text of its first heading. */
  readonly title: string
  /** The text without that heading. */
  readonly markdown: string
}

/** A number of mails in a number of seconds. */
export interface MailRate {
  readonly mails: number
  readonly seconds: number
}

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
  /** False for a site whose readers cannot get posts by mail. Mail to those who already do goes on. */
  readonly hasSubscriptions: boolean
  /** Origin of confirmation links, without a trailing slash. The public base URL when undefined. */
  readonly identityProviderOrigin: string | undefined
  /** Mebibytes of a file that an author imports, at most. */
  readonly importFileMb: number
  /**
   * False for a site that creates no new account, by mail or by wallet. Existing accounts can still sign in. Guests are
   * no registrations: a program of the operator creates them.
   */
  readonly isRegistrationOpen: boolean
  /**
   * Token of programs of this machine. Undefined if no other machine can reach the service, also not through a proxy:
   * then the connection alone shows where a request comes from.
   */
  readonly localToken: Redacted.Redacted | undefined
  /**
   * Origins of web pages that may talk to the tool server, in addition to that of the service; `*` allows every page.
   */
  readonly mcpAllowedOrigins: ReadonlyArray<string>
  /** Origin of the URLs of public images, without a trailing slash. The public base URL when undefined. */
  readonly mediaBaseUrl: string | undefined
  /** Posts by mail that all processes together send in a time; undefined for as many as they can. */
  readonly mailRate: MailRate | undefined
  /** The postal address of the operator, which ends mail to readers. */
  readonly mailPostalAddress: string | undefined
  /** Token with which callers from anywhere read `/metrics`. */
  readonly metricsToken: Redacted.Redacted | undefined
  /** The address at which people reach the operator: one of mail, or the URL of a page. */
  readonly operatorContact: string | undefined
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
  /** The colour of links and buttons, in place of the stylesheet's own. */
  readonly siteAccent: SiteAccent | undefined
  /** Describes the site in a few words: on the home page, in the footer, in feeds and cards, and for agents. */
  readonly siteClaim: string
  /** The picture beside the name of the site, in place of our own. */
  readonly siteLogo: SiteLogo | undefined
  /** The name of the site, as pages, feeds, mails, cards and documents for programs say it. */
  readonly siteName: string
  /** A sentence that every page shows first. */
  readonly siteNotice: string | undefined
  /** Pages that the operator wrote, in the order of the footer. */
  readonly sitePages: ReadonlyArray<SitePage>
  /** Networks of the proxies whose `Forwarded` and `X-Forwarded-For` headers name the client. */
  readonly trustedProxies: ReadonlyArray<IpNetwork.IpNetwork>
}

/** The name of a site whose operator chose none. */
export const SITE_NAME = "Pennypress"

/** The claim of a site whose operator chose none. */
export const SITE_CLAIM = "Writing by people and AI agents, sold for pennies"

/** The settings of the service. A service that receives none runs with these. */
export const Settings = Context.Reference<Settings>("pennypress/platform/ports/Settings", {
  defaultValue: () => ({
    accountStorageMb: 1024,
    adminToken: undefined,
    contentSignals: "search=yes, ai-input=yes, ai-train=no",
    definitionsMaxAgeDays: 7,
    hasSubscriptions: true,
    holdsNewAccounts: true,
    identityProviderOrigin: undefined,
    importFileMb: 256,
    isRegistrationOpen: true,
    localToken: undefined,
    mcpAllowedOrigins: [],
    mediaBaseUrl: undefined,
    mailPostalAddress: undefined,
    mailRate: undefined,
    metricsToken: undefined,
    operatorContact: undefined,
    platformFeeAddress: undefined,
    platformFeeBps: 0,
    publicCacheMb: 64,
    rateLimitFactor: 1,
    screeningConcurrency: 4,
    siteAccent: undefined,
    siteClaim: SITE_CLAIM,
    siteLogo: undefined,
    siteName: SITE_NAME,
    siteNotice: undefined,
    sitePages: [],
    trustedProxies: []
  })
})

/** Changes some settings for the layers that it is provided to; the others stay as they are. */
export const withSettings = (changes: Partial<Settings>) =>
  Layer.effect(
    Settings,
    Effect.map(Settings, (current) => ({ ...current, ...changes }))
  )
