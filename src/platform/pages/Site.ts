import { Context, Effect, Layer } from "effect"
import { PublicBaseUrl } from "../../../schemas/platform/errors/PublicBaseUrl.ts"
import { AnswerBytes } from "../ports/AnswerBytes.ts"
import { Assets, type ScriptName } from "../ports/Assets.ts"
import { Settings, type SiteAccent, type SiteLogo } from "../ports/Settings.ts"

/** A file of the pages, under a name that changes with its content. */
export interface SiteFile {
  readonly path: string
  readonly contentType: string
  readonly text: string
}

/** The picture beside the name of the site. */
export interface SitePicture extends SiteLogo {
  readonly path: string
}

/** The site as its pages see it. */
export interface SiteView {
  /** The name of the site, as its operator chose it. */
  readonly name: string
  /** Describes the site in a few words. */
  readonly claim: string
  /** A sentence that every page shows first. */
  readonly notice: string | undefined
  /** False for a site that creates no new account. */
  readonly isRegistrationOpen: boolean
  /** The pages that the footer links. */
  readonly pages: ReadonlyArray<SiteLink>
  /** Origin of every URL, without a trailing slash. */
  readonly baseUrl: string
  /** False for a site that states no terms of use. */
  readonly hasLicense: boolean
  /** Origin of public images, when it is another one. */
  readonly mediaOrigin: string | undefined
  /** The accent on a light page. */
  readonly accent: string
  readonly stylesheet: SiteFile
  readonly scripts: Readonly<Record<ScriptName, SiteFile>>
  readonly icon: SiteFile
  /** The operator's picture, which is the icon, too; undefined for ours. */
  readonly logo: SitePicture | undefined
}

/** A page that the operator wrote. */
export interface SiteLink {
  readonly name: string
  readonly path: string
  readonly title: string
}

/** The parts of a site that its pages name. */
export type SiteNames = Pick<SiteView, "baseUrl" | "claim" | "isRegistrationOpen" | "name" | "pages">

/** The name of the page that replaces `/about`, where every footer links it. */
export const ABOUT = "about"

/** The accent of the stylesheet and of our icon. */
const ACCENT: SiteAccent = { light: "#9c3d0c", dark: "#f2a873" }

const recoloured = (icon: string, { dark, light }: SiteAccent) =>
  icon.replaceAll(ACCENT.light, light).replaceAll(ACCENT.dark, dark)

/** Returns the stylesheet with another accent, which the last rule of its layer names. */
const accented = (stylesheet: string, { dark, light }: SiteAccent) =>
  `${stylesheet}@layer tokens{:root{--accent:light-dark(${light},${dark})}}\n`

const EXTENSIONS = { "image/svg+xml": "svg", "image/png": "png" } as const

/** The place where a script imports another one. */
const IMPORT = /from "\.\/([a-z]+)\.js"/g

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
      const settings = yield* Settings
      const { mediaBaseUrl, siteAccent = ACCENT, siteLogo, sitePages } = settings
      const encoder = new TextEncoder()

      const pathOf = (name: string, extension: string, bytes: Uint8Array<ArrayBuffer>) =>
        `/assets/${name}.${digest(bytes).slice(0, DIGEST_LENGTH)}.${extension}`

      const file = (name: string, extension: string, contentType: string, text: string): SiteFile => ({
        path: pathOf(name, extension, encoder.encode(text)),
        contentType,
        text
      })

      /** Modules import each other by their paths, so the name of each changes with those that it imports. */
      const script = (name: ScriptName): SiteFile => {
        const text = scripts[name].replaceAll(IMPORT, (_, imported: ScriptName) => {
          return `from "${script(imported).path}"`
        })
        return file(name, "js", "text/javascript; charset=utf-8", text)
      }

      return Site.of({
        name: settings.siteName,
        claim: settings.siteClaim,
        notice: settings.siteNotice,
        isRegistrationOpen: settings.isRegistrationOpen,
        pages: sitePages
          .filter(({ name }) => name !== ABOUT)
          .map(({ name, title }) => ({ name, path: `/pages/${name}`, title })),
        baseUrl,
        hasLicense: settings.contentSignals !== "",
        accent: siteAccent.light,
        mediaOrigin: mediaBaseUrl === baseUrl ? undefined : mediaBaseUrl,
        stylesheet: file(
          "reader",
          "css",
          "text/css; charset=utf-8",
          siteAccent === ACCENT ? stylesheet : accented(stylesheet, siteAccent)
        ),
        scripts: {
          reader: script("reader"),
          marks: script("marks"),
          tools: script("tools"),
          pasting: script("pasting"),
          editor: script("editor"),
          copies: script("copies"),
          checkout: script("checkout"),
          editing: script("editing"),
          places: script("places"),
          pictures: script("pictures"),
          sheet: script("sheet"),
          publish: script("publish"),
          importing: script("importing"),
          saving: script("saving"),
          seen: script("seen"),
          moderating: script("moderating")
        },
        icon: file("icon", "svg", "image/svg+xml", recoloured(icon, siteAccent)),
        logo:
          siteLogo === undefined
            ? undefined
            : { ...siteLogo, path: pathOf("logo", EXTENSIONS[siteLogo.type], siteLogo.bytes) }
      })
    })
  )
}
