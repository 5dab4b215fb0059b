import { Effect, Layer } from "effect"
import { HttpRouter, type HttpServerRequest, HttpServerResponse } from "effect/http"
import type { NotFound } from "../../../schemas/platform/errors/common.ts"
import { preferredToHtml } from "../../platform/http/accept.ts"
import { goneAnswer } from "../../platform/http/goneAnswer.ts"
import { countingPages, makePageForms, queryOf } from "../../platform/http/pageForms.ts"
import { licenseLinkOf } from "../../platform/http/pageHeaders.ts"
import { type Form, makePublicAnswer } from "../../platform/http/publicAnswer.ts"
import { addPage } from "../../platform/http/ServicePaths.ts"
import { Site } from "../../platform/pages/Site.ts"
import { caching } from "../../platform/public-answers/caching.ts"
import type { PublicRead } from "../../platform/public-answers/PublicAnswers.ts"
import { SectionReader } from "../../publishing/content/SectionReader.ts"
import { Discovery } from "../../publishing/discovery/Discovery.ts"
import { redirectFormerHandle } from "../../publishing/discovery/redirectFormerHandle.ts"
import { authorPage } from "./authorPage.ts"
import { commentsPage } from "./commentsPage.ts"
import { authorMarkdown, postMarkdown } from "./markdownTwins.ts"
import { type AuthorPart, Pages } from "./Pages.ts"
import { searchWordsOf } from "./parts/searchWords.ts"
import { postPage } from "./postPage.ts"
import * as reads from "./publicReads.ts"

const MARKDOWN = "text/markdown"
const PLAIN = "text/plain"

/** No cache may keep negotiated Markdown: a cache that ignores `Vary` would show it to browsers. */
const NEGOTIATED = { "cache-control": "private, no-store", vary: "Accept, Accept-Encoding" }

const markdownForm =
  (link: string) =>
  <A>(textOf: (value: A) => string): Form<A> => ({
    contentType: `${MARKDOWN}; charset=utf-8`,
    isWeak: true,
    textOf,
    headersOf: () => ({
      "cache-control": caching.page,
      vary: "Accept-Encoding",
      ...(link === "" ? {} : { link })
    })
  })

/** Ends a name that asks for Markdown. Handles and slugs have no dot. */
const SUFFIX = ".md"

/** Years that an address may name: an import dates no post before 1900. */
const YEAR = /^(?:19|20)\d\d$/

/** Reads the part of an author's Posts that an address names. Words are looked for in all years. */
const authorPartOf = (query: URLSearchParams): AuthorPart => {
  const q = searchWordsOf(query.get("q"))
  const year = query.get("year") ?? ""
  return {
    after: query.get("after") ?? undefined,
    q,
    year: q === "" && YEAR.test(year) ? Number(year) : undefined
  }
}

