import type { Given } from "../../platform/public-answers/ReadCounter.ts"
import { remembered } from "../../platform/work/remembered.ts"
import { copied } from "./copied.ts"
import { halfSipHash, type HashKey } from "./halfSipHash.ts"

/** Kinds of readers. */
export type ReaderKind = "people" | "agents" | "crawlers" | "feeds"

/**
 * Names by which programs say that they read for an index, a training set, a preview of links or a watch. Any other program
 * that names itself is an agent. As of 2026-11-29.
 */
const CRAWLERS =
  /googlebot|google-inspectiontool|googleother|storebot-google|adsbot-google|mediapartners-google|google-safety|bingbot|bingpreview|adidxbot|duckduckbot|baiduspider|yandex\w*bot|yandex(?:images|metrika)|sogou|slurp|applebot|petalbot|seznambot|qwantbot|qwantify|mojeekbot|\byeti\/|coccocbot|exabot|360spider|amazonbot|bytespider|tiktokspider|gptbot|oai-searchbot|claudebot|claude-searchbot|anthropic-ai|perplexitybot|ccbot|meta-externalagent|meta-webindexer|facebookbot|facebookexternalhit|facebookcatalog|diffbot|cohere-|ai2bot|timpibot|omgili|webzio|imagesiftbot|velenpublicwebcrawler|youbot|mistralai-index|deepseekbot|pangubot|ahrefs|semrush|mj12bot|dotbot|blexbot|dataforseobot|serpstatbot|barkrowler|rogerbot|screaming frog|sitebulb|seokicks|zoominfobot|awariobot|archive\.org_bot|ia_archiver|heritrix|nutch|twitterbot|linkedinbot|slackbot|slack-imgproxy|discordbot|telegrambot|whatsapp\/|pinterestbot|redditbot|skypeuripreview|embedly|iframely|bluesky cardyb|mastodon\/|vkshare|snap url preview|uptimerobot|pingdom|statuscake|site24x7|chrome-lighthouse|w3c_validator|w3c-checklink|censys|internetmeasurement|expanse/i

/** Names that only browsers of people begin with. */
const BROWSERS = /^(?:mozilla|opera|lynx|elinks|links|w3m|dillo)\b/i

/** Words by which programs with the name of a browser say that they are programs. `Cubot` is a telephone. */
const SELF_NAMED = /(?<!cu)bot\b|crawl|spider|agent\b|headless|-user\b|https?:\/\/|@/i

/** Characters of a name that tell readers apart. */
const NAME_MAX = 300
const NAMES_MAX = 10_000

/** A reader, as their program names itself. */
interface Named {
  readonly kind: "people" | "agents" | "crawlers"
  /** A short form of the name, which tells it from others. */
  readonly digest: string
}

const kindOfName = (name: string): Named["kind"] => {
  if (CRAWLERS.test(name)) return "crawlers"
  return BROWSERS.test(name) && !SELF_NAMED.test(name) ? "people" : "agents"
}

const NO_KEY: HashKey = [0, 0]

const rememberedName = remembered(
  (name): Named => ({ kind: kindOfName(name), digest: halfSipHash(NO_KEY, name).join(" ") }),
  NAMES_MAX
)

/** Reads a `User-Agent`. */
export const namedReader = (userAgent = ""): Named =>
  rememberedName(userAgent.length > NAME_MAX ? copied(userAgent.slice(0, NAME_MAX)) : userAgent)

type Headers = Readonly<Record<string, string | undefined>>

/**
 * Returns the kind of a reader. A name of the list decides first. A key and a signature of a program (Web Bot Auth) are an
 * agent's.
 */
export const readerKindOf = (headers: Headers, { kind }: Named, by: Given["by"]): ReaderKind => {
  if (kind === "crawlers") return kind
  if (by !== undefined) return by
  const isProgram = headers["authorization"] !== undefined || headers["signature-agent"] !== undefined
  return isProgram ? "agents" : kind
}

/** Returns true for a reader who asks not to be tracked. */
export const asksForPrivacy = (headers: Headers): boolean =>
  headers["dnt"] === "1" || headers["sec-gpc"] === "1"

const HOST = /^https?:\/\/(?:[^/?#@]*@)?([a-z0-9.-]{1,253})(?::\d*)?(?:[/?#]|$)/i

/** Returns the host of a `Referer`. */
export const sourceOf = (referrer: string | undefined): string | undefined => {
  const host = referrer === undefined ? undefined : HOST.exec(referrer)?.[1]
  return host === undefined ? undefined : copied(host.toLowerCase())
}

/** Returns the hash of a visitor under the key of a day, of 48 bits: as a number of JavaScript counts them exactly. */
export const visitorOf = (key: HashKey, client: string, { digest }: Named): number => {
  const [low, high] = halfSipHash(key, `${client} ${digest}`)
  return (high >>> 16) * 2 ** 32 + low
}
