import { Effect, Layer, Option, Schema, Stream } from "effect"
import { SecureRandom } from "effect/crypto"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { SessionIdempotencyKey } from "../../../schemas/payments/sessions/PaymentSession.ts"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import { ImportId, ImportItemId } from "../../../schemas/platform/Ids.ts"
import type { BrowserAuthority, PublisherAuthority } from "../../../schemas/platform/security/authorities.ts"
import {
  ApplyRequest,
  ImportRequest,
  PublishItemsRequest,
  RedirectsFormat
} from "../../../schemas/publishing/imports/Import.ts"
import { checked } from "../../platform/http/checked.ts"
import { FormRefused, unreadable } from "../../platform/http/ownForms.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { LENGTHS, type SentForm } from "../../platform/http/SentForm.ts"
import { addPrivatePage } from "../../platform/http/ServicePaths.ts"
import { trusted } from "../../platform/pages/html.ts"
import { Site } from "../../platform/pages/Site.ts"
import { Settings } from "../../platform/ports/Settings.ts"
import { limiting } from "../../platform/rate-limits/http.ts"
import { SectionReader } from "../../publishing/content/SectionReader.ts"
import { Discovery } from "../../publishing/discovery/Discovery.ts"
import { ImportActs } from "../../publishing/imports/service/ImportActs.ts"
import { ImportItems } from "../../publishing/imports/service/ImportItems.ts"
import { Imports } from "../../publishing/imports/service/Imports.ts"
import { readFileForm } from "../pictures/fileForm.ts"
import { makeAsPublisher } from "../website-key/http.ts"
import { plainPrice } from "../write/postForm.ts"
import { importPage, progressOf } from "./importPage.ts"
import { TOO_MANY } from "./importWords.ts"
import { itemPage } from "./itemPage.ts"
import { IMPORT, importPath, itemPath, QUERIES, showOf } from "./paths.ts"
import { startPage } from "./startPage.ts"

const decodeImportId = Schema.decodeUnknownOption(ImportId)
const decodeItemId = Schema.decodeUnknownOption(ImportItemId)
const decodeFormat = Schema.decodeUnknownOption(RedirectsFormat)
const isKey = Schema.is(SessionIdempotencyKey)

const MEBIBYTE = 1024 * 1024

/** Items of a page. A form has 48 fields at most. */
const ITEMS = 30
/** Earlier imports that the page shows. */
const IMPORTS = 10

const idOf = Effect.gen(function* () {
  const { importId } = yield* HttpRouter.params
  return yield* Effect.mapError(Effect.fromOption(decodeImportId(importId)), () => new NotFound())
})

const PICTURE = /<img (?:"[^"]*"|[^<>"])*>/g
const ALT = / alt="([^"]*)"/

/** Puts words in the place of pictures, which are still in the file. The renderer escapes what the words are of. */
const pictureless = (rendered: string) =>
  rendered.replaceAll(PICTURE, (it) => `<em>Picture: ${ALT.exec(it)?.[1] || "no description"}</em>`)

/** Recognises a request of the script of the page. */
const isOfScript = ({ headers }: HttpServerRequest.HttpServerRequest) =>
  headers["accept"] === "application/json"

/** The outcomes that a page tells after a form. */
const TOLD: Readonly<Record<string, string>> = {
  busy: "This import comes first. Finish it or stop it, then send your other file.",
  stopped: "Stopped. The drafts made so far are among your posts.",
  undone: "Undone. Drafts that you changed or published are still here."
}

const orUndefined = (text: string | undefined) =>
  text === undefined || text.trim() === "" ? undefined : text.trim()

