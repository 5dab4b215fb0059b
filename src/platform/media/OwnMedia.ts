import { Context, Effect, Layer } from "effect"
import { PublicBaseUrl } from "../../../schemas/platform/errors/PublicBaseUrl.ts"
import {
  isMediaPath,
  MEDIA_PATH,
  mediaPathOf,
  withMediaNames,
  withMediaUrls
} from "../../../schemas/platform/mediaPath.ts"
import { Settings } from "../ports/Settings.ts"
import { mediaHostStatements } from "./mediaHosts.sql.ts"

/** The origins of the images of the service. */
interface MediaOrigins {
  /** Origin of the URLs of images. */
  readonly base: string
  /** Origin of the pages. */
  readonly site: string
  /** Every host that the service had, the current ones included. */
  readonly hosts: ReadonlyArray<string>
}

const hostOf = (origin: string) => new URL(origin).host

/** A character that ends the address before it, so that another one may begin. */
const BEFORE = String.raw`(?<![\w.~%/:?#@!$&*+,;=-])`

/** Functions over the addresses of images, which pass null through. */
const make = ({ base, hosts, site }: MediaOrigins) => {
  const current = new Set([hostOf(base), hostOf(site)])
  const former = hosts.filter((host) => !current.has(host)).map((host) => host.replaceAll(/[.[\]]/g, "\\$&"))
  const moved =
    former.length === 0
      ? undefined
      : new RegExp(`${BEFORE}(?:https?:)?//(?:${former.join("|")})(?=${MEDIA_PATH})`, "gi")
  const pathOf = (address: string) => mediaPathOf(address, hosts)
  const own = new Set([...hosts, ...current].map((host) => host.replaceAll(/[.[\]]/g, "\\$&")))
  const named = new RegExp(`${BEFORE}(?:https?:)?//(?:${[...own].join("|")})(${MEDIA_PATH})`, "gi")

  /** Returns the URL of an address as it is stored. */
  const urlOf = <Stored extends string | null>(stored: Stored) =>
    (stored !== null && isMediaPath(stored) ? `${base}${stored}` : stored) as Stored

  const textOf = <Text extends string | null>(text: Text) =>
    (text === null || moved === undefined ? text : text.replaceAll(moved, base)) as Text

  return {
    hosts,
    pathOf,
    urlOf,
    /** Returns the address of an image for a page of the site: its path, unless images have a host of their own. */
    srcOf: <Stored extends string | null>(stored: Stored) => (base === site ? stored : urlOf(stored)),
    /** Returns an address as it is stored: images of the service by path, and every other one as it is written. */
    storedOf: <Address extends string | null>(address: Address) =>
      (address === null ? null : (pathOf(address) ?? address)) as Address,
    /**
     * Returns a text as its author wrote it, except that images of the service under a host that it had before have the
     * current one. Links to anything else stay as they are.
     */
    textOf,
    /**
     * Returns Markdown with other addresses in place of those of images of the service. `nameOf` returns the new address of an
     * image, by its path; undefined leaves the address as it is written.
     */
    renamed: (text: string, nameOf: (path: string) => string | undefined): string =>
      text.includes("/media/")
        ? withMediaNames(
            text.replaceAll(named, (whole: string, path: string) => nameOf(path) ?? whole),
            nameOf
          )
        : text,
    /** Returns {@link textOf} for a reader elsewhere: Markdown that names images of the service by path has their URLs. */
    publicTextOf: <Text extends string | null>(text: Text) =>
      (text === null ? null : withMediaUrls(textOf<string>(text), base)) as Text
  }
}

/**
 * The addresses of images that the service serves. Columns have them by path, and sections as their authors wrote them.
 * The service remembers each host that it had: after a change of its domain, the addresses of the former one still lead
 * to its images.
 */
export class OwnMedia extends Context.Service<OwnMedia, ReturnType<typeof make>>()(
  "pennypress/platform/media/OwnMedia"
) {
  static readonly make = make

  static readonly layer = Layer.effect(
    OwnMedia,
    Effect.gen(function* () {
      const { remember } = yield* mediaHostStatements
      const site = yield* PublicBaseUrl
      const { mediaBaseUrl: base = site } = yield* Settings
      const known = yield* remember([hostOf(site), hostOf(base)])
      return OwnMedia.of(make({ base, site, hosts: known.map(({ host }) => host) }))
    })
  )
}