/** Serves the URLs of authors and Posts: pages for people, and Markdown for programs that ask for it. */
export const PageRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const site = yield* Site
    const pages = yield* Pages
    const discovery = yield* Discovery
    const { absoluteMarkdown } = yield* SectionReader
    const counting = yield* countingPages
    const redirect = yield* redirectFormerHandle(goneAnswer)
    const answer = yield* makePublicAnswer
    const formOf = makePageForms(site)
    const { baseUrl } = site

    const postForm = formOf(
      ({ view }: Effect.Success<ReturnType<typeof pages.post>>) => postPage(view, site),
      [MARKDOWN, PLAIN]
    )
    const authorForm = formOf(
      ({ view }: Effect.Success<ReturnType<typeof pages.author>>) => authorPage(view, baseUrl),
      [MARKDOWN, PLAIN]
    )
    /** Reads a Post whose relative links are absolute, as its Markdown is read elsewhere. It waits in the turn of its author. */
    const twinAt = Effect.fnUntraced(function* (handle: string, slug: string) {
      const post = yield* discovery.postAt(handle, slug)
      const source = post.freeContentMarkdown ?? ""
      return {
        ...post,
        freeContentMarkdown: yield* absoluteMarkdown(post.author.id, { source, url: post.url })
      }
    })
    const twinForm = markdownForm(licenseLinkOf(site).join(", "))
    const postTwin = twinForm((post: Effect.Success<ReturnType<typeof twinAt>>) =>
      postMarkdown(post, baseUrl)
    )
    const authorTwin = twinForm(
      ({ author, newest }: Effect.Success<ReturnType<typeof discovery.profileWithPosts>>) =>
        authorMarkdown(author, newest, baseUrl)
    )

    /** A public read in its form. */
    interface Answered<A> {
      readonly named: PublicRead<A>
      readonly read: Effect.Effect<A, NotFound>
      readonly form: Form<A>
    }

    /**
     * Answers with a page, or with its twin where the client prefers that. The twin is the one that is kept at the address
     * with a suffix. It is found there, because a kept page is sent to those who ask for its own address.
     */
    const negotiated = <A, B>(
      request: HttpServerRequest.HttpServerRequest,
      page: Answered<A>,
      twin: Answered<B>
    ) => {
      const type = preferredToHtml(request.headers["accept"], [MARKDOWN, PLAIN])
      if (type === undefined) return answer(request, page.named, page.read, page.form)
      const [path = ""] = request.url.split("?", 1)
      return answer(request.modify({ url: `${path}${SUFFIX}` }), twin.named, twin.read, twin.form).pipe(
        Effect.map(HttpServerResponse.setHeaders(NEGOTIATED)),
        Effect.map((response) =>
          response.status === 304
            ? response
            : HttpServerResponse.setHeader(response, "content-type", `${type}; charset=utf-8`)
        )
      )
    }

    const commentsForm = formOf(({ view }: Effect.Success<ReturnType<typeof pages.comments>>) =>
      commentsPage(view)
    )

    return Layer.mergeAll(
      addPage(
        "GET",
        "/@:handle/:slug/comments",
        Effect.flatMap(HttpRouter.params, ({ handle = "", slug = "" }) =>
          counting((request) => {
            const query = queryOf(request.url)
            const part = { after: query.get("after") ?? undefined, thread: query.get("thread") ?? undefined }
            const named = reads.commentsPage(handle, slug, part)
            return redirect(answer(request, named, pages.comments(handle, slug, part), commentsForm))
          })
        )
      ),
      addPage(
        "GET",
        "/@:handle",
        Effect.flatMap(HttpRouter.params, ({ handle: name = "" }) =>
          counting((request) => {
            const isTwin = name.endsWith(SUFFIX)
            const handle = isTwin ? name.slice(0, -SUFFIX.length) : name
            const twin = {
              named: reads.authorTwin(handle),
              read: discovery.profileWithPosts(handle),
              form: authorTwin
            }
            if (isTwin) return redirect(answer(request, twin.named, twin.read, twin.form))
            const part = authorPartOf(queryOf(request.url))
            const named = reads.authorPage(handle, part)
            return redirect(
              negotiated(request, { named, read: pages.author(handle, part), form: authorForm }, twin)
            )
          })
        )
      ),
      addPage(
        "GET",
        "/@:handle/:slug",
        Effect.flatMap(HttpRouter.params, ({ handle = "", slug: name = "" }) =>
          counting((request) => {
            const isTwin = name.endsWith(SUFFIX)
            const slug = isTwin ? name.slice(0, -SUFFIX.length) : name
            const twin = { named: reads.postTwin(handle, slug), read: twinAt(handle, slug), form: postTwin }
            if (isTwin) return redirect(answer(request, twin.named, twin.read, twin.form))
            const named = reads.postPage(handle, slug)
            return redirect(
              negotiated(request, { named, read: pages.post(handle, slug), form: postForm }, twin)
            )
          })
        )
      )
    )
  })
)
