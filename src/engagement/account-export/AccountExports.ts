import { Context, Effect, Layer, Stream } from "effect"
import { Digest } from "effect/crypto"
import { Zip } from "effect/encoding"
import {
  accountExportJsonSchema,
  EXPORT_VERSION
} from "../../../schemas/engagement/account-export/AccountExport.ts"
import { PublicBaseUrl } from "../../../schemas/platform/errors/PublicBaseUrl.ts"
import type { OwnerAuthority } from "../../../schemas/platform/security/authorities.ts"
import { Finances } from "../../payments/finance/Finances.ts"
import { PURCHASES_CSV_HEADER, purchaseCsvLine } from "../../payments/finance/purchasesCsv.ts"
import { Purchases } from "../../payments/purchases/Purchases.ts"
import { now, wireTime } from "../../platform/time/now.ts"
import { makeAccountFacts } from "./accountFacts.ts"
import { makeArchiveFiles } from "./archive.ts"
import { type FileFacts, makeExportedFiles } from "./exportedFiles.ts"
import { jsonText } from "./jsonText.ts"
import { cursorPagesOf } from "./pages.ts"
import { readmeOf } from "./readme.ts"

/** An archive that is made while it is read. */
export interface AccountArchive {
  readonly fileName: string
  readonly body: Stream.Stream<Uint8Array>
}

/** Everything about an account, as a ZIP that other site generators read and that this service imports. */
export class AccountExports extends Context.Service<
  AccountExports,
  {
    /**
     * Returns the archive of an account. Its pages, pictures and files are read one after another, each when the reader has
     * taken those before it. No transaction spans them, so a Post is as it is when its turn comes.
     */
    readonly open: (owner: OwnerAuthority) => Effect.Effect<AccountArchive>
  }
>()("pennypress/engagement/account-export/AccountExports") {
  static readonly layer = Layer.effect(
    AccountExports,
    Effect.gen(function* () {
      const exportedFiles = yield* makeExportedFiles
      const accountFacts = yield* makeAccountFacts
      const finances = yield* Finances
      const purchases = yield* Purchases
      const digests = yield* Digest.Digest
      const service = yield* PublicBaseUrl

      return AccountExports.of({
        open: Effect.fn("AccountExports.open")(function* (owner) {
          const at = yield* now
          const exportedAt = wireTime(at)
          const files = makeArchiveFiles(digests, at)
          const told: FileFacts = { posts: [], media: [], attachments: [], notes: [], withShortcodes: [] }
          const { handle, members } = yield* accountFacts(owner, at)

          const bought = Stream.map(
            cursorPagesOf((query) => purchases.list(owner.ownerId, query)),
            (page) => page.map(purchaseCsvLine).join("")
          )
          const tables = Stream.make(
            files.longText("finance/sales.csv", finances.exported(owner, { kind: "all" })),
            files.longText("finance/purchases.csv", Stream.concat(Stream.make(PURCHASES_CSV_HEADER), bought))
          )

          /** The files that tell of those before them. */
          const last = Stream.suspend(() => {
            const account = jsonText({
              members: {
                format: { value: "pennypress-account" },
                version: { value: EXPORT_VERSION },
                service: { value: service },
                exportedAt: { value: exportedAt },
                account: members.account,
                posts: { pages: Stream.make(told.posts) },
                media: { pages: Stream.make(told.media) },
                attachments: { pages: Stream.make(told.attachments) },
                ...members.others,
                notes: { pages: Stream.make(told.notes) }
              }
            })
            const readme = readmeOf({ service, handle, exportedAt, withShortcodes: told.withShortcodes })
            return Stream.concat(
              Stream.fromEffect(files.text("README.md", readme)),
              Stream.make(files.longText("account.json", Stream.concat(account, Stream.make("\n"))))
            )
          })
          const schema = Stream.fromEffect(
            files.text("schema.json", `${JSON.stringify(accountExportJsonSchema, null, 2)}\n`)
          )
          // Begun when the entries before it are written.
          const checksums = Stream.suspend(() =>
            Stream.make(Zip.file("checksums.sha256", files.checksums(), { mtime: at }))
          )

          const parts = [exportedFiles(owner.ownerId, files, told), tables, last, schema, checksums]
          const entries = Stream.flatMap(
            Stream.fromIterable<Stream.Stream<Zip.Entry | Zip.ContentEntry>>(parts),
            (part) => part
          )
          return {
            fileName: `pennypress-${handle}-${exportedAt.slice(0, 10)}.zip`,
            body: Stream.orDie(Stream.pipeThroughChannel(entries, Zip.encode()))
          }
        })
      })
    })
  )
}