/** Serves the pages on which an author brings posts from elsewhere. */
export const ImportRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const imports = yield* Imports
    const acts = yield* ImportActs
    const found = yield* ImportItems
    const discovery = yield* Discovery
    const reader = yield* SectionReader
    const random = yield* SecureRandom.SecureRandom
    const count = yield* limiting
    const { baseUrl } = yield* Site
    const { importFileMb } = yield* Settings
    const { publisherAt, shownAt } = yield* makeAsPublisher
    const { answering, checkFileForm, headers, json, page, query, readFormAsSent, seeOther } =
      yield* makePrivatePages
    const checkImport = checked(ImportRequest)
    const checkApply = checked(ApplyRequest)
    const checkPublish = checked(PublishItemsRequest)

    const started = Effect.fnUntraced(function* (
      publisher: PublisherAuthority,
      { isModerator }: BrowserAuthority,
      wrong: string | null,
      status = 200
    ) {
      const { data } = yield* Effect.catchTag(
        imports.list(publisher, { limit: IMPORTS }),
        "Validation",
        Effect.die
      )
      return page(
        startPage({ key: yield* random.uuidV4(), maxMb: importFileMb, imports: data, isModerator, wrong }),
        status
      )
    })

    const start = Effect.gen(function* () {
      yield* count("public-read")
      return yield* shownAt(IMPORT, (publisher, owner) => started(publisher, owner, null))
    })

    /**
     * Begins an import, or goes on with one of the same file. One that waits for another file, which did not arrive,
     * makes room.
     */
    const begun = (publisher: PublisherAuthority, asked: ImportRequest, key: string) =>
      imports.begin(publisher, asked, key).pipe(
        Effect.map(({ value }) => value),
        Effect.catchTag(
          "ImportInProgress",
          Effect.fnUntraced(function* (inProgress) {
            const other = yield* imports.read(publisher, inProgress.importId)
            if (other.fileName === asked.fileName && other.byteSize === asked.byteSize) return other
            if (other.state !== "awaiting_file") return yield* inProgress
            yield* Effect.catchTag(acts.cancel(publisher, other.id), "ImportStateRefused", () => Effect.void)
            return (yield* imports.begin(publisher, asked, key)).value
          })
        )
      )

    /** Takes a file: whole, or a piece of it from the script of the page. */
    const send = Effect.gen(function* () {
      yield* checkFileForm
      const isScript = isOfScript(yield* HttpServerRequest.HttpServerRequest)
      return yield* publisherAt(
        IMPORT,
        Effect.fnUntraced(function* (publisher, owner) {
          const { fields, file } = yield* readFileForm({
            key: LENGTHS.word,
            members: LENGTHS.word,
            canonical: LENGTHS.word,
            size: LENGTHS.word,
            from: LENGTHS.word,
            length: LENGTHS.word
          })
          const refuse = (wrong: string, status: number) =>
            isScript ? Effect.succeed(json({ wrong }, status)) : started(publisher, owner, wrong, status)
          const key = fields.get("key") ?? ""
          if (!isKey(key)) return yield* new FormRefused({ status: 400 })
          if (file === undefined) return yield* refuse("Choose a file first.", 422)
          const options = {
            ...(fields.get("members") === "free" ? { membersOnly: "free" as const } : {}),
            ...(fields.get("canonical") === "old" ? { canonical: "old" as const } : {})
          }
          const number = (name: "size" | "from" | "length") => Number(fields.get(name))
          const taken = Effect.gen(function* () {
            const byteSize = isScript ? number("size") : importFileMb * MEBIBYTE
            const asked = yield* checkImport({ fileName: file.fileName ?? "", byteSize, options })
            const value = yield* begun(publisher, asked, key)
            if (!isScript) return yield* imports.sendWhole(publisher, value.id, file.bytes)
            const [from, contentLength] = [number("from"), number("length")]
            // The answer to this piece was lost, or the file goes on where an earlier page ended.
            if (value.state !== "awaiting_file" || value.received !== from) return value
            const range = `bytes ${from}-${from + contentLength - 1}/${byteSize}`
            return yield* imports.sendFile(publisher, value.id, { range, contentLength }, file.bytes)
          })
          return yield* taken.pipe(
            Effect.flatMap((value) => {
              if (!isScript) return Effect.succeed(seeOther(importPath(value.id)))
              const { id, received, state } = value
              return Effect.succeed(json(state === "awaiting_file" ? { received } : { next: importPath(id) }))
            }),
            Effect.catchTag(["BodyBrokenOff", "MalformedMultipart"], () =>
              refuse("Your file didn't arrive whole. Choose it and try again.", 400)
            ),
            Effect.catchTags({
              ImportInProgress: ({ importId }) => {
                const next = `${importPath(importId)}?done=busy`
                return Effect.succeed(isScript ? json({ next }) : seeOther(next))
              },
              ImportOffset: ({ received }) => Effect.succeed(json({ received })),
              IdempotencyMismatch: () =>
                refuse("That was another file. Reload the page, and choose yours again.", 409),
              ImportStateRefused: ({ detail }) => refuse(detail ?? "The import has ended.", 409),
              PayloadTooLarge: ({ detail }) =>
                refuse(detail ?? `A file has at most ${importFileMb} MiB here.`, 413),
              RateLimited: ({ limit }) => refuse(TOO_MANY[limit] ?? "Try again in a minute.", 429),
              Unavailable: ({ detail }) => refuse(detail ?? "Try again in a while.", 503),
              Validation: ({ errors }) => refuse(errors?.[0]?.message ?? "We couldn't read that form.", 422)
            })
          )
        })
      )
    })

    const shown = Effect.fnUntraced(function* (
      publisher: PublisherAuthority,
      id: ImportId,
      wrong: string | null = null,
      status = 200
    ) {
      const asked = yield* query
      const show = showOf(asked.get("show"))
      const after = asked.get("after")
      const value = yield* imports.read(publisher, id)
      const list = { ...QUERIES[show], limit: ITEMS, ...(after === null ? {} : { cursor: after }) }
      const { data, pagination } = yield* Effect.catchTag(found.list(publisher, id, list), "Validation", () =>
        Effect.fail(new NotFound())
      )
      return page(
        importPage({
          value,
          items: data,
          show,
          next: pagination.nextCursor,
          isFirst: after === null,
          categories: (yield* discovery.categories).data,
          key: yield* random.uuidV4(),
          told: TOLD[asked.get("done") ?? ""] ?? null,
          wrong
        }),
        status
      )
    })

    const show = Effect.gen(function* () {
      yield* count("public-read")
      const id = yield* idOf
      const isScript = isOfScript(yield* HttpServerRequest.HttpServerRequest)
      return yield* shownAt(importPath(id), (publisher) =>
        isScript
          ? Effect.map(imports.read(publisher, id), (value) =>
              json({ state: value.state, progress: progressOf(value) })
            )
          : shown(publisher, id)
      )
    })

    const itemsOf = (form: SentForm) =>
      form.entries.flatMap(([name, value]) =>
        name.startsWith("item.") ? Option.toArray(decodeItemId(value)) : []
      )

    const apply = Effect.fnUntraced(function* (
      publisher: PublisherAuthority,
      id: ImportId,
      key: string,
      form: SentForm
    ) {
      const category = orUndefined(form.get("category"))
      const typed = orUndefined(form.get("price"))
      const price = typed === undefined ? undefined : plainPrice(typed)
      const selected = itemsOf(form)
      if (form.get("do") === "publish") {
        const request = yield* checkPublish({
          items: selected,
          // The schema refuses what was not chosen.
          creationMethod: form.get("method") as PublishItemsRequest["creationMethod"],
          creationAttested: (form.get("attested") === "1") as true,
          ...(category === undefined ? {} : { primaryCategoryId: Number(category) }),
          ...(price === undefined ? {} : { priceXno: price })
        })
        return yield* acts.publish(publisher, id, request, key)
      }
      const site = orUndefined(form.get("site"))
      const language = orUndefined(form.get("language"))
      const request = yield* checkApply({
        items: form.get("do") === "all" ? "all" : selected,
        ...(form.has("replace") ? { onConflict: "replace" } : {}),
        ...(form.has("nofetch") ? { fetchImages: false } : {}),
        ...(category === undefined ? {} : { primaryCategoryId: Number(category) }),
        ...(language === undefined ? {} : { language }),
        ...(price === undefined ? {} : { priceXno: price }),
        ...(site === undefined ? {} : { siteUrl: site })
      })
      return yield* acts.apply(publisher, id, request, key)
    })

    /** The sentences for members that a person did not fill in as they should. */
    const WRONG: Readonly<Record<string, string>> = {
      items: "Tick the posts first.",
      creationMethod: "Say how the posts were made.",
      creationAttested: "Confirm that you reviewed the posts.",
      priceXno: "Enter a price in XNO, such as 0.25.",
      language: "Enter a language such as en or pt-BR.",
      siteUrl: "Enter the address of your old site, such as https://blog.example."
    }

    const cancel = (publisher: PublisherAuthority, id: ImportId) =>
      acts.cancel(publisher, id).pipe(
        Effect.as(seeOther(`${importPath(id)}?done=stopped`)),
        // It has ended by itself.
        Effect.catchTag("ImportStateRefused", () => Effect.succeed(seeOther(importPath(id))))
      )

    const undo = (publisher: PublisherAuthority, id: ImportId) =>
      acts.undo(publisher, id).pipe(
        Effect.as(seeOther(`${importPath(id)}?done=undone`)),
        Effect.catchTag("ImportStateRefused", ({ detail }) => shown(publisher, id, detail ?? "Not now.", 409))
      )

    const remove = (publisher: PublisherAuthority, id: ImportId) =>
      imports.remove(publisher, id).pipe(
        Effect.as(seeOther(IMPORT)),
        Effect.catchTag("ImportInProgress", ({ detail }) => shown(publisher, id, detail ?? "Not now.", 409))
      )

    const press = Effect.gen(function* () {
      const form = yield* readFormAsSent
      const id = yield* idOf
      return yield* publisherAt(
        importPath(id),
        Effect.fnUntraced(function* (publisher) {
          const act = form.get("do")
          if (act === "cancel") return yield* cancel(publisher, id)
          if (act === "undo") return yield* undo(publisher, id)
          if (act === "delete") return yield* remove(publisher, id)
          const key = form.get("key") ?? ""
          if (!isKey(key)) return yield* unreadable(form)
          return yield* apply(publisher, id, key, form).pipe(
            Effect.as(seeOther(importPath(id))),
            Effect.catchTags({
              IdempotencyMismatch: () => shown(publisher, id, "You pressed that before. Look below.", 409),
              ImportStateRefused: ({ detail }) => shown(publisher, id, detail ?? "Not now.", 409),
              Validation: ({ errors }) => {
                const [first] = errors ?? []
                const member = first?.field.replace(/[[.].*$/, "") ?? ""
                return shown(publisher, id, WRONG[member] ?? first?.message ?? "Not now.", 422)
              }
            })
          )
        })
      )
    })

    const item = Effect.gen(function* () {
      yield* count("public-read")
      const id = yield* idOf
      const { itemId } = yield* HttpRouter.params
      const named = decodeItemId(itemId)
      if (Option.isNone(named)) return yield* new NotFound()
      return yield* shownAt(
        itemPath(id, named.value),
        Effect.fnUntraced(function* (publisher: PublisherAuthority, { ownerId }: BrowserAuthority) {
          const { draft, ...read } = yield* found.read(publisher, id, named.value)
          const rendered = Effect.fnUntraced(function* (source: string | null | undefined) {
            if (source === null || source === undefined || source === "") return null
            const { html } = yield* reader.pageText(ownerId, { source, url: `${baseUrl}${IMPORT}` })
            return trusted(pictureless(html))
          })
          return page(
            itemPage({
              id,
              item: read,
              description: draft.description ?? "",
              language: draft.language ?? "en",
              free: yield* rendered(draft.freeContentMarkdown),
              paid: yield* rendered(draft.paidContentMarkdown)
            })
          )
        })
      )
    })

    const attachment = (name: string) => ({
      ...headers,
      "content-disposition": `attachment; filename="${name}"`
    })

    const report = Effect.gen(function* () {
      const id = yield* idOf
      return yield* shownAt(importPath(id), (publisher) =>
        Effect.map(found.report(publisher, id), (lines) =>
          HttpServerResponse.stream(Stream.encodeText(lines), {
            contentType: "text/csv; charset=utf-8",
            headers: attachment("import-report.csv")
          })
        )
      )
    })

    const redirects = Effect.gen(function* () {
      const id = yield* idOf
      const format = Option.getOrElse(decodeFormat((yield* query).get("format")), () => "csv" as const)
      return yield* shownAt(importPath(id), (publisher) =>
        Effect.map(found.redirects(publisher, id, format), ({ contentType, fileName, text }) =>
          HttpServerResponse.text(text, { contentType, headers: attachment(fileName) })
        )
      )
    })

    return Layer.mergeAll(
      addPrivatePage("GET", "/desk/import", answering(start)),
      addPrivatePage("POST", "/desk/import", answering(send)),
      addPrivatePage("GET", "/desk/import/:importId", answering(show)),
      addPrivatePage("POST", "/desk/import/:importId", answering(press)),
      addPrivatePage("GET", "/desk/import/:importId/report.csv", answering(report)),
      addPrivatePage("GET", "/desk/import/:importId/redirects", answering(redirects)),
      addPrivatePage("GET", "/desk/import/:importId/:itemId", answering(item))
    )
  })
)
