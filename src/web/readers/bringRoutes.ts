import { Effect, Layer, Stream } from "effect"
import {
  IMPORT_CHARS_MAX,
  NewSubscriberImport
} from "../../../schemas/engagement/subscribers/SubscriberImport.ts"
import type { BrowserAuthority } from "../../../schemas/platform/security/authorities.ts"
import { SubscriberImports } from "../../engagement/subscribers/imports/SubscriberImports.ts"
import { checked } from "../../platform/http/checked.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { LENGTHS } from "../../platform/http/SentForm.ts"
import { addPrivatePage } from "../../platform/http/ServicePaths.ts"
import { limiting } from "../../platform/rate-limits/http.ts"
import type { SentFile } from "../../publishing/uploads/admission/uploadForm.ts"
import { makeBrowser } from "../browser/http.ts"
import { readFileForm } from "../pictures/fileForm.ts"
import { BRING, bringPage, type BringView, broughtPage } from "./bringPage.ts"

/** Bytes of the fields of the form, at most: a pasted list, and the other fields. */
const FIELD_BYTES_MAX = IMPORT_CHARS_MAX + 64 * 1024

const TOO_LONG = "The list is too long: send at most 1 MiB."
const LATER = "You brought a list within the last hour. Wait an hour, then bring the next one."

/** The sentences about fields that the page says in its own words. */
const OWN: Readonly<Record<string, string>> = {
  "consent.attested": "Tick the box if it is so. We can't take the list otherwise."
}

const EMPTY = { csv: "", source: "", statement: "", isAttested: false, wrong: {} }

/** Reads a file as text; null for one that is too long. */
const textOf = ({ bytes }: SentFile) =>
  bytes.pipe(
    Stream.runFold(
      () => ({ chunks: [] as Array<Uint8Array>, length: 0 }),
      (read, chunk) => {
        read.length += chunk.length
        // The rest of a file that is too long is read and left out.
        if (read.length <= IMPORT_CHARS_MAX) read.chunks.push(chunk)
        return read
      }
    ),
    Effect.map(({ chunks, length }) =>
      length > IMPORT_CHARS_MAX ? null : new TextDecoder().decode(Buffer.concat(chunks))
    )
  )

/** Serves the page on which an author brings readers from elsewhere. */
export const BringRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const imports = yield* SubscriberImports
    const browser = yield* makeBrowser
    const count = yield* limiting
    const { answering, checkFileForm, page } = yield* makePrivatePages
    const check = checked(NewSubscriberImport)

    const show = Effect.gen(function* () {
      yield* count("public-read")
      return yield* browser.asOwner(BRING, ({ isModerator }) =>
        Effect.succeed(page(bringPage({ ...EMPTY, isModerator })))
      )
    })

    const bring = Effect.fnUntraced(function* (owner: BrowserAuthority) {
      const { fields, file } = yield* readFileForm(
        { source: LENGTHS.line, statement: LENGTHS.text, attested: LENGTHS.word, csv: IMPORT_CHARS_MAX + 1 },
        FIELD_BYTES_MAX
      )
      const sent = {
        csv: fields.get("csv") ?? "",
        source: fields.get("source") ?? "",
        statement: fields.get("statement") ?? "",
        isAttested: fields.has("attested"),
        isModerator: owner.isModerator
      }
      const refuse = (wrong: BringView["wrong"], status: number) =>
        Effect.succeed(page(bringPage({ ...sent, wrong }), status))
      const taken = Effect.gen(function* () {
        const csv = file === undefined ? sent.csv : yield* textOf(file)
        if (csv === null) return yield* refuse({ csv: TOO_LONG }, 413)
        const list = yield* check({
          csv,
          source: sent.source,
          consent: {
            statement: sent.statement,
            // The check refuses anything else.
            attested: sent.isAttested as true
          }
        })
        return page(broughtPage(yield* imports.add(owner, list), owner.isModerator))
      })
      return yield* taken.pipe(
        Effect.catchTag(["BodyBrokenOff", "MalformedMultipart"], () =>
          refuse({ csv: "Your file didn't arrive whole. Choose it and try again." }, 400)
        ),
        Effect.catchTags({
          Forbidden: ({ detail }) => refuse({ form: detail ?? "Your account may not bring readers." }, 403),
          PayloadTooLarge: () => refuse({ csv: TOO_LONG }, 413),
          RateLimited: () => refuse({ form: LATER }, 429),
          Validation: ({ errors }) =>
            refuse(
              Object.fromEntries(errors.map(({ field, message }) => [field, OWN[field] ?? `${message}.`])),
              422
            )
        })
      )
    })

    const send = Effect.gen(function* () {
      yield* checkFileForm
      return yield* browser.asOwner(BRING, bring)
    }).pipe(Effect.scoped)

    return Layer.merge(
      addPrivatePage("GET", BRING, answering(show)),
      addPrivatePage("POST", BRING, answering(send))
    )
  })
)
