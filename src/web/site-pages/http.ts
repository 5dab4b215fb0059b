import { Effect, Layer, Option } from "effect"
import { HttpRouter } from "effect/http"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import { countingPages, makePageForms } from "../../platform/http/pageForms.ts"
import { makePublicAnswer } from "../../platform/http/publicAnswer.ts"
import { addPage } from "../../platform/http/ServicePaths.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { ABOUT, Site } from "../../platform/pages/Site.ts"
import { Settings, type SitePage } from "../../platform/ports/Settings.ts"
import { SectionReader } from "../../publishing/content/SectionReader.ts"
import { aboutPage } from "./aboutPage.ts"
import { DELETED, deletedPage } from "./deletedPage.ts"
import { sitePage } from "./sitePage.ts"

/** The texts of the operator take one turn between the authors who write. */
const KEY = "site pages"

/** Serves the page about the site, that about deleted accounts, and the pages that its operator wrote. Their texts are rendered once, at the start. */
export const SitePageRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const site = yield* Site
    const { sitePages } = yield* Settings
    const { pageText } = yield* SectionReader
    const counting = yield* countingPages
    const answer = yield* makePublicAnswer
    const form = makePageForms(site)((page: Page) => page)

    const rendered = Effect.fnUntraced(function* ({ markdown, name, title }: SitePage) {
      const path = name === ABOUT ? "/about" : `/pages/${name}`
      const url = `${site.baseUrl}${path}`
      return [path, sitePage({ title, url, text: yield* pageText(KEY, { source: markdown, url }) })] as const
    })
    const pages = new Map([
      ["/about", aboutPage(site)] as const,
      [DELETED, deletedPage] as const,
      ...(yield* Effect.forEach(sitePages, rendered))
    ])

    const sent = (path: string) =>
      counting((request) => {
        const page = Option.fromUndefinedOr(pages.get(path))
        const read = Effect.fromOption(page, () => new NotFound())
        return answer(request, { key: `page ${path}`, tags: () => [] }, read, form)
      })

    return Layer.mergeAll(
      addPage("GET", "/about", sent("/about")),
      addPage("GET", DELETED, sent(DELETED)),
      addPage(
        "GET",
        "/pages/:name",
        Effect.flatMap(HttpRouter.params, ({ name = "" }) => sent(`/pages/${name}`))
      )
    )
  })
)
