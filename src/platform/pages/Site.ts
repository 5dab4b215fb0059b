import { Context, Effect, Layer } from "effect"
import { PublicBaseUrl } from "../../../schemas/platform/errors/PublicBaseUrl.ts"
import { AnswerBytes } from "../ports/AnswerBytes.ts"
import { Assets, type ScriptName } from "../ports/Assets.ts"
import { Settings } from "../ports/Settings.ts"

/** A file of the pages, under a name that changes with its content. */
export interface SiteFile {
  readonly path: string
  readonly contentType: string
  readonly text: string
}

/** The site as its pages see it. */
export interface SiteView {
  /** The name of the site, as its operator chose it. */
  readonly name: string
  /** Origin of every URL, without a trailing slash. */
  readonly baseUrl: string
  /** Origin of public images, when it is another one. */
  readonly mediaOrigin: string | undefined
  readonly stylesheet: SiteFile
  readonly scripts: Readonly<Record<ScriptName, SiteFile>>
  readonly icon: SiteFile
}

/** The parts of a site that its pages name. */
export type SiteNames = Pick<SiteView, "baseUrl" | "name">

/** Characters of a digest that a name has. */
const DIGEST_LENGTH = 10

/** The site: its origin and the files that its pages load. */
export class Site extends Context.Service<Site, SiteView>()("pennypress/platform/pages/Site") {
  static readonly layer = Layer.effect(
    Site,
    Effect.gen(function* () {
      const { icon, scripts, stylesheet } = yield* Assets
      const { digest } = yield* AnswerBytes
      const baseUrl = yield* PublicBaseUrl
      const { mediaBaseUrl, siteName } = yield* Settings
      const encoder = new TextEncoder()

      const file = (name: string, extension: string, contentType: string, text: string): SiteFile => {
        const hash = digest(encoder.encode(text)).slice(0, DIGEST_LENGTH)
        return { path: `/assets/${name}.${hash}.${extension}`, contentType, text }
      }

      const script = (name: ScriptName) => file(name, "js", "text/javascript; charset=utf-8", scripts[name])

      return Site.of({
        name: siteName,
        baseUrl,
        mediaOrigin: mediaBaseUrl === baseUrl ? undefined : mediaBaseUrl,
        stylesheet: file("reader", "css", "text/css; charset=utf-8", stylesheet),
        scripts: {
          reader: script("reader"),
          toolbar: script("toolbar"),
          editor: script("editor"),
          pictures: script("pictures"),
          saving: script("saving")
        },
        icon: file("icon", "svg", "image/svg+xml", icon)
      })
    })
  )
}
